/**
 * Checks when a publication is attempted again after a failure.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenUp, retryAt } from '../../../workers/publish/schedule.ts';

test('delays grow from five seconds to an hour, then attempts end', () => {
  const pauses = Array.from({ length: givenUp }, (_, i) => retryAt(i + 1, 0, 0, 0));
  assert.deepEqual(pauses, [5000, 30_000, 120_000, 600_000, 3_600_000, 3_600_000, 3_600_000, null]);
});

test('adds at most a fifth at random', () => {
  assert.equal(retryAt(1, 1000, 0, 1), 1000 + 6000);
});

test('waits as long as the receiver asks, if that is longer', () => {
  assert.equal(retryAt(1, 0, 60_000, 0), 60_000);
  assert.equal(retryAt(3, 0, 60_000, 0), 120_000);
});
