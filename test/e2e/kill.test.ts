/**
 * Kills processes under load, one by one and together. The service recovers automatically, every delivery with a 2xx
 * reply is stored exactly once, and each store equals the fold of its journal.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertReplays } from '../helpers/partition-journal.ts';
import { Load } from '../helpers/partition-load.ts';
import { type Part, type ServiceOptions, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small: ServiceOptions = {
  env: { TIDINGS_PARTITIONS: '2', TIDINGS_WORKERS: '1', TIDINGS_BATCH_RECORDS: '16', TIDINGS_RENDER_THREADS: '1' },
};

/**
 * Kills processes and waits until the service is ready again and accepts deliveries. Returns how long this took, in
 * milliseconds.
 */
async function killAndHeal(service: TestService, load: Load, parts: readonly Part[]): Promise<number> {
  const before = await service.killParts(...parts);
  const started = performance.now();
  await waitUntil(`${parts.join(' and ')} run again`, () => {
    const now = service.pids();
    return parts.every((part) => now[part] !== 0 && now[part] !== before[part]);
  });
  await service.ready();
  await load.progress(1);
  return performance.now() - started;
}

async function end(t: TestContext, service: TestService, load: Load): Promise<void> {
  await load.finish();
  await load.check(service);
  assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
  assert.equal(await service.stop(), 0);
  await assertReplays(t, service.dataDir, ['directory', 'p00', 'p01']);
}

test('a kill of each part loses nothing', async (t) => {
  const service = await startService(t, small);
  const load = new Load(service);
  // The second kill of a part hits a process that was already restarted once.
  const rounds: Part[] = ['worker', 'gateway', 'nats-server', 'worker', 'nats-server'];
  const healed: Partial<Record<Part, number>> = {};
  for (const part of rounds) {
    await load.progress(60);
    const ms = await killAndHeal(service, load, [part]);
    healed[part] = Math.max(healed[part] ?? 0, Math.round(ms));
  }
  t.diagnostic(`healed within, in milliseconds: ${JSON.stringify(healed)}; ${load.acknowledged} deliveries`);
  await end(t, service, load);
});

test('a kill of several parts together loses nothing', async (t) => {
  const service = await startService(t, small);
  const load = new Load(service);
  for (const parts of [
    ['worker', 'nats-server'],
    ['gateway', 'worker'],
    ['gateway', 'nats-server', 'worker'],
  ] as const) {
    await load.progress(60);
    t.diagnostic(`${parts.join(', ')}: ${Math.round(await killAndHeal(service, load, parts))} ms`);
  }
  await end(t, service, load);
});

test('the service continues after a pause of the worker', async (t) => {
  const service = await startService(t, small);
  const load = new Load(service);
  await load.progress(60);
  const { worker } = service.pids();
  process.kill(worker, 'SIGSTOP');
  const since = performance.now();
  // While the worker is paused, the service accepts deliveries, because the journal does not wait for the worker.
  while (performance.now() - since < 5000) await load.progress(5);
  process.kill(worker, 'SIGCONT');
  await load.progress(60);
  assert.equal(service.pids().worker, worker);
  await end(t, service, load);
});
