/**
 * Tests the ingestion limit per organization: a burst passes without delay, further events are delayed evenly but not
 * lost (spec 8).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IngestionLimit } from '../../../src/ingress/limit.ts';

const minute = 60_000;
const hour = 3_600_000;
const start = 1_767_225_600_000;
const perMinute = { count: 100, periodMs: minute };
const perHour = { count: 1000, periodMs: hour };

/**
 * Returns the time at which an event that is admitted at `now` may be folded. Returns undefined if the event is
 * refused.
 */
function dueOf(limit: IngestionLimit, now: number, organization = 'acme'): number | undefined {
  const admission = limit.admit(organization, now);
  return admission.admitted ? (admission.due ?? now) : undefined;
}

test('a hundred concurrent events are not delayed (spec 8)', () => {
  const limit = new IngestionLimit(() => [perMinute, perHour], 24 * hour);
  for (let i = 0; i < 100; i++) assert.deepEqual(limit.admit('acme', start), { admitted: true, due: undefined });
  assert.deepEqual(limit.admit('acme', start), { admitted: true, due: start + 600 });
});

test('events over the limit are spaced evenly (spec 8)', () => {
  const limit = new IngestionLimit(() => [perMinute], 24 * hour);
  for (let i = 0; i < 100; i++) limit.admit('acme', start);
  const due = Array.from({ length: 50 }, () => dueOf(limit, start));
  assert.deepEqual(
    due,
    due.map((_, i) => start + (i + 1) * 600),
  );
});

test('the hourly limit spaces events further apart (spec 8)', () => {
  const limit = new IngestionLimit(() => [perMinute, perHour], 24 * hour);
  let last = 0;
  for (let i = 0; i < 1001; i++) last = dueOf(limit, start) as number;
  assert.equal(last, start + 901 * 600, 'the minute still decides');
  for (let i = 0; i < 4000; i++) last = dueOf(limit, start) as number;
  assert.equal(last, start + 4001 * 3600);
});

test('each organization has its own limit (spec 8)', () => {
  const limit = new IngestionLimit(() => [{ count: 1, periodMs: minute }], hour);
  assert.equal(dueOf(limit, start, 'acme'), start);
  assert.equal(dueOf(limit, start, 'acme'), start + minute);
  assert.equal(dueOf(limit, start, 'umbrella'), start);
});

test('the bucket is full again after a pause', () => {
  const limit = new IngestionLimit(() => [perMinute], hour);
  for (let i = 0; i < 150; i++) limit.admit('acme', start);
  const later = start + 150 * 600;
  for (let i = 0; i < 100; i++) assert.equal(dueOf(limit, later), later);
  assert.equal(dueOf(limit, later), later + 600);
});

test('an event beyond the maximum delay is refused', () => {
  const limit = new IngestionLimit(() => [{ count: 1, periodMs: minute }], 2 * minute);
  assert.deepEqual(
    [dueOf(limit, start), dueOf(limit, start), dueOf(limit, start)],
    [start, start + minute, start + 2 * minute],
  );
  assert.deepEqual(limit.admit('acme', start), { admitted: false, retryAfterMs: minute });
  assert.deepEqual(
    limit.admit('acme', start),
    { admitted: false, retryAfterMs: minute },
    'a refused one costs nothing',
  );
  assert.equal(dueOf(limit, start + minute), start + 3 * minute);
});

test('a limit of zero delays nothing', () => {
  const limit = new IngestionLimit(() => [{ count: 0, periodMs: minute }], 0);
  limit.seed('acme', start + hour);
  for (let i = 0; i < 10_000; i++) assert.deepEqual(limit.admit('acme', start), { admitted: true, due: undefined });
});

test('events that waited before a restart count', () => {
  const limit = new IngestionLimit(() => [perMinute, perHour], 24 * hour);
  limit.seed('acme', start + 10_000);
  const first = dueOf(limit, start) as number;
  assert.ok(first > start + 10_000, 'a later event must not overtake');
  assert.ok((dueOf(limit, start) as number) > first);
  assert.equal(dueOf(limit, start, 'umbrella'), start);
});

test('a sweep removes only organizations with a full bucket', () => {
  const limit = new IngestionLimit(() => [{ count: 2, periodMs: minute }], hour);
  for (let i = 0; i < 3; i++) limit.admit('acme', start);
  limit.sweep(start + 80_000);
  assert.equal(dueOf(limit, start + 80_000), start + 80_000);
  assert.equal(dueOf(limit, start + 80_000), start + 90_000, 'the third event of before still counts');
});

test('no window admits more than burst and rate', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 20, maxLength: 120 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), gaps, (count, pauses) => {
      const periodMs = 1000;
      const limit = new IngestionLimit(() => [{ count, periodMs }], hour);
      let now = start;
      const due = pauses.map((pause) => {
        now += pause;
        return dueOf(limit, now) as number;
      });
      assert.deepEqual(
        [...due].sort((a, b) => a - b),
        due,
        'order is kept',
      );
      for (const [first, from] of due.entries()) {
        for (let last = first; last < due.length; last++) {
          const folded = last - first + 1;
          const span = (due[last] as number) - from + 1;
          assert.ok(folded <= count + (span * count) / periodMs, `${folded} within ${span} ms at ${count}/s`);
        }
      }
    }),
  );
});

test('no event waits longer than its turn', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 300 }), (count, events) => {
      const limit = new IngestionLimit(() => [{ count, periodMs: minute }], 100 * hour);
      let last = start;
      for (let i = 0; i < events; i++) last = dueOf(limit, start) as number;
      const turns = Math.max(0, events - count);
      assert.ok(last <= start + Math.ceil((turns * minute) / count) + 1, `${last - start} ms for ${turns} turns`);
    }),
  );
});
