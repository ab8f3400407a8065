/**
 * Checks how a partition folds a repository: the newest delivery decides the repository's name, and the directory
 * receives each change of the name once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readDirectoryRepository } from '../../../src/store/tables/directory.ts';
import type { OutboxRow } from '../../../src/store/tables/outbox.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  epoch,
  eventRecord,
  poisonRecord,
  pullRecord,
  repositoryFields,
  resultRecord,
  tagRecord,
} from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const { id } = repositoryFields();

/**
 * Returns an event that happened on the host `number` seconds after `epoch`. The event's repository has the given
 * fields.
 */
function reported(number: number, fields: Partial<EventRepository>): EventRecord {
  return pullRecord(number, { repository: repositoryFields(fields) });
}

test('a later event of any kind renames the repository', async (t) => {
  const partition = openTestPartition(t);
  const renamed = tagRecord('v1', 2, { repository: repositoryFields({ fullName: 'acme/moon' }) });
  await foldRecords(partition, 1, reported(1, {}), renamed);
  const { fullName, formerNames, revision } = readRepository(partition, id) ?? assert.fail();
  assert.deepEqual([fullName, formerNames, revision], ['acme/moon', ['acme/rocket'], 2]);
});

test('a delayed event does not restore the former name', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, reported(1, {}), reported(5, { fullName: 'acme/moon' }), reported(3, {}));
  assert.equal(readRepository(partition, id)?.fullName, 'acme/moon');
});

test('a delayed event does not restore a name that was used only in between', async (t) => {
  const partition = openTestPartition(t);
  const between = { fullName: 'acme/moon', private: true };
  await foldRecords(partition, 1, reported(1, {}), reported(9, {}), reported(5, between));
  const { fullName, private: isPrivate } = readRepository(partition, id) ?? assert.fail();
  assert.deepEqual([fullName, isPrivate], ['acme/rocket', false]);
});

test('stores the fields of a repository in one order, whichever becomes known first', async (t) => {
  const at = (second: number) => epoch + second * 1000;
  const renamed = (second: number) =>
    eventRecord(
      { event: 'repository', action: 'edited', formerName: null, formerBranch: 'main', seenAt: at(second) },
      { repository: repositoryFields({ defaultBranch: 'trunk' }), signedBy: null },
    );
  const owned = pullRecord(9, { at: at(9), signedBy: { org: 'org_1', proved: true } });
  const first = pullRecord(1, { signedBy: null });
  const orders: string[][] = [];
  for (const order of [
    [first, renamed(3), owned],
    [first, owned, renamed(3)],
  ]) {
    const partition = openTestPartition(t, 'p00', temporaryFolder(t));
    await foldRecords(partition, 1, ...order);
    orders.push(Object.keys(readRepository(partition, id) ?? {}));
  }
  assert.ok(orders[0]?.includes('provedAt') && orders[0]?.includes('formerBranches'));
  assert.deepEqual(orders[1], orders[0]);
});

test('stores former default branches in any order of events', async (t) => {
  const at = (second: number) => epoch + second * 1000;
  const renamed = (second: number, from: string, to: string) =>
    eventRecord(
      { event: 'repository', action: 'edited', formerName: null, formerBranch: from, seenAt: at(second) },
      { repository: repositoryFields({ defaultBranch: to }) },
    );
  const events = [
    reported(1, {}),
    renamed(3, 'main', 'trunk'),
    renamed(5, 'trunk', 'main'),
    renamed(7, 'main', 'next'),
  ];
  for (const order of [events, [...events].reverse()]) {
    const partition = openTestPartition(t, 'p00', temporaryFolder(t));
    await foldRecords(partition, 1, ...order);
    const { defaultBranch, formerBranches } = readRepository(partition, id) ?? assert.fail();
    assert.equal(defaultBranch, 'next');
    assert.deepEqual(formerBranches, [
      ['main', at(7)],
      ['trunk', at(5)],
    ]);
  }
});

test('keeps the default branch when a later event leaves it out', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, reported(1, { defaultBranch: 'trunk' }), reported(2, { defaultBranch: null }));
  assert.equal(readRepository(partition, id)?.defaultBranch, 'trunk');
});

test('relays a repository to the directory once, and again after a rename', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(
    partition,
    1,
    reported(1, {}),
    reported(2, {}),
    reported(3, { fullName: 'acme/moon' }),
    reported(4, { fullName: 'acme/moon' }),
  );
  const relays = rows<OutboxRow>(partition, 'outbox');
  assert.deepEqual(
    relays.map(({ effect }) => fullNameOf(effect)),
    ['acme/rocket', 'acme/moon'],
  );
});

test('the directory lists a relayed repository once', async (t) => {
  const [partition, directory] = [openTestPartition(t), openTestPartition(t, 'directory')];
  await foldRecords(partition, 1, reported(1, {}), reported(3, { fullName: 'acme/moon' }));
  const relayed = rows<OutboxRow>(partition, 'outbox').map(({ number, effect }) => relayRecord(number, effect));
  // Sends both relays twice, as after a crash. The repeated first relay must not restore the old name.
  await foldRecords(directory, 1, ...relayed, ...relayed);
  assert.equal(readDirectoryRepository(directory, id)?.fullName, 'acme/moon');
  await foldRecords(partition, 2, resultRecord({ result: 'relayed', target: 'directory', row: relayed.length }));
  assert.equal(outboxSize(partition), 0);
});

function relayRecord(row: number, effect: OutboxRow['effect']) {
  if (effect.effect !== 'relay') throw new Error('not a relay');
  return { id: `relay-${row}`, at: epoch, kind: 'relay' as const, source: 'p00', row, body: effect.body };
}

function outboxSize(partition: Partition): number {
  return rows(partition, 'outbox').length;
}

function fullNameOf(effect: OutboxRow['effect']): string | undefined {
  if (effect.effect !== 'relay' || effect.body.relay !== 'repositorySeen') return undefined;
  return effect.body.repository.fullName;
}

test('a repository has the time at which its newest delivery was received', async (t) => {
  const partition = openTestPartition(t);
  const received = () => readRepository(partition, id)?.lastEventAt;
  await foldRecords(partition, 1, { ...reported(1, {}), at: epoch + 5000 });
  assert.equal(received(), epoch + 5000);
  // The host's time of the second delivery is earlier, and that of the third is equal.
  await foldRecords(partition, 2, { ...reported(0, {}), at: epoch + 6000 });
  assert.equal(received(), epoch + 6000);
  await foldRecords(partition, 3, { ...reported(1, {}), at: epoch + 7000 });
  assert.equal(received(), epoch + 7000);
  await foldRecords(partition, 4, { ...reported(9, {}), at: epoch + 4000 });
  assert.equal(received(), epoch + 7000, 'a delivery that is folded late does not set the time back');
});

test('data that was read from the host are no event', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, { ...reported(1, {}), at: epoch + 5000 });
  await foldRecords(partition, 2, backfilledRecord([], { at: epoch + 90_000 }));
  const { lastEventAt, seenAt } = readRepository(partition, id) ?? assert.fail();
  assert.deepEqual([lastEventAt, seenAt], [epoch + 5000, epoch + 90_000]);
});

test('a time that is far ahead is replaced by that of the next delivery', async (t) => {
  const partition = openTestPartition(t);
  const yearMs = 365 * 86_400_000;
  await foldRecords(partition, 1, { ...reported(1, {}), at: epoch + yearMs }, { ...reported(2, {}), at: epoch + 5000 });
  assert.equal(readRepository(partition, id)?.lastEventAt, epoch + 5000);
});

test('a replayed record is no delivery', async (t) => {
  const partition = openTestPartition(t);
  const mended = { ...reported(2, {}), at: epoch + 9_000, replayed: { seq: 2, index: 0 } };
  await foldRecords(partition, 1, { ...reported(1, {}), at: epoch + 5000 });
  await foldRecords(partition, 2, poisonRecord());
  await foldRecords(partition, 3, mended);
  const { lastEventAt, seenAt } = readRepository(partition, id) ?? assert.fail();
  assert.deepEqual([lastEventAt, seenAt], [epoch + 5000, epoch + 2000]);
});
