/**
 * Checks render threads while the owner writes. An idle thread reads the newest state, and a busy thread reads a
 * complete state. Both continue normally when the memory map of the store grows.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RenderPool } from '../../../workers/render/pool.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { pullRecord, repositoryFields } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const repoId = repositoryFields().id;
const work = {
  task: 'preview',
  repoId,
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 100_000 },
} as const;
const acme = { organization: 'acme' };

test('idle threads read the newest state', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  const pool = new RenderPool(2, 120_000);
  afterwards(t, () => pool.close());
  for (let number = 1; number <= 250; number++) {
    await foldRecords(partition, number, pullRecord(number));
    const [one, other] = await Promise.all(
      ['acme', 'umbrella'].map((organization) => pool.run({ dataDir, partition: 'p00', work }, { organization })),
    );
    assert.deepEqual([one?.prCount, other?.prCount], [number, number]);
  }
});

test('reads whole batches while the owner writes and grows the map', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  const pool = new RenderPool(1, 120_000);
  afterwards(t, () => pool.close());
  await foldRecords(partition, 1, ...batch(0));
  const counts: number[] = [];
  let written = 1;
  const writing = (async () => {
    for (; counts.length < 30; written++) await foldRecords(partition, written + 1, ...batch(written));
  })();
  while (counts.length < 30) counts.push((await pool.run({ dataDir, partition: 'p00', work }, acme)).prCount);
  await writing;
  assert.deepEqual(
    counts.filter((count) => count % 20 !== 0),
    [],
  );
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  );
  assert.equal((await pool.run({ dataDir, partition: 'p00', work }, acme)).prCount, written * 20);
});

test('answers an organization before another one that asked earlier and more often', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  await foldRecords(partition, 1, pullRecord(1));
  const pool = new RenderPool(1, 120_000);
  afterwards(t, () => pool.close());
  const answered: string[] = [];
  const ask = async (organization: string): Promise<void> => {
    await pool.run({ dataDir, partition: 'p00', work }, { organization });
    answered.push(organization);
  };
  await Promise.all(['acme', 'acme', 'acme', 'acme', 'umbrella', 'initech'].map(ask));
  assert.deepEqual(answered, ['acme', 'acme', 'umbrella', 'initech', 'acme', 'acme']);
});

/**
 * Returns twenty pull requests of 10 KB each. Several such batches are many times larger than the memory map of a new
 * store, which is 128 KB.
 */
function batch(nth: number) {
  return Array.from({ length: 20 }, (_, i) => {
    const record = pullRecord(nth * 20 + i + 1);
    if (record.body.event === 'pull_request') record.body.pull.body = 'text '.repeat(2000);
    return record;
  });
}
