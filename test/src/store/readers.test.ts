/**
 * Reading what another process writes: never stale after the writer's word, and on to the next generation.
 */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { prepareGeneration, switchGeneration } from '../../../src/store/generation.ts';
import { readTime, writeTime } from '../../../src/store/meta.ts';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { Readers } from '../../../src/store/readers.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { startReader } from '../../helpers/partition-reader.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

async function write(partition: Partition, time: number): Promise<void> {
  await partition.write(() => writeTime(partition, time));
}

/** How often a reader process missed the commit it was told of. */
async function countStale(t: TestContext, mode: 'fresh' | 'held', rounds: number): Promise<number> {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  await write(partition, 1);
  const reader = startReader(t, dataDir, 'p00', mode);
  await reader.time();
  let stale = 0;
  for (let time = 2; time <= rounds; time++) {
    await write(partition, time);
    if ((await reader.time()) !== time) stale += 1;
  }
  return stale;
}

test('sees each commit another process has told of', async (t) => {
  assert.equal(await countStale(t, 'fresh', 3000), 0);
});

test('would miss commits if reads were not renewed', async (t) => {
  // Shows that the test above can fail: without it a green run would prove nothing.
  const stale = await countStale(t, 'held', 300);
  assert.ok(stale > 0, `${stale} stale reads`);
});

test('moves on to a new generation when told', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = openTestPartition(t, 'p00', dataDir);
  await write(first, 1);
  const readers = new Readers(dataDir);
  afterwards(t, () => readers.close());
  assert.equal(readTime(readers.fresh('p00') as Partition), 1);
  switchGeneration(dataDir, 'p00', prepareGeneration(dataDir, 'p00'));
  await write(openTestPartition(t, 'p00', dataDir), 2);
  assert.equal(readTime(readers.fresh('p00') as Partition), 1);
  await readers.follow('p00');
  assert.deepEqual([readTime(readers.fresh('p00') as Partition), readers.generation('p00')], [2, 2]);
});

test('moves on to a file that took the place of its own', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = openTestPartition(t, 'p00', dataDir);
  await write(first, 1);
  const readers = new Readers(dataDir);
  afterwards(t, () => readers.close());
  assert.equal(readTime(readers.fresh('p00') as Partition), 1);
  renameSync(join(dataDir, 'partitions/p00'), join(dataDir, 'partitions/gone'));
  const second = openPartition(dataDir, 'p00');
  afterwards(t, () => second.close());
  await write(second, 2);
  await readers.follow('p00');
  assert.equal(readTime(readers.fresh('p00') as Partition), 2);
});

test('has nothing to read before the owner made it', (t) => {
  const readers = new Readers(temporaryFolder(t));
  assert.equal(readers.fresh('p00'), undefined);
});
