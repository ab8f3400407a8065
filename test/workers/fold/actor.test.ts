/**
 * What an actor makes of its repository: names come from the newest delivery only, and the directory hears of each change
 * once.
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
  epoch,
  eventRecord,
  pullRecord,
  repositoryFields,
  resultRecord,
  tagRecord,
} from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const { id } = repositoryFields();

/** An event of host second `number` that names the repository so. */
function told(number: number, fields: Partial<EventRepository>): EventRecord {
  return pullRecord(number, { repository: repositoryFields(fields) });
}

test('takes a new name from a later event of any kind', async (t) => {
  const partition = openTestPartition(t);
  const renamed = tagRecord('v1', 2, { repository: repositoryFields({ fullName: 'acme/moon' }) });
  await foldRecords(partition, 1, told(1, {}), renamed);
  const { fullName, formerNames, revision } = readRepository(partition, id) ?? assert.fail();
  assert.deepEqual([fullName, formerNames, revision], ['acme/moon', ['acme/rocket'], 2]);
});

test('does not restore a name from a delayed event', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, told(1, {}), told(5, { fullName: 'acme/moon' }), told(3, {}));
  assert.equal(readRepository(partition, id)?.fullName, 'acme/moon');
});

test('does not restore a name that was there and back', async (t) => {
  const partition = openTestPartition(t);
  const between = { fullName: 'acme/moon', private: true };
  await foldRecords(partition, 1, told(1, {}), told(9, {}), told(5, between));
  const { fullName, private: isPrivate } = readRepository(partition, id) ?? assert.fail();
  assert.deepEqual([fullName, isPrivate], ['acme/rocket', false]);
});

test('remembers what the default branch was called, whichever event comes first', async (t) => {
  const at = (second: number) => epoch + second * 1000;
  const renamed = (second: number, from: string, to: string) =>
    eventRecord(
      { event: 'repository', action: 'edited', formerName: null, formerBranch: from, seenAt: at(second) },
      { repository: repositoryFields({ defaultBranch: to }) },
    );
  const events = [told(1, {}), renamed(3, 'main', 'trunk'), renamed(5, 'trunk', 'main'), renamed(7, 'main', 'next')];
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

test('keeps the default branch that a later event leaves out', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, told(1, { defaultBranch: 'trunk' }), told(2, { defaultBranch: null }));
  assert.equal(readRepository(partition, id)?.defaultBranch, 'trunk');
});

test('tells the directory of a repository once and of renames', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(
    partition,
    1,
    told(1, {}),
    told(2, {}),
    told(3, { fullName: 'acme/moon' }),
    told(4, { fullName: 'acme/moon' }),
  );
  const relays = rows<OutboxRow>(partition, 'outbox');
  assert.deepEqual(
    relays.map(({ effect }) => fullNameOf(effect)),
    ['acme/rocket', 'acme/moon'],
  );
});

test('lists in the directory what was relayed, once', async (t) => {
  const [partition, directory] = [openTestPartition(t), openTestPartition(t, 'directory')];
  await foldRecords(partition, 1, told(1, {}), told(3, { fullName: 'acme/moon' }));
  const relayed = rows<OutboxRow>(partition, 'outbox').map(({ number, effect }) => relayRecord(number, effect));
  // Relayed again after a crash: the first one must not bring the old name back.
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
