/**
 * Tests the server on the operations port: its replies, and its error when the port is taken.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOps } from '../../../src/supervisor/operations-port.ts';
import { afterwards } from '../../helpers/cleanup.ts';

const source = { metrics: async () => 'tidings_up 1\n', waitingFor: () => ['gateway'] };

test('the error for a taken port names it and the setting to change', async (t) => {
  const ops = await startOps('127.0.0.1', 0, source);
  afterwards(t, () => ops.close());
  await assert.rejects(startOps('127.0.0.1', ops.port, source), {
    message: `Port ${ops.port} of 127.0.0.1 is taken by another program. Set TIDINGS_OPS_PORT to a free one.`,
  });
});

test('/readyz lists the processes that are not ready, and /metrics returns the metrics', async (t) => {
  const ops = await startOps('127.0.0.1', 0, source);
  afterwards(t, () => ops.close());
  const get = (path: string) => fetch(`http://127.0.0.1:${ops.port}${path}`);
  const ready = await get('/readyz');
  assert.deepEqual([ready.status, await ready.json()], [503, { status: 'waiting', waitingFor: ['gateway'] }]);
  assert.equal(await (await get('/metrics')).text(), 'tidings_up 1\n');
  assert.equal((await get('/healthz?x=1')).status, 200);
  assert.equal((await get('/nothing')).status, 404);
});
