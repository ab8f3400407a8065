/** Tests the log of written rows: what a reader gets, also while the log is full. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Partition } from '../../../src/store/partition.ts';
import { LogReader, WriteLog } from '../../../src/store/write-log.ts';
import { openTestPartition } from '../../helpers/partition.ts';

const repoId = 'repo_1';
/** A key whose row takes about a tenth of a log of 2,000 bytes. */
const keyOf = (number: number): string => `${number} ${'x'.repeat(150)}`;

function write(partition: Partition, ...numbers: number[]): Promise<unknown> {
  return partition.write(() => {
    for (const number of numbers) partition.tables.commits.putSync([repoId, keyOf(number)], { number } as never);
  });
}

test('a reader gets the rows of a repository that were written after a place', async (t) => {
  const partition = openTestPartition(t);
  const log = new WriteLog();
  log.follow(partition);
  log.watch(repoId);
  const reader = new LogReader(log.memory);
  const place = reader.committed();
  log.begin(1);
  await write(partition, 1);
  assert.deepEqual(reader.committed(), place, 'the batch has not ended');
  assert.deepEqual(reader.rowsAfter(place, repoId), [{ table: 'commits', key: [keyOf(1)] }]);
  log.end();
  assert.deepEqual(reader.rowsAfter(place, 'repo_2'), []);
  assert.deepEqual(reader.rowsAfter(reader.committed(), repoId), []);
});

test('a place in a batch whose rows are missing gives no rows', async (t) => {
  const partition = openTestPartition(t);
  const log = new WriteLog(2000);
  log.follow(partition);
  log.watch(repoId);
  const reader = new LogReader(log.memory);
  const before = reader.committed();
  log.begin(1);
  let during = before;
  await partition.write(() => {
    for (let number = 0; number < 15; number++)
      partition.tables.commits.putSync([repoId, keyOf(number)], { number } as never);
    during = reader.committed();
  });
  // The commit can be seen, but the log does not have all of its rows.
  assert.equal(reader.rowsAfter(before, repoId), undefined);
  assert.equal(reader.rowsAfter(during, repoId), undefined);
  log.end();
  assert.equal(reader.rowsAfter(during, repoId), undefined);
  const after = reader.committed();
  log.begin(2);
  await write(partition, 20);
  log.end();
  assert.deepEqual(reader.rowsAfter(after, repoId), [{ table: 'commits', key: [keyOf(20)] }]);
});

test('the rows of a repository are recorded until no preview was requested for 15 minutes', async (t) => {
  const partition = openTestPartition(t);
  let minutes = 0;
  const log = new WriteLog(undefined, () => minutes * 60_000);
  log.follow(partition);
  const first = log.watch(repoId);
  log.watch('repo_2');
  const reader = new LogReader(log.memory);
  const place = reader.committed();
  const fold = async (seq: number): Promise<void> => {
    log.begin(seq);
    await write(partition, seq);
    log.end();
  };
  minutes = 10;
  assert.equal(log.watch('repo_2').watch, first.watch + 1);
  minutes = 14;
  await fold(1);
  assert.equal(log.known(repoId)?.watch, first.watch);
  // A task that got the log just before may still run.
  minutes = 15.5;
  await fold(2);
  assert.equal(log.known(repoId), undefined);
  assert.equal(reader.rowsAfter(place, repoId)?.length, 2);
  minutes = 16;
  await fold(3);
  assert.equal(reader.rowsAfter(place, repoId)?.length, 2);
  assert.equal(log.known('repo_2')?.watch, first.watch + 1);
  // The rows that were not recorded belong to no period.
  assert.equal(log.watch(repoId).watch, first.watch + 2);
});
