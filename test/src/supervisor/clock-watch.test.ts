/** Tests what a node does when its clock differs from the clock of the NATS servers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockWatch } from '../../../src/supervisor/clock-watch.ts';

test('a clock that is off is reported, and makes the node unready beyond 30 seconds, until it is right again', async () => {
  const logged: string[] = [];
  const logger = { warn: () => void logged.push('warn'), error: () => void logged.push('error') };
  let offset: number | undefined;
  const watch = new ClockWatch(async () => offset, logger);
  const after = async (ms: number | undefined): Promise<[boolean, string[]]> => {
    offset = ms;
    await watch.check();
    return [watch.isOff, logged.splice(0)];
  };
  assert.deepEqual(await after(1999), [false, []]);
  assert.deepEqual(await after(-2001), [false, ['warn']]);
  assert.deepEqual(await after(-30_001), [true, ['error']]);
  assert.deepEqual(await after(undefined), [true, []], 'a server that does not answer changes nothing');
  assert.deepEqual(await after(30_000), [false, ['warn']]);
  assert.deepEqual(await after(0), [false, []]);
});
