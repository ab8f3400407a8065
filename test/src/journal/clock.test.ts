/** Tests the comparison of the clock of a node with the clock of the NATS server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOffset } from '../../../src/journal/clock.ts';

/** Compares clocks while the round trip takes `trip` milliseconds and the server's clock is `ahead` milliseconds ahead. */
function offset(trip: number, ahead: number, readAfter = trip / 2): Promise<number> {
  let passed = 0;
  const wall = 1_790_000_000_000;
  const clocks = { wall: () => wall + passed, monotonic: () => 5000 + passed };
  return clockOffset(async () => {
    passed = trip;
    return wall + readAfter + ahead;
  }, clocks);
}

test('Equal clocks have no offset, however long the round trip takes', async () => {
  assert.equal(await offset(0, 0), 0);
  assert.equal(await offset(9000, 0, 0), 0);
  assert.equal(await offset(9000, 0, 9000), 0);
});

test('The offset is the difference that the round trip cannot explain', async () => {
  assert.equal(await offset(0, 40_000), -40);
  assert.equal(await offset(2000, 40_000), -39);
  assert.equal(await offset(2000, -40_000), 39);
});

test('A wall clock that is set during the round trip does not count twice', async () => {
  let passed = 0;
  const clocks = { wall: () => 1_000_000 + (passed > 0 ? 3_600_000 : 0), monotonic: () => passed };
  const seconds = await clockOffset(async () => {
    passed = 100;
    return 1_000_050;
  }, clocks);
  assert.equal(seconds, 0);
});
