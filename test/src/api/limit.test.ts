/**
 * Tests the API limits per key and per organization (spec 8). The limits are exact. A request counts either in all
 * time windows or in none of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Tier } from '../../../config/tiers.ts';
import { ApiLimit, LimitReachedError } from '../../../src/api/limit.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';

const wallClock = Date.UTC(2026, 0, 1);
const standard = tierOf(100, 1000, 10_000);
let limit: ApiLimit;
let tier: Tier;

function tierOf(apiPerMinute: number, apiPerHour: number, apiPerDay: number): Tier {
  return { name: 'made up', apiPerMinute, apiPerHour, apiPerDay, webhooksPerMinute: 0, webhooksPerHour: 0 };
}

/** Starts a limiter with the limits of a tier. No request has been counted yet. */
function begin(of: Tier): void {
  limit = new ApiLimit();
  tier = of;
}

/** Counts a request at `now`. Returns its headers as an object, or the seconds to wait when it is refused. */
function take(now: number, keyId = 'key_1', organization = 'org_1') {
  try {
    const { headers: flat } = limit.take({ keyId, organization, tier }, now, wallClock + now);
    return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'rateLimited');
    return error.retryAfter as number;
  }
}

/** Returns the headers of a refused request. */
function headersOfRefusal(): readonly string[] {
  try {
    limit.take({ keyId: 'key_1', organization: 'org_1', tier }, 0, wallClock);
    return assert.fail('the request is counted');
  } catch (error) {
    return error instanceof LimitReachedError ? error.headers : assert.fail(String(error));
  }
}

function refusals(count: number, now: number, key = 'key_1', organization = 'org_1'): number {
  let refused = 0;
  for (let i = 0; i < count; i++) if (typeof take(now, key, organization) === 'number') refused += 1;
  return refused;
}

test('exactly 100 requests per minute pass (spec 8)', () => {
  begin(standard);
  assert.equal(refusals(100, 0), 0);
  assert.equal(take(0), 60);
  assert.equal(take(59_999), 1);
  assert.equal(refusals(100, 60_000), 0, 'a new window begins with its first request');
  assert.equal(take(60_000), 60);
});

test('headers count down to the reset (spec 8)', () => {
  begin(standard);
  const reset = String(wallClock / 1000 + 60);
  assert.deepEqual(take(0), {
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '99',
    'X-RateLimit-Reset': reset,
    'RateLimit-Policy': '"key-min";q=100;w=60, "key-hour";q=1000;w=3600, "org-day";q=10000;w=86400',
    RateLimit: '"key-min";r=99;t=60',
  });
  refusals(98, 30_000);
  assert.deepEqual(take(59_000), {
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': reset,
    'RateLimit-Policy': '"key-min";q=100;w=60, "key-hour";q=1000;w=3600, "org-day";q=10000;w=86400',
    RateLimit: '"key-min";r=0;t=1',
  });
});

test('a refusal states how long to wait (spec 7.3)', () => {
  begin(standard);
  refusals(100, 0);
  assert.throws(
    () => limit.take({ keyId: 'key_1', organization: 'org_1', tier }, 1000, wallClock),
    (error: ServiceError) => /100 requests per minute.*Wait 59 seconds/.test(error.message) && error.retryAfter === 59,
  );
});

test('each key has its own windows (spec 8)', () => {
  begin(standard);
  assert.equal(refusals(101, 0, 'key_1'), 1);
  assert.equal(refusals(100, 0, 'key_2'), 0);
});

test('the hourly limit is exact (spec 8)', () => {
  begin(standard);
  for (let minute = 0; minute < 10; minute++) assert.equal(refusals(100, minute * 60_000), 0);
  assert.equal(take(10 * 60_000), 50 * 60);
  assert.equal(refusals(100, 3_600_000), 0);
});

test('keys of one organization share its daily limit (spec 8)', () => {
  begin(tierOf(0, 0, 10));
  assert.equal(refusals(5, 0, 'key_1'), 0);
  assert.equal(refusals(6, 0, 'key_2'), 1);
  assert.equal(take(0, 'key_3'), 86_400);
  assert.equal(refusals(1, 0, 'key_4', 'org_2'), 0);
});

test('keys of one organization share its limits per minute and per hour', () => {
  begin({ ...tierOf(2, 4, 0), apiOrgFactor: 2 });
  assert.equal(refusals(3, 0, 'key_1'), 1, 'the minute of the key');
  assert.equal(refusals(2, 0, 'key_2'), 0);
  assert.equal(take(0, 'key_3'), 60, 'the minute of the organization');
  assert.equal(refusals(2, 0, 'key_4', 'org_2'), 0);
  assert.equal(refusals(2, 60_000, 'key_1') + refusals(2, 60_000, 'key_3'), 0);
  assert.equal(take(120_000, 'key_5'), 3480, 'the hour of the organization');
});

test('headers name the windows of the organization', () => {
  begin({ ...standard, apiOrgFactor: 5 });
  for (let key = 0; key < 4; key++) refusals(100, 0, `key_${key}`);
  refusals(60, 0, 'key_4');
  const headers = take(0, 'key_5');
  assert.deepEqual(headers, {
    'X-RateLimit-Limit': '500',
    'X-RateLimit-Remaining': '39',
    'X-RateLimit-Reset': String(wallClock / 1000 + 60),
    'RateLimit-Policy':
      '"key-min";q=100;w=60, "org-min";q=500;w=60, "key-hour";q=1000;w=3600, "org-hour";q=5000;w=3600, "org-day";q=10000;w=86400',
    RateLimit: '"org-min";r=39;t=60',
  });
});

test('a tier without limits per key has no limits per organization', () => {
  begin({ ...tierOf(0, 0, 0), apiOrgFactor: 5 });
  assert.deepEqual(take(0), {});
});

test('a refused request counts in no window', () => {
  begin(tierOf(2, 4, 0));
  assert.equal(refusals(50, 0), 48);
  assert.equal(refusals(50, 60_000), 48, 'the hour had two left');
  assert.equal(refusals(50, 120_000), 50);
});

test('of two full windows the one that ends later sets the wait', () => {
  begin(tierOf(2, 2, 0));
  refusals(2, 0);
  assert.equal(take(0), 3600);
  const headers = headersOfRefusal();
  assert.deepEqual(headers.slice(3, 6), ['0', 'X-RateLimit-Reset', String(wallClock / 1000 + 3600)]);
  assert.equal(headers.at(-1), '"key-hour";r=0;t=3600');
});

test('without limits there are no headers', () => {
  begin(tierOf(0, 0, 0));
  assert.deepEqual(take(0), {});
});

test('a sweep removes only windows that have ended', () => {
  begin(tierOf(1, 2, 0));
  take(0);
  limit.sweep(59_999);
  assert.equal(take(59_999), 1);
  limit.sweep(60_000);
  assert.equal(refusals(1, 60_000), 0);
  limit.sweep(120_000);
  assert.equal(take(120_000), 3480, 'the hour continues');
});

test('no window lets more requests pass than its limit', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 10, maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), pauses, (count, gaps) => {
      begin(tierOf(count, 0, 0));
      let now = 0;
      const windows: { start: number; passed: number }[] = [];
      for (const gap of gaps) {
        now += gap;
        const open = windows.at(-1);
        const passed = typeof take(now) !== 'number';
        if (!open || now >= open.start + 60_000) windows.push({ start: now, passed: passed ? 1 : 0 });
        else {
          assert.equal(passed, open.passed < count, 'refused exactly when the window is spent');
          if (passed) open.passed += 1;
        }
      }
    }),
  );
});

test('any request counts in all windows or in none', () => {
  const key = fc.constantFrom('key_1', 'key_2', 'key_3');
  const org = (keyId: string) => (keyId === 'key_3' ? 'org_2' : 'org_1');
  const steps = fc.array(fc.record({ key, gap: fc.integer({ min: 0, max: 30_000_000 }) }), { maxLength: 120 });
  const counts = fc.tuple(...[3, 5, 8].map((max) => fc.integer({ min: 1, max })));
  fc.assert(
    fc.property(counts, steps, ([minute = 1, hour = 1, day = 1], requests) => {
      begin(tierOf(minute, hour, day));
      const model = new Map<string, { from: number; used: number }>();
      let now = 0;
      for (const { key: keyId, gap } of requests) {
        now += gap;
        const windows = [
          { id: `minute ${keyId}`, count: minute, ms: 60_000 },
          { id: `hour ${keyId}`, count: hour, ms: 3_600_000 },
          { id: `day ${org(keyId)}`, count: day, ms: 86_400_000 },
        ].map((each) => {
          const known = model.get(each.id);
          const open = known && known.used > 0 && known.from + each.ms > now ? known : { from: now, used: 0 };
          model.set(each.id, open);
          return { ...each, open };
        });
        const full = windows.filter(({ open, count }) => open.used >= count);
        const wait = Math.max(...full.map(({ open, ms }) => Math.max(1, Math.ceil((open.from + ms - now) / 1000))));
        const taken = take(now, keyId, org(keyId));
        if (full.length > 0) assert.equal(taken, wait);
        else {
          for (const { open } of windows) open.used += 1;
          const lowest = Math.min(...windows.map(({ open, count }) => count - open.used));
          assert.equal((taken as Record<string, string>)['X-RateLimit-Remaining'], String(lowest));
        }
      }
    }),
  );
});

test('a change of the tier keeps the used requests', () => {
  begin(tierOf(2, 0, 0));
  assert.equal(refusals(3, 0), 1);
  tier = tierOf(5, 0, 0);
  assert.equal(refusals(4, 0), 1, 'three more');
  tier = tierOf(0, 0, 0);
  assert.deepEqual(take(0), {});
});

test('a day continues where an earlier run left it', () => {
  begin(tierOf(0, 0, 10));
  limit.seedDay('org_1', { since: wallClock - 3_600_000, used: 8 }, 5000, wallClock);
  const limited = { keyId: 'key_1', organization: 'org_1', tier };
  const { headers, daySince } = limit.take(limited, 5000, wallClock);
  assert.equal(daySince, wallClock - 3_600_000, 'calls count in the same day');
  assert.equal(headers.at(-1), '"org-day";r=1;t=82800');
  assert.equal(refusals(2, 6000), 1);
  assert.equal(refusals(10, 5000 + 82_800_000), 0, 'it ends at its original time');
});

test('a day that has ended is not continued', () => {
  begin(tierOf(0, 0, 1));
  limit.seedDay('org_1', { since: wallClock - 86_400_000, used: 1 }, 5000, wallClock);
  assert.equal(refusals(1, 5000), 0);
});
