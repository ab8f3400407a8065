/**
 * Starts the service on a data directory of an earlier version of Tidings. That version used a token for its
 * nats-server, and this nats-server is still running. The start migrates the directory automatically and keeps the
 * records of the journal. A second test checks that deleted keys are made again.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import { findNatsServer } from '../../src/supervisor/nats-server.ts';
import { afterwards, kill } from '../helpers/cleanup.ts';
import { quiet } from '../helpers/journal.ts';
import { feed } from '../helpers/partition-owner.ts';
import { eventRecord, pullSnapshot } from '../helpers/partition-records.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small = { TIDINGS_PARTITIONS: '1', TIDINGS_WORKERS: '1', TIDINGS_RENDER_THREADS: '1' };
const maxBytes = 268_435_456;

/** The nats-server configuration that the earlier version of Tidings wrote. */
const formerConfig = `server_name: tidings
listen: $TIDINGS_NATS_LISTEN
max_payload: 8MB
max_connections: 256
write_deadline: "10s"
logfile_size_limit: 16MB
logfile_max_num: 2
logfile: $TIDINGS_NATS_LOG

authorization {
  token: $TIDINGS_NATS_TOKEN
}

jetstream {
  store_dir: $TIDINGS_NATS_STORE
  sync_interval: always
  max_memory_store: 64MB
  max_file_store: $TIDINGS_NATS_MAX_STORE
}
`;
const token = `t${'5e'.repeat(24)}`;

/** Starts a nats-server as the earlier version of Tidings did, and writes the files that this version left. */
async function startFormer(t: TestContext, dataDir: string, port: number): Promise<{ pid: number; journal: Journal }> {
  const folder = join(dataDir, 'nats');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(dataDir, 'nats-token'), `${token}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'server.conf'), formerConfig);
  const child = spawn(findNatsServer() as string, ['-c', join(folder, 'server.conf')], {
    env: {
      TIDINGS_NATS_LISTEN: `127.0.0.1:${port}`,
      TIDINGS_NATS_TOKEN: token,
      TIDINGS_NATS_STORE: JSON.stringify(join(folder, 'jetstream')),
      TIDINGS_NATS_MAX_STORE: '1073741824',
      TIDINGS_NATS_LOG: JSON.stringify(join(folder, 'server.log')),
    },
    stdio: 'ignore',
    detached: true,
  });
  afterwards(t, () => kill(child));
  writeFileSync(join(dataDir, 'nats-server.pid'), `${child.pid} ${port}\n`);
  const none = { natsCredentials: '', natsTlsCa: '', natsTlsCert: '', natsTlsKey: '', natsTlsFirst: false };
  const server = { natsUrl: `nats://${token}@127.0.0.1:${port}`, ...none };
  const journal = await connectJournal(server, { role: 'cli', name: 'test' }, quiet);
  afterwards(t, () => journal.close());
  return { pid: child.pid as number, journal };
}

async function titles(service: TestService): Promise<number> {
  const { body } = await service.api('GET', '/api/repos');
  return body.repos.length;
}

test('a data directory with a token and a running nats-server is migrated', async (t) => {
  const [dataDir, port] = [join(temporaryFolder(t), 'data'), await freePort()];
  const { pid, journal } = await startFormer(t, dataDir, port);
  for (const name of ['directory', 'p00']) await ensureStream(journal, name, maxBytes);
  const lane = feed(journal, 'p00');
  const pull = pullSnapshot(1, { title: 'Accepted by the earlier version' });
  await lane.enqueue(eventRecord({ event: 'pull_request', action: 'closed', pull }));
  await lane.close();
  await journal.close();

  const env = { ...small, TIDINGS_NATS_PORT: String(port), TIDINGS_JOURNAL_MAX_BYTES: String(maxBytes) };
  const service = await startService(t, { dataDir, env });
  assert.notEqual(service.pids()['nats-server'], pid, 'another server runs');
  assert.ok(!existsSync(`/proc/${pid}/exe`), 'the earlier server has ended');
  assert.ok(!existsSync(join(dataDir, 'nats-token')), 'the token is deleted');
  assert.doesNotMatch(readFileSync(join(dataDir, 'nats/server.conf'), 'utf8'), /TIDINGS_NATS_TOKEN/);
  await waitUntil('the record of the earlier version is folded', async () => (await titles(service)) === 1);
  assert.equal((await service.deliver('pull_request', pullPayload(2))).status, 202);
});

test('keys are readable by their owner only, and new ones are made when they were deleted', async (t) => {
  const first = await startService(t, { env: small });
  const keys = join(first.dataDir, 'journal-keys');
  const files = ['cli.nk', 'gateway.nk', 'server-cert.pem', 'server-key.pem', 'supervisor.nk', 'worker.nk'];
  const read = () => files.map((file) => readFileSync(join(keys, file), 'utf8'));
  const before = read();
  assert.equal(statSync(keys).mode & 0o777, 0o700);
  for (const file of files) assert.equal(statSync(join(keys, file)).mode & 0o777, 0o600, file);
  assert.equal((await first.deliver('pull_request', pullPayload(1))).status, 202);
  const server = first.pids()['nats-server'];
  // The nats-server continues to run with the former keys, as it does after a crash of the supervisor.
  await first.kill();
  rmSync(keys, { recursive: true });

  const { TIDINGS_NATS_PORT } = first.env;
  const second = await startService(t, {
    dataDir: first.dataDir,
    env: { ...small, TIDINGS_NATS_PORT } as typeof small,
  });
  assert.notEqual(second.pids()['nats-server'], server, 'the server with the former keys is replaced');
  for (const [i, text] of read().entries()) assert.notEqual(text, before[i], files[i]);
  await waitUntil('the records of the journal are folded', async () => (await titles(second)) === 1);
  assert.equal((await second.deliver('pull_request', pullPayload(2))).status, 202);
  assert.match(second.tidings('doctor'), /✓ journal connection: TLS, a signature/);
});
