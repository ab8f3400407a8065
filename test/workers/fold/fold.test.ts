/**
 * Checks the fold: the effect of a failing record, and which deliveries count as folded. Also checks that a fault of
 * the store rolls back everything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownKindError } from '../../../src/foundation/unreachable.ts';
import type { EventRecord, JournalRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { deliveryKey, isFolded } from '../../../src/store/tables/deliveries.ts';
import { readCursor } from '../../../src/store/tables/meta.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { listTags } from '../../../src/store/tables/tags.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { dump, foldRecords, openTestPartition, toMessages } from '../../helpers/partition.ts';
import {
  branchPush,
  eventRecord,
  poisonRecord,
  pullRecord,
  repositoryFields,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;

test('a record that throws becomes a dead letter, and the others are folded', async (t) => {
  const partition = openTestPartition(t);
  const poison = poisonRecord();
  await foldBatch(partition, toMessages([[pullRecord(1), poison, pullRecord(2)], [pullRecord(3)]]));
  assert.deepEqual(
    [1, 2, 3, 666].map((number) => readPull(partition, repoId, number)?.number),
    [1, 2, 3, undefined],
  );
  const [letter, ...others] = listDeadLetters(partition);
  assert.deepEqual([letter?.seq, letter?.index, letter?.record.id, others.length], [1, 1, poison.id, 0]);
  assert.equal(readCursor(partition).seq, 2);
});

test('a record that throws late leaves nothing behind', async (t) => {
  const [clean, hit] = [openTestPartition(t), openTestPartition(t, 'p01')];
  const around = [pullRecord(1), pullRecord(2)] as const;
  // This record throws after the fold has renamed its repository and written the relay to the directory.
  const poison = poisonRecord({ repository: repositoryFields({ fullName: 'acme/renamed' }) });
  await foldBatch(clean, toMessages([[around[0]], [around[1]]]));
  await foldBatch(hit, toMessages([[around[0]], [poison], [around[1]]].slice(0, 2)));
  await foldBatch(hit, [{ seq: 2, records: [around[1]] }]);
  const without = dump(hit).replace(/^deadLetters .*\n/gm, '');
  assert.equal(without, dump(clean));
});

test('a delivery that became a dead letter can be folded again', async (t) => {
  const partition = openTestPartition(t);
  const poison = poisonRecord();
  await foldRecords(partition, 1, poison);
  assert.equal(isFolded(partition, keyOf(poison)), false);
  await foldRecords(partition, 2, { ...pullRecord(1), delivery: poison.delivery });
  assert.equal(readPull(partition, repoId, 1)?.title, 'Change 1');
  assert.equal(isFolded(partition, keyOf(poison)), true);
});

test('folds a repeated delivery once', async (t) => {
  const partition = openTestPartition(t);
  const first = pullRecord(1);
  await foldRecords(partition, 1, first);
  const again: EventRecord = { ...pullRecord(1), delivery: first.delivery };
  if (again.body.event === 'pull_request') again.body.pull.title = 'Another title';
  await foldRecords(partition, 2, again, again);
  assert.equal(readPull(partition, repoId, 1)?.title, 'Change 1');
});

test('a replay removes its dead letter', async (t) => {
  const partition = openTestPartition(t);
  const poison = poisonRecord();
  await foldRecords(partition, 1, pullRecord(1), poison);
  const mended = { ...pullRecord(2), delivery: poison.delivery, replayed: { seq: 1, index: 1 } };
  await foldRecords(partition, 2, mended);
  assert.deepEqual(listDeadLetters(partition), []);
  assert.equal(readPull(partition, repoId, 2)?.number, 2);
});

test('a replay that fails again leaves one dead letter in its place, with one more attempt', async (t) => {
  const partition = openTestPartition(t);
  const poison = poisonRecord();
  await foldRecords(partition, 1, poison);
  const places = () => listDeadLetters(partition).map(({ seq, index, attempts }) => [seq, index, attempts]);
  assert.deepEqual(places(), [[1, 0, 1]]);
  for (const seq of [2, 3]) await foldRecords(partition, seq, { ...poison, replayed: { seq: 1, index: 0 } });
  assert.deepEqual(places(), [[1, 0, 3]]);
  await foldRecords(partition, 4, { ...pullRecord(1), replayed: { seq: 1, index: 0 } });
  await foldRecords(partition, 5, { ...poison, replayed: { seq: 1, index: 0 } });
  assert.deepEqual(places(), [], 'a replay without its dead letter is not folded');
});

test('replays an event although its delivery was folded since', async (t) => {
  const partition = openTestPartition(t);
  const poison = poisonRecord();
  await foldRecords(partition, 1, poison);
  // The host retried the delivery before a person replayed the dead letter.
  await foldRecords(partition, 2, { ...pullRecord(1), delivery: poison.delivery });
  await foldRecords(partition, 3, { ...pullRecord(2), delivery: poison.delivery, replayed: { seq: 1, index: 0 } });
  assert.deepEqual(listDeadLetters(partition), []);
  assert.equal(readPull(partition, repoId, 2)?.number, 2);
});

const poisons: [string, () => unknown][] = [
  ['a name longer than a key', () => tagRecord('v'.repeat(4000), 1)],
  [
    'a branch longer than a key',
    () => eventRecord({ event: 'push', push: branchPush(0, 1, { branch: 'b'.repeat(4000) }) }),
  ],
  ['an event without a body', () => ({ ...pullRecord(9), body: undefined })],
  ['a body without its event', () => ({ ...pullRecord(9), body: { event: 'push' } })],
  ['a command without its fields', () => ({ id: 'x', at: 1, kind: 'command', command: { name: 'publish' } })],
  ['a result without a body', () => ({ id: 'x', at: 1, kind: 'result' })],
  ['a result without its fields', () => ({ id: 'x', at: 1, kind: 'result', body: { result: 'rendered', row: 1 } })],
];

for (const [what, make] of poisons) {
  test(`${what} becomes a dead letter, and other records are folded`, async (t) => {
    const partition = openTestPartition(t);
    await foldRecords(partition, 1, pullRecord(1), make() as JournalRecord, pullRecord(2));
    assert.equal(readPull(partition, repoId, 2)?.number, 2);
    assert.equal(listDeadLetters(partition).length, 1);
  });
}

const later: [string, () => unknown][] = [
  ['a kind of record', () => ({ ...pullRecord(9), kind: 'lease' })],
  ['an event', () => ({ ...pullRecord(9), body: { event: 'release' } })],
  ['a command', () => ({ id: 'x', at: 1, kind: 'command', command: { name: 'later' } })],
  ['a result', () => ({ id: 'x', at: 1, kind: 'result', body: { result: 'later', row: 1 } })],
  ['a relay', () => ({ id: 'x', at: 1, kind: 'relay', source: 'p01', row: 1, body: { relay: 'later' } })],
];

for (const [what, make] of later) {
  test(`${what} of a later version stops the partition and changes nothing`, async (t) => {
    const partition = openTestPartition(t);
    await foldRecords(partition, 1, pullRecord(1));
    await assert.rejects(foldRecords(partition, 2, pullRecord(2), make() as JournalRecord), UnknownKindError);
    assert.equal(readPull(partition, repoId, 2), undefined);
    assert.deepEqual(listDeadLetters(partition), []);
    assert.equal(readCursor(partition).seq, 1);
  });
}

test('distinguishes tags with unusual names', async (t) => {
  const names = ['a', 'a/b', 'a\u0001b', 'a\u0000b', 'ä', '\u{1f680}', '0', '-1', ' ', 'v1.0\n', '\uffff'];
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, ...names.map((name, i) => tagRecord(name, i)));
  const other = repositoryFields({}, 1);
  await foldRecords(partition, 2, tagRecord('other', 1, { repository: other }));
  assert.deepEqual(new Set(listTags(partition, repoId).map((tag) => tag.name)), new Set(names));
  assert.deepEqual(listDeadLetters(partition), []);
});

test('distinguishes the parts of a push with a long delivery id', async (t) => {
  const partition = openTestPartition(t);
  const delivery = 'd'.repeat(900);
  const parts = [branchPush(0, 2), branchPush(2, 4)].map((push, part) =>
    eventRecord({ event: 'push', push }, { delivery, part }),
  );
  await foldRecords(partition, 1, ...parts);
  assert.equal(pushes(partition), 2);
});

test('rolls back the whole batch when the store fails', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  const before = dump(partition);
  const { pulls } = partition.tables;
  const put = pulls.putSync.bind(pulls);
  let calls = 0;
  pulls.putSync = ((...args: Parameters<typeof put>) => {
    calls += 1;
    if (calls === 3) throw Object.assign(new Error('MDB_CORRUPTED: Located page was wrong type'), { code: -30796 });
    return put(...args);
  }) as typeof pulls.putSync;
  const batch = toMessages([[pullRecord(2)], [pullRecord(3), pullRecord(4), pullRecord(5)]], 2);
  await assert.rejects(foldBatch(partition, batch), /MDB_CORRUPTED/);
  pulls.putSync = put;
  assert.equal(dump(partition), before);
  await foldBatch(partition, batch);
  assert.equal(readPull(partition, repoId, 5)?.number, 5);
});

function keyOf({ delivery, body, source, part }: EventRecord): string {
  return deliveryKey(delivery, body.event, source, part);
}

function pushes(partition: Partition): number {
  return partition.tables.pushes.getKeysCount({});
}
