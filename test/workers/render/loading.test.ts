/**
 * Checks a render thread that takes long to load: the time limit of a task starts only when a thread has begun the
 * task.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterwards } from '../../helpers/cleanup.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { pullRecord, repositoryFields } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

/** Loading time of a thread. It is longer than a task's time limit together with the pool's grace period. */
const loadMs = 9000;
const limitMs = 3000;
const sleep = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${loadMs})`;

test('a thread that loads for longer than the limit carries out its first task', async (t) => {
  const dataDir = temporaryFolder(t);
  await foldRecords(openTestPartition(t, 'p00', dataDir), 1, pullRecord(1));
  // Threads inherit the options of this process, so each thread sleeps while it loads.
  process.execArgv.push('--import', `data:text/javascript,${encodeURIComponent(sleep)}`);
  const { RenderPool } = await import('../../../workers/render/pool.ts');
  const pool = new RenderPool(1, limitMs);
  afterwards(t, () => pool.close());
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;
  const work = { task: 'preview', repoId: repositoryFields().id, bounds } as const;
  const since = performance.now();
  const { prCount } = await pool.run({ dataDir, partition: 'p00', work }, { organization: 'acme' });
  assert.equal(prCount, 1);
  assert.ok(performance.now() - since > limitMs, 'the thread did load for long');
});
