/**
 * Tests the check of the ports before a start: free ports, taken ports, and a port that becomes free before the
 * timeout.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { loadSettings } from '../../../config/load.ts';
import { startServer } from '../../../src/http/server.ts';
import { chooseFreePort, requireFreePorts } from '../../../src/supervisor/ports.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { quiet } from '../../helpers/journal.ts';

const of = (env: Record<string, string>) =>
  requireFreePorts(loadSettings({ TIDINGS_PORT: '0', TIDINGS_OPS_PORT: '0', ...env }));

async function taken(t: TestContext) {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const free = () => new Promise<void>((resolve) => server.close(() => resolve()));
  afterwards(t, free);
  return { port: String((server.address() as { port: number }).port), free };
}

test('free ports are still free after the check', async (t) => {
  await of({});
  const { port, free } = await taken(t);
  await free();
  await of({ TIDINGS_PORT: port });
  await of({ TIDINGS_PORT: port });
});

test('the error for a taken port names it and its setting', async (t) => {
  const { port } = await taken(t);
  for (const variable of ['TIDINGS_PORT', 'TIDINGS_OPS_PORT']) {
    await assert.rejects(of({ [variable]: port }), {
      name: 'PortError',
      message: `Port ${port} of 127.0.0.1 is taken by another program. Set ${variable} to a free one.`,
    });
  }
});

test('a port that gateways of another service share counts as taken', async (t) => {
  const port = await chooseFreePort('127.0.0.1');
  const server = await startServer('127.0.0.1', port, [], quiet, { sharesPort: true });
  afterwards(t, () => server.stop(0));
  await assert.rejects(of({ TIDINGS_PORT: String(port) }), { name: 'PortError' });
});

test('a port that an ending gateway releases during the check counts as free', async (t) => {
  const { port, free } = await taken(t);
  const checking = of({ TIDINGS_PORT: port });
  // Within 50 ms, the first check has found that the port is taken.
  await pause(50);
  await free();
  await checking;
});
