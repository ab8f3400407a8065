/**
 * Tests stops and starts of the whole service. Every delivery with a 2xx reply is stored after the next start. After a
 * stop, all processes have ended. A failed start reports the reason.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { afterwards } from '../helpers/cleanup.ts';
import { assertReplays } from '../helpers/partition-journal.ts';
import { Load } from '../helpers/partition-load.ts';
import { ended, processesOf } from '../helpers/partition-processes.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { startService, TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small = { TIDINGS_PARTITIONS: '2', TIDINGS_WORKERS: '1', TIDINGS_RENDER_THREADS: '1' };

/** Starts a service without waiting until it is ready. The service stops when the test ends. */
async function launch(t: TestContext, env: Record<string, string> = {}): Promise<TestService> {
  const service = new TestService({
    PATH: process.env.PATH ?? '',
    TIDINGS_DATA_DIR: join(temporaryFolder(t), 'data'),
    TIDINGS_PORT: String(await freePort()),
    TIDINGS_OPS_PORT: String(await freePort()),
    TIDINGS_NATS_PORT: String(await freePort()),
    TIDINGS_LOG_LEVEL: 'warn',
    ...small,
    ...env,
  });
  afterwards(t, () => service.stop());
  return service;
}

/** Waits until a start has failed with a message, and asserts that no process is left running. */
async function assertFails(service: TestService, message: RegExp): Promise<void> {
  const code = await service.exit();
  assert.notEqual(code, 0);
  assert.match(service.log, message);
  assert.deepEqual(processesOf(service.dataDir), []);
}

test('a stop under load keeps every acknowledged delivery', async (t) => {
  const first = await startService(t, { env: small });
  const load = new Load(first, 12);
  await load.progress(300);
  assert.equal(await first.stop(), 0);
  assert.deepEqual(processesOf(first.dataDir), []);
  const second = await startService(t, { env: small, dataDir: first.dataDir });
  load.moveTo(second);
  await load.progress(30);
  await load.finish();
  await load.check(second);
  assert.equal(await second.stop(), 0);
  await assertReplays(t, second.dataDir, ['directory', 'p00', 'p01']);
});

test('the service recovers from the loss of its supervisor', async (t) => {
  const first = await startService(t, { env: small });
  const load = new Load(first);
  await load.progress(100);
  const { gateway, worker, 'nats-server': nats } = first.pids();
  await first.kill();
  const started = performance.now();
  await ended([gateway, worker]);
  t.diagnostic(`children end ${Math.round(performance.now() - started)} ms after their supervisor`);
  assert.deepEqual(processesOf(first.dataDir), [nats]);
  const second = await startService(t, { env: { ...small, ...portsOf(first) }, dataDir: first.dataDir });
  assert.equal(second.pids()['nats-server'], nats, 'the orphan is adopted');
  load.moveTo(second);
  await load.progress(50);
  await load.finish();
  await load.check(second);
  assert.equal(await second.stop(), 0);
  assert.deepEqual(processesOf(first.dataDir), []);
});

test('the service starts immediately after a kill, on other ports', async (t) => {
  const first = await startService(t, { env: small });
  const load = new Load(first);
  await load.progress(50);
  await first.kill();
  const second = await startService(t, { env: small, dataDir: first.dataDir });
  load.moveTo(second);
  await load.finish();
  await load.check(second);
});

test('a service that is stopped at any time of its start ends cleanly', async (t) => {
  for (const ms of [0, 50, 150, 300, 500, 800, 1200]) {
    const service = await launch(t);
    await waitUntil('it has begun', () => existsSync(join(service.dataDir, 'partition-count')));
    await pause(ms);
    assert.equal(await service.stop(), 0, `stopped after ${ms} ms\n${service.log}`);
    assert.deepEqual(processesOf(service.dataDir), [], `stopped after ${ms} ms`);
  }
});

for (const [what, variable] of [
  ['API', 'TIDINGS_PORT'],
  ['ops', 'TIDINGS_OPS_PORT'],
  ['nats-server', 'TIDINGS_NATS_PORT'],
] as const) {
  test(`a start fails with a clear message when the ${what} port is taken`, async (t) => {
    const listener = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
    afterwards(t, () => listener.close());
    await assertFails(await launch(t, { [variable]: String(port) }), new RegExp(`\\b${port}\\b`));
  });
}

test('a second instance is refused, and the first is not affected', async (t) => {
  const first = await startService(t, { env: small });
  const before = first.pids();
  for (const env of [{}, portsOf(first)]) {
    const second = await launch(t, { TIDINGS_DATA_DIR: first.dataDir, ...env });
    assert.equal(await second.exit(), 1);
    assert.match(second.log, /Another Tidings runs on/);
  }
  assert.deepEqual(first.pids(), before);
  const load = new Load(first);
  await load.progress(20);
  await load.finish();
  await load.check(first);
});

function portsOf({ env }: TestService): Record<string, string> {
  const names = ['TIDINGS_PORT', 'TIDINGS_OPS_PORT', 'TIDINGS_NATS_PORT'];
  return Object.fromEntries(names.map((name) => [name, env[name] as string]));
}
