/** Tests the limit of bytes per second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from '../../../src/foundation/pace.ts';

test('the first bytes are sent at once, and further ones wait for their share of time', async () => {
  const pace = new Pace(10_000);
  const started = performance.now();
  const after = () => performance.now() - started;
  const order: number[] = [];
  const take = (nth: number) => pace.take(500).then(() => order.push(nth));
  await take(0);
  await Promise.all([take(1), take(2)]);
  // Two shares of 50 ms each. A timer can fire a millisecond early.
  assert.ok(after() >= 98, `${after()} ms`);
  assert.deepEqual(order, [0, 1, 2]);
});
