/**
 * Tests starts that cannot succeed. Such a start ends immediately and reports the reason in the last log line. A signal
 * ends a start at any stage, and also ends all processes that the start has created.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { afterwards } from '../helpers/cleanup.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Makes a port unavailable to the service, as another program would. Returns the port. */
async function takenPort(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as { port: number }).port;
}

function lastLine(service: TestService): string {
  return service.log.trimEnd().split('\n').at(-1) ?? '';
}

for (const variable of ['TIDINGS_PORT', 'TIDINGS_OPS_PORT', 'TIDINGS_NATS_PORT']) {
  test(`a start on a taken ${variable} ends before any process is started`, async (t) => {
    const port = await takenPort(t);
    const service = await startService(t, { env: { [variable]: String(port) }, waits: false });
    assert.equal(await service.exit(), 1);
    const where = variable === 'TIDINGS_NATS_PORT' ? '' : ' of 127.0.0.1';
    assert.equal(lastLine(service), `Port ${port}${where} is taken by another program. Set ${variable} to a free one.`);
    assert.ok(!existsSync(join(service.dataDir, 'nats', 'server.conf')), 'no nats-server was started');
    assert.doesNotMatch(service.log, /"role":"(gateway|worker)"/);
  });
}

test('a start on an address that this machine does not have ends and names the setting', async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST: '192.0.2.1' }, waits: false });
  assert.equal(await service.exit(), 1);
  assert.equal(
    lastLine(service),
    'This machine does not have the address 192.0.2.1. Set TIDINGS_HOST to an address of this machine.',
  );
});

test('a data directory that cannot be written is refused immediately', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  for (const dataDir of ['/proc/x', '/proc/x/y', '/sys/x', '/dev/null', file, join(file, 'x')]) {
    const service = await startService(t, { dataDir, waits: false });
    assert.equal(await service.exit(), 1, dataDir);
    assert.match(
      service.log,
      /^TIDINGS_DATA_DIR: .* cannot be written \(E\w+\)\. Set it to a folder on a disk that the service may write to\.\n$/,
    );
    assert.ok(service.log.includes(`: ${dataDir} `), service.log);
  }
});

/** Stages of a start in order, each with a function that checks from outside whether the stage has been reached. */
const moments: [string, (service: TestService) => boolean][] = [
  ['the data directory is made', ({ dataDir }) => existsSync(dataDir)],
  ['the lock is being taken', ({ dataDir }) => existsSync(join(dataDir, 'locks'))],
  ['the first key is made', ({ dataDir }) => existsSync(join(dataDir, 'admin-key'))],
  ['the keys of the journal are made', ({ dataDir }) => existsSync(join(dataDir, 'journal-keys'))],
  ['nats-server is about to be started', ({ dataDir }) => existsSync(join(dataDir, 'nats', 'server.conf'))],
  ['nats-server runs', (service) => service.pids()['nats-server'] !== 0],
  ['a worker runs', (service) => service.pids().worker !== 0],
  ['the gateway runs', (service) => service.pids().gateway !== 0],
];

test('a signal ends a start at any stage, and leaves nothing running', async (t) => {
  for (const [i, [moment, isReached]] of moments.entries()) {
    const signal = i % 2 === 0 ? 'SIGTERM' : 'SIGINT';
    await t.test(`${signal} when ${moment}`, async (t) => {
      const service = await startService(t, { waits: false });
      await waitUntil(moment, () => isReached(service));
      service.signal(signal);
      assert.equal(await service.exit(), 0, service.log);
      const { supervisor: _, ...left } = service.pids();
      assert.deepEqual(left, { gateway: 0, worker: 0, 'nats-server': 0 });
      assert.doesNotMatch(service.log, /did not stop in time|cannot continue/);
    });
  }
});

test('a start waits for the NATS servers of a list, and a signal ends it', async (t) => {
  const servers = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const natsUrl = servers.map((server) => `nats://ada:pass-word@${server}`).join(',');
  const service = await startService(t, { env: { TIDINGS_NATS_URL: natsUrl }, waits: false });
  // The service opens its operations port just before it waits for the NATS server.
  await waitUntil('it waits for the journal', () =>
    fetch(`${service.opsUrl}/healthz`).then(
      () => true,
      () => false,
    ),
  );
  const { code, output } = await service.run('doctor', '--offline');
  assert.equal(code, 1);
  for (const server of servers) assert.match(output, new RegExp(`^✗ NATS server ${server} does not answer: `, 'm'));
  assert.match(output, /^✗ no server of TIDINGS_NATS_URL answers$/m);
  service.signal('SIGTERM');
  assert.equal(await service.exit(), 0, service.log);
  assert.doesNotMatch(service.log + output, /pass-word/);
});
