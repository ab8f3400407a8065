/**
 * Checks how the fold decides who leads a partition, drops records of former leads, raises the fold version and keeps
 * the digest of the state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NamedDigest } from '../../../src/journal/snapshots.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { readDigest, readFoldVersion, readLead } from '../../../src/store/tables/lead.ts';
import { readCursor, readTime } from '../../../src/store/tables/meta.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { foldVersion, NewerFoldError } from '../../../workers/fold/lead.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { Digests } from '../../../workers/partition/digests.ts';
import { dump, foldRecords, openTestPartition, toMessages } from '../../helpers/partition.ts';
import {
  claimRecord,
  epoch,
  foldVersionRecord,
  poisonRecord,
  pullRecord,
  repositoryFields,
  tickRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const lifeOf = (partition: Partition) => readLead(partition)?.life;

test('the claim with the highest term makes the lead, and of equal terms the first', async (t) => {
  const partition = openTestPartition(t);
  assert.equal(readLead(partition), undefined);
  await foldRecords(partition, 1, claimRecord(1, 'a', 'one'), claimRecord(1, 'b', 'two'));
  assert.deepEqual(readLead(partition), { term: 1, life: 'a', node: 'one' });
  await foldRecords(partition, 2, claimRecord(3, 'c'));
  await foldRecords(partition, 3, claimRecord(2, 'd'));
  assert.equal(lifeOf(partition), 'c');
});

test('a record of a former lead changes nothing, not even the time of the partition', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, claimRecord(1, 'a'), { ...tickRecord(epoch + 1), term: 1 });
  await foldRecords(partition, 2, claimRecord(2, 'b'));
  const before = { time: readTime(partition), rows: rowsOf(partition) };
  const late: JournalRecord[] = [
    { ...tickRecord(epoch + 5_000_000), term: 1 },
    { ...pullRecord(1), term: 1 } as JournalRecord,
  ];
  await foldRecords(partition, 3, ...late);
  assert.deepEqual({ time: readTime(partition), rows: rowsOf(partition) }, before);
  assert.deepEqual(listDeadLetters(partition), []);
  await foldRecords(partition, 4, { ...tickRecord(epoch + 5_000_000), term: 2 });
  assert.equal(readTime(partition), epoch + 5_000_000);
});

test('a record of a lead that has not claimed yet is dropped, and a record without a term is folded', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, { ...tickRecord(epoch + 7), term: 1 });
  assert.equal(readTime(partition), 0);
  await foldRecords(partition, 2, tickRecord(epoch + 9));
  assert.equal(readTime(partition), epoch + 9);
});

test('a person may replay a dead letter of a former lead', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, claimRecord(1, 'a'), { ...poisonRecord(), term: 1 } as JournalRecord);
  await foldRecords(partition, 2, claimRecord(2, 'b'));
  assert.equal(listDeadLetters(partition).length, 1);
  const replay = { ...pullRecord(4), term: 1, replayed: { seq: 1, index: 1 } };
  await foldRecords(partition, 3, replay as JournalRecord);
  assert.equal(readPull(partition, repoId, 4)?.number, 4);
  assert.deepEqual(listDeadLetters(partition), []);
});

test('the fold version only rises, and an unknown version stops the partition', async (t) => {
  const partition = openTestPartition(t);
  assert.equal(readFoldVersion(partition), 0);
  await foldRecords(partition, 1, foldVersionRecord(foldVersion));
  await foldRecords(partition, 2, foldVersionRecord(0));
  assert.equal(readFoldVersion(partition), foldVersion);
  const newer = foldRecords(partition, 3, pullRecord(1), foldVersionRecord(foldVersion + 1));
  await assert.rejects(
    newer,
    (error) => error instanceof NewerFoldError && /Install a newer version/.test(error.message),
  );
  assert.equal(readPull(partition, repoId, 1), undefined);
  assert.equal(readCursor(partition).seq, 2);
});

test('the digest begins with fold version 1, and does not depend on how messages are grouped', async (t) => {
  const messages = toMessages([
    [pullRecord(1)],
    [foldVersionRecord(1)],
    [pullRecord(2), pullRecord(3)],
    [pullRecord(4)],
    [tickRecord(epoch + 10)],
    [poisonRecord(), pullRecord(6)],
    [pullRecord(7)],
  ]);
  const together = openTestPartition(t);
  await foldBatch(together, messages);
  const apart = openTestPartition(t);
  for (const message of messages) await foldBatch(apart, [message]);
  assert.equal(typeof readDigest(together), 'number');
  assert.equal(readDigest(together), readDigest(apart));
  assert.equal(dump(together), dump(apart));
  const never = openTestPartition(t);
  await foldBatch(never, toMessages([[pullRecord(1)], [pullRecord(2)]]));
  assert.equal(readDigest(never), undefined);
});

test('a record that only one node sets aside gives another digest from then on', async (t) => {
  const [own, other] = [openTestPartition(t), openTestPartition(t)];
  const start = toMessages([[foldVersionRecord(1)], [pullRecord(1)]]);
  await foldBatch(own, start);
  await foldBatch(other, start);
  assert.equal(readDigest(own), readDigest(other));
  // The same position with the same number of records: the first record fails on one node only.
  await foldRecords(own, 3, pullRecord(2), pullRecord(3));
  await foldRecords(other, 3, poisonRecord(), pullRecord(3));
  assert.notEqual(readDigest(own), readDigest(other));
  const next = toMessages([[pullRecord(4)], [tickRecord(epoch + 1)]], 4);
  await foldBatch(own, next);
  await foldBatch(other, next);
  assert.notEqual(readDigest(own), readDigest(other));
});

test('a batch reports the digest that a tick names, and keeps the own digest at that position', async (t) => {
  const partition = openTestPartition(t);
  const digests = new Digests();
  const fold = (seq: number, ...records: JournalRecord[]) => foldBatch(partition, [{ seq, records }], { digests });
  await fold(1, claimRecord(1, 'a'), foldVersionRecord(1));
  await fold(2, pullRecord(1));
  const { seq, value } = digests.newest as NamedDigest;
  assert.deepEqual({ seq, value }, { seq: 2, value: readDigest(partition) });
  const named = (digest: NamedDigest) => ({ ...tickRecord(epoch + 1), term: 1, digest }) as JournalRecord;
  const equal = await fold(3, pullRecord(2), named({ seq, value }));
  assert.deepEqual(equal.named, { term: 1, seq, value });
  assert.deepEqual(digests.named, [{ seq, value }]);
  assert.equal(equal.heardTerm, 1);
  // A process that was started again does not know the digests of messages that it folded before.
  const unknown = new Digests();
  assert.equal(
    (await foldBatch(partition, [{ seq: 4, records: [named({ seq: 2, value: 7 })] }], { digests: unknown })).named,
    undefined,
  );
  const other = (value + 1) >>> 0;
  const different = await fold(5, named({ seq, value: other }));
  assert.deepEqual(different.named, { term: 1, seq, value: other });
  assert.deepEqual(digests.named, [{ seq, value }], 'the own digest is kept');
});

/** The rows of a partition without its cursor, which every message moves. */
function rowsOf(partition: Partition): string {
  return dump(partition)
    .split('\n')
    .filter((line) => !line.startsWith('meta "cursor"'))
    .join('\n');
}
