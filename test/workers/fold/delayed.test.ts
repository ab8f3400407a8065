/**
 * Checks events of organizations that are over their limit. Each of these events waits until its due time. Later events
 * of the same repository wait until the delayed event is folded. Only the passing of time releases a waiting event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { countDelayed, lastDue } from '../../../src/store/tables/delayed.ts';
import { deliveryKey, isFolded } from '../../../src/store/tables/deliveries.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { epoch, poisonRecord, pullRecord, repositoryFields, tickRecord } from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const due = (seconds: number) => ({ due: epoch + seconds * 1000 });
const tick = (seconds: number) => tickRecord(epoch + seconds * 1000);

function folded(partition: Partition, ...numbers: number[]): number[] {
  return numbers.filter((number) => readPull(partition, repoId, number));
}

test('releases each event when its due time is reached', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1, due(10)), pullRecord(2, due(20)));
  assert.deepEqual(folded(partition, 1, 2), []);
  await foldRecords(partition, 2, tick(9));
  assert.equal(countDelayed(partition), 2);
  await foldRecords(partition, 3, tick(10));
  assert.deepEqual(folded(partition, 1, 2), [1]);
  await foldRecords(partition, 4, tick(60));
  assert.deepEqual(folded(partition, 1, 2), [1, 2]);
  assert.equal(lastDue(partition, pullRecord(1)), undefined);
});

test('later events of a repository wait for its earlier ones', async (t) => {
  const partition = openTestPartition(t);
  const other = repositoryFields({}, 1);
  await foldRecords(partition, 1, pullRecord(1, due(20)), pullRecord(2), pullRecord(3, due(5)));
  await foldRecords(partition, 2, pullRecord(4, { repository: other }));
  assert.equal(readPull(partition, other.id, 4)?.number, 4);
  await foldRecords(partition, 3, tick(19));
  assert.deepEqual(folded(partition, 1, 2, 3), []);
  await foldRecords(partition, 4, tick(20));
  assert.deepEqual(folded(partition, 1, 2, 3), [1, 2, 3]);
});

test('releases events in the order of the journal', async (t) => {
  const partition = openTestPartition(t);
  // All events have the same time at the host. The current and former names of the repository show that all four events
  // were folded.
  const named = (name: string, fields = {}) =>
    pullRecord(1, { ...fields, repository: repositoryFields({ fullName: `acme/${name}` }) });
  await foldRecords(partition, 1, named('a', due(10)), named('b', due(10)));
  await foldRecords(partition, 2, named('c', due(3)), poisonRecord(due(10)), named('d'));
  await foldRecords(partition, 3, tick(10));
  const { formerNames, fullName } = readRepository(partition, repoId) ?? assert.fail();
  assert.deepEqual([...formerNames, fullName], ['acme/a', 'acme/b', 'acme/c', 'acme/d']);
});

test('any record moves the time, not only ticks', async (t) => {
  const partition = openTestPartition(t);
  const other = repositoryFields({}, 1);
  await foldRecords(partition, 1, pullRecord(1, due(10)));
  await foldRecords(partition, 2, pullRecord(2, { repository: other, at: epoch + 10_000 }));
  assert.deepEqual(folded(partition, 1), [1]);
});

test('does not fold a delayed delivery twice', async (t) => {
  const partition = openTestPartition(t);
  const delayed = pullRecord(1, due(10));
  await foldRecords(partition, 1, delayed, { ...pullRecord(1), delivery: delayed.delivery });
  assert.equal(countDelayed(partition), 1);
  await foldRecords(partition, 2, tick(10), { ...pullRecord(1), delivery: delayed.delivery });
  assert.equal(countDelayed(partition), 0);
});

test('an event that fails on release becomes a dead letter, and the others are folded', async (t) => {
  const partition = openTestPartition(t);
  const poison = poisonRecord(due(10));
  await foldRecords(partition, 1, pullRecord(1, due(10)), poison, pullRecord(2, due(11)));
  await foldRecords(partition, 2, tick(30));
  assert.deepEqual(folded(partition, 1, 2), [1, 2]);
  assert.deepEqual(
    listDeadLetters(partition).map(({ seq, index, record }) => [seq, index, record.id]),
    [[1, 1, poison.id]],
  );
  assert.equal(isFolded(partition, keyOf(poison)), false);
  assert.equal(lastDue(partition, pullRecord(1)), undefined);
});

function keyOf({ delivery, body, source, part }: EventRecord): string {
  return deliveryKey(delivery, body.event, source, part);
}
