/** Tests when the lead of a partition enqueues ticks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../../src/foundation/logger.ts';
import { Ticker } from '../../../workers/partition/ticks.ts';
import { openTestPartition } from '../../helpers/partition.ts';

test('the first tick follows the start, whatever the interval, and the next one waits for the interval', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const tick = t.mock.fn(async () => undefined);
  const owner = { name: 'p00', partition: openTestPartition(t), seq: 0 };
  const ticker = new Ticker(owner, { tick }, { tickMs: 3_600_000, logger: createLogger('test', 'silent') });
  t.after(() => ticker.close());
  t.mock.timers.tick(1000);
  assert.equal(tick.mock.callCount(), 1);
  for (let second = 0; second < 10; second++) t.mock.timers.tick(1000);
  assert.equal(tick.mock.callCount(), 1, 'ticks are not due each second');
});
