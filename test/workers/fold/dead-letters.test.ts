/**
 * Replays dead letters of every kind. Each dead letter is folded once, duplicate checks do not reject it, and it does
 * not overwrite newer changes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ulid } from '../../../src/foundation/ids.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import {
  listDirectoryRepositories,
  listOrganizations,
  readDirectoryRepository,
} from '../../../src/store/tables/directory.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { readMonth } from '../../../src/store/tables/usage.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  epoch,
  pullRecord,
  pullSnapshot,
  repositoryFields,
} from '../../helpers/partition-records.ts';

const repository = repositoryFields();
const month = new Date(epoch).toISOString().slice(0, 7);
const counted = { relay: 'counted', repoId: repository.id, counter: 'draftsGenerated', countedAt: epoch } as const;
const record = (fields: object): JournalRecord => ({ id: ulid(), at: epoch, ...fields }) as JournalRecord;
const relay = (row: number, body: unknown) => record({ kind: 'relay', source: 'p00', row, body });

/** Returns the record that replays the only dead letter. `fields` correct the fault of the letter. */
function mended(partition: Partition, fields: object): JournalRecord {
  const [letter] = listDeadLetters(partition);
  assert.ok(letter);
  const { seq, index } = letter;
  return { ...letter.record, ...fields, id: ulid(), replayed: { seq, index } } as JournalRecord;
}

test('a replayed relay counts once although later relays were folded', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, relay(1, { relay: 'repositorySeen', repository, seenAt: epoch }));
  await foldRecords(directory, 2, relay(2, null), relay(3, counted));
  const again = mended(directory, { body: counted });
  await foldRecords(directory, 3, again, { ...again, id: ulid() });
  const org = listOrganizations(directory)[0]?.id as string;
  assert.equal(readMonth(directory, org, month).draftsGenerated, 2);
  assert.deepEqual(listDeadLetters(directory), []);
  await foldRecords(directory, 4, relay(3, counted));
  assert.equal(readMonth(directory, org, month).draftsGenerated, 2, 'later rows are still known');
});

test('a replay carries out a command, and an installation whose delivery was repeated', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const command = { name: 'nameOrganisation', login: 'acme', origin: repository.origin };
  await foldRecords(directory, 1, record({ kind: 'command', command: null }));
  await foldRecords(directory, 2, mended(directory, { command }));
  assert.equal(listOrganizations(directory)[0]?.login, 'acme');

  const { id, hostId, fullName, owner, origin } = repository;
  const added = [{ id, hostId, fullName, private: false }];
  const body = { action: 'installed', origin, installationId: '9', owner, added, removed: [] };
  const delivery = { kind: 'installation', delivery: 'd-1', source: '' };
  await foldRecords(directory, 3, record({ ...delivery, body: { ...body, owner: null } }));
  await foldRecords(directory, 4, record({ ...delivery, body: { ...body, added: [] } }));
  await foldRecords(directory, 5, mended(directory, { body }));
  assert.equal(listDirectoryRepositories(directory, null).length, 1);
  assert.deepEqual(listDeadLetters(directory), []);
});

test('a replayed page is folded after its backfill has ended, if its repository exists', async (t) => {
  const partition = openTestPartition(t);
  const bodies = [{ event: 'pull_request' as const, action: 'backfilled', pull: pullSnapshot(7) }];
  await foldRecords(partition, 1, pullRecord(1), { ...backfilledRecord(bodies), job: 'over', bodies: 7 } as never);
  assert.equal(listDeadLetters(partition).length, 0, 'what is over is not looked at');
  await foldRecords(partition, 2, { ...backfilledRecord(bodies), job: null, bodies: 7 } as never);
  await foldRecords(partition, 3, mended(partition, { bodies, job: 'over' }));
  assert.equal(readPull(partition, repository.id, 7)?.number, 7);
});

test('a replayed erase order does not erase a newer incarnation of the repository', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1), relay(1, null));
  const erased = { relay: 'repositoryErased', repoId: repository.id };
  const again = mended(partition, { body: erased, at: epoch - 1 });
  await foldRecords(partition, 2, again);
  assert.ok(readRepository(partition, repository.id));
  await foldRecords(partition, 3, relay(2, erased));
  assert.equal(readRepository(partition, repository.id), undefined);
  assert.equal(readDirectoryRepository(partition, repository.id), undefined);
});
