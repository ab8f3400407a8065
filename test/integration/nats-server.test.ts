/**
 * Tests the nats-server that the supervisor runs. At its start, the supervisor can find processes that an earlier start
 * or another program has left. It adopts such a process, ends it, or ignores it.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../config/load.ts';
import { connectionFault, connectJournal } from '../../src/journal/connect.ts';
import { ensureStream, streamState } from '../../src/journal/topology.ts';
import { natsConfig } from '../../src/supervisor/nats-config.ts';
import {
  findNatsServer,
  localJournal,
  type NatsServer,
  NatsServerError,
  natsServerVersion,
  startNatsServer,
} from '../../src/supervisor/nats-server.ts';
import { superviseNats } from '../../src/supervisor/nats-supervision.ts';
import { afterwards, kill } from '../helpers/cleanup.ts';
import { externalSettings } from '../helpers/external-nats.ts';
import { killNats, prepareNats, quiet } from '../helpers/journal.ts';
import { streamBytes } from '../helpers/partition-stream.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

async function start(t: TestContext, dataDir: string, port: number): Promise<NatsServer> {
  const server = await startNatsServer(prepareNats(dataDir, port));
  afterwards(t, () => killNats(server));
  return server;
}

async function makeStream(dataDir: string, port: number): Promise<number> {
  const client = { role: 'supervisor', name: 'test' } as const;
  const journal = await connectJournal(localJournal(dataDir, port, 'supervisor'), client, quiet);
  await ensureStream(journal, 'p00', streamBytes);
  const { created } = await streamState(journal, 'p00');
  await journal.close();
  return Date.parse(created);
}

/** Starts a process that does not belong to the service and returns its id. */
function startStranger(t: TestContext): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  afterwards(t, () => kill(child));
  return child.pid as number;
}

test('a start adopts a server of the same folder and port', async (t) => {
  const [dataDir, port] = [temporaryFolder(t), await freePort()];
  const first = await start(t, dataDir, port);
  await makeStream(dataDir, port);
  const second = await start(t, dataDir, port);
  assert.deepEqual([second.pid, second.adopted], [first.pid, true]);
  await killNats(first);
  await second.exited;
});

test('a start ends a server of the same folder on another port', async (t) => {
  const [dataDir, port, other] = [temporaryFolder(t), await freePort(), await freePort()];
  const first = await start(t, dataDir, port);
  const made = await makeStream(dataDir, port);
  const second = await start(t, dataDir, other);
  await first.exited;
  assert.equal(second.adopted, false);
  assert.equal(await makeStream(dataDir, other), made);
});

for (const [what, text] of [
  ['no file', undefined],
  ['an empty file', ''],
  ['a number of another process', `${process.pid} 1`],
] as const) {
  test(`a start finds its server although its pid file is missing or wrong: ${what}`, async (t) => {
    const [dataDir, port, other] = [temporaryFolder(t), await freePort(), await freePort()];
    const first = await start(t, dataDir, port);
    const made = await makeStream(dataDir, port);
    const file = join(dataDir, 'nats-server.pid');
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    const second = await start(t, dataDir, port);
    assert.deepEqual([second.pid, second.adopted], [first.pid, true]);
    const third = await start(t, dataDir, other);
    await first.exited;
    assert.equal(third.adopted, false);
    assert.equal(await makeStream(dataDir, other), made);
  });
}

test('a start leaves programs alone that only have the configuration file as an argument', async (t) => {
  const [dataDir, port] = [temporaryFolder(t), await freePort()];
  const file = join(dataDir, 'nats/server.conf');
  // Two programs with the configuration file as an argument. They keep running, because they wait for input that never
  // arrives.
  const strangers = [spawn('grep', ['-c', file]), spawn('cat', ['-', file])];
  for (const child of strangers) afterwards(t, () => kill(child));
  assert.equal((await start(t, dataDir, port)).adopted, false);
  await makeStream(dataDir, port);
  for (const child of strangers) assert.equal(child.exitCode ?? child.signalCode, null);
});

test('a start leaves an unrelated process alone whose pid is in the pid file', async (t) => {
  const [dataDir, port] = [temporaryFolder(t), await freePort()];
  const stranger = startStranger(t);
  mkdirSync(join(dataDir, 'nats'));
  writeFileSync(join(dataDir, 'nats-server.pid'), `${stranger} ${port}\n`);
  const server = await start(t, dataDir, port);
  assert.equal(server.adopted, false);
  await makeStream(dataDir, port);
  process.kill(stranger, 0);
});

test('a start does not adopt another program on its port while its own server listens elsewhere', async (t) => {
  const [dataDir, port, elsewhere] = [temporaryFolder(t), await freePort(), await freePort()];
  const options = prepareNats(dataDir, port);
  mkdirSync(join(dataDir, 'nats'));
  const file = join(dataDir, 'nats/server.conf');
  writeFileSync(file, `listen: "127.0.0.1:${elsewhere}"`);
  const program = findNatsServer() as string;
  const env = { TIDINGS_NATS_LISTEN: `127.0.0.1:${port}` };
  const child = spawn(program, ['-c', file], { env, stdio: 'ignore' });
  afterwards(t, () => kill(child));
  await waitUntil('it listens elsewhere', () =>
    connectionFault(externalSettings(`nats://127.0.0.1:${elsewhere}`), 'cli').then((fault) => !fault),
  );
  writeFileSync(file, natsConfig(dataDir, natsServerVersion(program), options.users));
  const listener = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  afterwards(t, () => listener.close());
  const settings = loadSettings({ TIDINGS_DATA_DIR: dataDir, TIDINGS_NATS_PORT: String(port) });
  await assert.rejects(superviseNats(settings, quiet), (error: Error) => {
    assert.ok(error instanceof NatsServerError);
    return error.message.includes(`Port ${port} is taken by another program`);
  });
});

test('a start fails with a clear error when another program has the port', async (t) => {
  const [dataDir, port] = [temporaryFolder(t), await freePort()];
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  afterwards(t, () => listener.close());
  writeFileSync(join(dataDir, 'nats-server.pid'), `${process.pid} ${port}\n`);
  await assert.rejects(start(t, dataDir, port), (error: Error) => {
    assert.ok(error instanceof NatsServerError);
    return error.message.includes(`Port ${port} is taken`);
  });
});
