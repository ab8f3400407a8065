/**
 * The look at the ports before a start: free ones, taken ones, and one that becomes free in time.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { loadSettings } from '../../../config/load.ts';
import { requireFreePorts } from '../../../src/supervisor/ports.ts';
import { afterwards } from '../../helpers/cleanup.ts';

const of = (env: Record<string, string>) =>
  requireFreePorts(loadSettings({ TIDINGS_PORT: '0', TIDINGS_OPS_PORT: '0', ...env }));

async function taken(t: TestContext) {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const free = () => new Promise<void>((resolve) => server.close(() => resolve()));
  afterwards(t, free);
  return { port: String((server.address() as { port: number }).port), free };
}

test('free ports stay free', async (t) => {
  await of({});
  const { port, free } = await taken(t);
  await free();
  await of({ TIDINGS_PORT: port });
  await of({ TIDINGS_PORT: port });
});

test('a taken port is named with its setting', async (t) => {
  const { port } = await taken(t);
  for (const variable of ['TIDINGS_PORT', 'TIDINGS_OPS_PORT']) {
    await assert.rejects(of({ [variable]: port }), {
      name: 'PortError',
      message: `Port ${port} of 127.0.0.1 is taken by another program. Set ${variable} to a free one.`,
    });
  }
});

test('a port that an earlier gateway frees while it ends is taken for free', async (t) => {
  const { port, free } = await taken(t);
  const looking = of({ TIDINGS_PORT: port });
  // The first look has found it taken by then.
  await pause(50);
  await free();
  await looking;
});
