/**
 * Tests reading a partition that another process writes: after a signal, reads return the newest state, and `follow()`
 * moves the reader to the next generation.
 */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { prepareGeneration, switchGeneration } from '../../../src/store/generation.ts';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { Readers } from '../../../src/store/readers.ts';
import { readTime, writeCursor, writeTime } from '../../../src/store/tables/meta.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { type ReaderMode, startReader } from '../../helpers/partition-reader.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

async function write(partition: Partition, time: number): Promise<void> {
  await partition.write(() => writeTime(partition, time));
}

/** Opens a partition, writes 1 as its time, and starts a process that reads the partition. */
async function beginReading(t: TestContext, mode: ReaderMode) {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  await write(partition, 1);
  return { partition, reader: startReader(t, dataDir, 'p00', mode) };
}

test('a reader sees each commit that another process has announced', async (t) => {
  const { partition, reader } = await beginReading(t, 'fresh');
  let stale = 0;
  for (let time = 2; time <= 1000; time++) {
    await write(partition, time);
    if ((await reader.time()) !== time) stale += 1;
  }
  assert.equal(stale, 0);
});

test('a reader sees a commit even if it has read earlier in the same request', async (t) => {
  const { partition, reader } = await beginReading(t, 'fresh');
  assert.deepEqual(await reader.around(() => write(partition, 2)), [1, 2]);
});

test('all reads of one turn see the same commit, and the next turn sees the newest commit', async (t) => {
  const { partition, reader } = await beginReading(t, 'current');
  assert.deepEqual(await reader.around(() => write(partition, 2)), [1, 1]);
  let stale = 0;
  for (let time = 3; time <= 300; time++) {
    await write(partition, time);
    if ((await reader.time()) !== time) stale += 1;
  }
  assert.equal(stale, 0);
});

test('a reader misses commits if its read transaction is not renewed', async (t) => {
  // Shows that the tests above can fail. Without this test, their success would prove nothing.
  const { partition, reader } = await beginReading(t, 'held');
  assert.deepEqual(await reader.around(() => write(partition, 2)), [1, 1]);
});

test('a reader moves to a new generation after follow()', async (t) => {
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

test('a reader moves to a file that replaced its own', async (t) => {
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

test('a reader gets undefined before the owner has created the partition', (t) => {
  const readers = new Readers(temporaryFolder(t));
  assert.equal(readers.fresh('p00'), undefined);
});

test('the sequence of a state changes with the state', async (t) => {
  const dataDir = temporaryFolder(t);
  const readers = new Readers(dataDir);
  afterwards(t, () => readers.close());
  assert.equal(readers.seq('p00'), -1);
  const partition = openTestPartition(t, 'p00', dataDir);
  readers.fresh('p00');
  assert.equal(readers.seq('p00'), 0);
  await partition.write(() => writeCursor(partition, { seq: 7, recordId: 'a' }));
  assert.equal(readers.seq('p00'), 0, 'the state of the last renewal');
  readers.fresh('p00');
  assert.equal(readers.seq('p00'), 7);
  await partition.write(() => writeCursor(partition, { seq: 8, recordId: 'b' }));
  readers.release('p00');
  assert.equal(readers.seq('p00'), 8, 'after a release, the state is read again');
});
