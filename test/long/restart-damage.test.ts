/**
 * Starts the service on damaged stores. A process that reads such a store can crash. Another test deletes the journal
 * of a running service.
 */
import assert from 'node:assert/strict';
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertPulls, Load } from '../helpers/partition-load.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { pauseProcess } from '../helpers/standstill.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const env = { TIDINGS_PARTITIONS: '1', TIDINGS_WORKERS: '1', TIDINGS_RENDER_THREADS: '1' };

function storeFile(service: TestService): string {
  return join(service.dataDir, 'partitions/p00/g000001/data.mdb');
}

for (const [what, damage] of [
  ['overwritten with garbage', (file: string) => writeFileSync(file, Buffer.alloc(400_000, 'garbage'))],
  ['cut short', (file: string) => truncateSync(file, 5000)],
] as const) {
  test(`the service recovers from a store that was ${what}`, async (t) => {
    const first = await startService(t, { env });
    const load = new Load(first);
    await load.progress(30);
    first.tidings('snapshot');
    await load.progress(30);
    await load.finish();
    assert.equal(await first.stop(), 0);
    damage(storeFile(first));
    const started = performance.now();
    const second = await startService(t, { env, dataDir: first.dataDir });
    t.diagnostic(`ready ${Math.round(performance.now() - started)} ms after the start`);
    await load.check(second);
    assert.ok(readdirSync(join(first.dataDir, 'partitions/p00')).includes('g000002'));
  });
}

test('a store that is deleted while the service runs is replaced', async (t) => {
  const service = await startService(t, { env });
  const load = new Load(service);
  await load.progress(30);
  await load.finish();
  const { worker } = service.pids();
  rmSync(storeFile(service));
  const started = performance.now();
  await waitUntil('another worker runs', () => ![0, worker].includes(service.pids().worker));
  await service.ready();
  t.diagnostic(`on a new store ${Math.round(performance.now() - started)} ms after the deletion`);
  // The gateway reads the new store, which contains everything that was delivered before the deletion.
  await load.check(service);
});

test('the service continues when its journal is deleted', async (t) => {
  const service = await startService(t, { env });
  await service.deliver('pull_request', pullPayload(1));
  await waitUntil('it is folded', async () => (await repositories(service)).length === 1);
  const id = (await repositories(service))[0]?.id ?? assert.fail();
  const server = service.pids()['nats-server'];
  assert.ok(server > 0);
  // Suspends the server, so that it writes no file while its folder is deleted.
  await pauseProcess(server);
  rmSync(join(service.dataDir, 'nats/jetstream'), { recursive: true, maxRetries: 5 });
  process.kill(server, 'SIGKILL');
  const started = performance.now();
  await waitUntil('a delivery is accepted', async () => {
    const answer = await service.deliver('pull_request', pullPayload(2)).catch(() => undefined);
    return answer?.status === 202;
  });
  t.diagnostic(`accepts deliveries again after ${Math.round(performance.now() - started)} ms`);
  await service.ready();
  await assertPulls(service, id, 2);
  assert.match(service.log, /journal was cut or replaced/);
});

test('the other partitions stay available when one is lost', async (t) => {
  const two = { ...env, TIDINGS_PARTITIONS: '2' };
  const first = await startService(t, { env: two });
  const load = new Load(first);
  for (const count of [30, 30]) {
    await load.progress(count);
    first.tidings('snapshot');
  }
  await load.finish();
  const all = (await repositories(first)).map(({ id }) => id);
  assert.equal(await first.stop(), 0);
  rmSync(join(first.dataDir, 'partitions/p00'), { recursive: true });
  const second = await startService(t, { env: two, dataDir: first.dataDir, waits: false });
  await waitUntil('the gateway answers', async () => (await repositories(second).catch(() => [])).length === 3);
  const ready = await fetch(`${second.opsUrl}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(second.log, /no readable snapshot reaches sequence/);
  assert.equal(await second.metric('tidings_partition_alarm'), 1);
  const answers = await Promise.all(
    all.map((repoId) =>
      second.api('POST', '/api/ranges', { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual([...new Set(statuses)], [201, 500]);
  assert.equal((await second.deliver('pull_request', pullPayload(1000))).status, 202);
});

async function repositories(service: TestService): Promise<{ id: string }[]> {
  return (await service.api('GET', '/api/repos')).body.repos;
}
