/**
 * The API limits: exact, by key and by organisation, all windows or none (spec 8).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiLimit } from '../../../src/api/limit.ts';
import { ServiceError } from '../../../src/errors.ts';

const wallClock = Date.UTC(2026, 0, 1);
const standard = { limitApiPerMinute: 100, limitApiPerHour: 1000, limitApiPerDay: 10_000 };

/** Takes at `now`; the headers as an object, or the seconds to wait when it is refused. */
function take(limit: ApiLimit, now: number, key = 'key_1', organisation = 'org_1') {
  try {
    const flat = limit.take(key, organisation, now, wallClock + now);
    return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'rateLimited');
    return error.retryAfter as number;
  }
}

function refusals(limit: ApiLimit, count: number, now: number, key = 'key_1', organisation = 'org_1'): number {
  let refused = 0;
  for (let i = 0; i < count; i++) if (typeof take(limit, now, key, organisation) === 'number') refused += 1;
  return refused;
}

test('exactly a hundred a minute pass (spec 8)', () => {
  const limit = new ApiLimit(standard);
  assert.equal(refusals(limit, 100, 0), 0);
  assert.equal(take(limit, 0), 60);
  assert.equal(take(limit, 59_999), 1);
  assert.equal(refusals(limit, 100, 60_000), 0, 'a new window begins with its first request');
  assert.equal(take(limit, 60_000), 60);
});

test('headers count down to the reset (spec 8)', () => {
  const limit = new ApiLimit(standard);
  const reset = String(wallClock / 1000 + 60);
  assert.deepEqual(take(limit, 0), {
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '99',
    'X-RateLimit-Reset': reset,
  });
  refusals(limit, 98, 30_000);
  assert.deepEqual(take(limit, 59_000), {
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': reset,
  });
});

test('a refusal says how long to wait (spec 7.3)', () => {
  const limit = new ApiLimit(standard);
  refusals(limit, 100, 0);
  assert.throws(
    () => limit.take('key_1', 'org_1', 1000, wallClock),
    (error: ServiceError) => /100 requests per minute.*Wait 59 seconds/.test(error.message) && error.retryAfter === 59,
  );
});

test('keys have windows of their own', () => {
  const limit = new ApiLimit(standard);
  assert.equal(refusals(limit, 101, 0, 'key_1'), 1);
  assert.equal(refusals(limit, 100, 0, 'key_2'), 0);
});

test('the hour is exact as well', () => {
  const limit = new ApiLimit(standard);
  for (let minute = 0; minute < 10; minute++) assert.equal(refusals(limit, 100, minute * 60_000), 0);
  assert.equal(take(limit, 10 * 60_000), 50 * 60);
  assert.equal(refusals(limit, 100, 3_600_000), 0);
});

test('keys of one organisation share its day', () => {
  const limit = new ApiLimit({ limitApiPerMinute: 0, limitApiPerHour: 0, limitApiPerDay: 10 });
  assert.equal(refusals(limit, 5, 0, 'key_1'), 0);
  assert.equal(refusals(limit, 6, 0, 'key_2'), 1);
  assert.equal(take(limit, 0, 'key_3'), 86_400);
  assert.equal(refusals(limit, 1, 0, 'key_4', 'org_2'), 0);
});

test('a refused request takes from no window', () => {
  const limit = new ApiLimit({ limitApiPerMinute: 2, limitApiPerHour: 4, limitApiPerDay: 0 });
  assert.equal(refusals(limit, 50, 0), 48);
  assert.equal(refusals(limit, 50, 60_000), 48, 'the hour had two left');
  assert.equal(refusals(limit, 50, 120_000), 50);
});

test('of two spent windows the later counts', () => {
  const limit = new ApiLimit({ limitApiPerMinute: 2, limitApiPerHour: 2, limitApiPerDay: 0 });
  refusals(limit, 2, 0);
  assert.equal(take(limit, 0), 3600);
  const headers = limit.headersAfter('key_1', 'org_1', 0, wallClock);
  assert.deepEqual(headers.slice(3), ['0', 'X-RateLimit-Reset', String(wallClock / 1000 + 3600)]);
});

test('without limits there are no headers', () => {
  const limit = new ApiLimit({ limitApiPerMinute: 0, limitApiPerHour: 0, limitApiPerDay: 0 });
  assert.deepEqual(take(limit, 0), {});
  assert.deepEqual(limit.headersAfter('key_1', 'org_1', 0, wallClock), []);
});

test('a sweep forgets only what has ended', () => {
  const limit = new ApiLimit({ limitApiPerMinute: 1, limitApiPerHour: 2, limitApiPerDay: 0 });
  take(limit, 0);
  limit.sweep(59_999);
  assert.equal(take(limit, 59_999), 1);
  limit.sweep(60_000);
  assert.equal(refusals(limit, 1, 60_000), 0);
  limit.sweep(120_000);
  assert.equal(take(limit, 120_000), 3480, 'the hour goes on');
});

test('no window passes more than its count', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 10, maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), pauses, (count, gaps) => {
      const limit = new ApiLimit({ limitApiPerMinute: count, limitApiPerHour: 0, limitApiPerDay: 0 });
      let now = 0;
      const windows: { start: number; passed: number }[] = [];
      for (const gap of gaps) {
        now += gap;
        const open = windows.at(-1);
        const passed = typeof take(limit, now) !== 'number';
        if (!open || now >= open.start + 60_000) windows.push({ start: now, passed: passed ? 1 : 0 });
        else {
          assert.equal(passed, open.passed < count, 'refused exactly when the window is spent');
          if (passed) open.passed += 1;
        }
      }
    }),
  );
});
