/**
 * The directory's fold: organisations are known by the host's id of their owner, repositories by their own, keys by hash.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import {
  keyByHash,
  listDirectoryRepositories,
  listOrganisations,
  organisationByLogin,
  readDirectoryRepository,
  readKey,
} from '../../../src/store/tables/directory.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, keyFields, repositoryFields } from '../../helpers/partition-records.ts';

const { origin } = repositoryFields();
let rows = 0;

/** What p00 relays of a repository seen at second `seen`. */
function relayed(fields: Partial<EventRepository>, seen = 1, nth = 0): RelayRecord {
  rows += 1;
  const body = {
    relay: 'repositorySeen',
    repository: repositoryFields(fields, nth),
    seenAt: epoch + seen * 1000,
  } as const;
  return { id: `relay-${rows}`, at: epoch + seen * 1000, kind: 'relay', source: 'p00', row: rows, body };
}

function createKey(id: string, org: string | null): CommandRecord {
  return commandRecord({ name: 'createKey', org, origin, key: keyFields(id) } as never);
}

test('knows an organisation by its owner through a rename', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, relayed({}), relayed({ owner: { id: '77', login: 'acme-corp' } }, 2, 1));
  const [organisation, ...others] = listOrganisations(directory);
  assert.deepEqual([organisation?.login, others.length], ['acme-corp', 0]);
  assert.equal(organisationByLogin(directory, origin, 'acme'), undefined);
  assert.equal(listDirectoryRepositories(directory, organisation?.id ?? '').length, 2);
});

test('gives a login that was named first to its owner', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, createKey('key_1', 'Acme'), relayed({}));
  const [organisation, ...others] = listOrganisations(directory);
  assert.deepEqual([organisation?.ownerId, others.length], ['77', 0]);
  assert.equal(readKey(directory, 'key_1')?.orgId, organisation?.id);
});

test('does not give a taken login to another owner', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, relayed({}), relayed({ owner: { id: '88', login: 'acme' } }, 2, 1));
  assert.deepEqual(
    listOrganisations(directory)
      .map(({ ownerId }) => ownerId)
      .sort(),
    ['77', '88'],
  );
});

test('moves a transferred repository to its new organisation', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(
    directory,
    1,
    relayed({}),
    relayed({ owner: { id: '88', login: 'moon' }, fullName: 'moon/rocket' }, 2),
  );
  const moved = readDirectoryRepository(directory, repositoryFields().id);
  assert.deepEqual(
    [moved?.fullName, moved?.orgId],
    ['moon/rocket', organisationByLogin(directory, origin, 'moon')?.id],
  );
});

test('stores a key by hash and revokes it once', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const revoke = (at: number) => commandRecord({ name: 'revokeKey', keyId: 'key_1' } as never, epoch + at);
  await foldRecords(directory, 1, createKey('key_1', null), revoke(5), revoke(9));
  assert.deepEqual(
    [keyByHash(directory, 'hash-key_1')?.id, readKey(directory, 'key_1')?.revokedAt],
    ['key_1', epoch + 5],
  );
  const unknown = commandRecord({ name: 'revokeKey', keyId: 'key_none' } as never);
  await foldRecords(directory, 2, unknown);
  assert.equal(readResult(directory, unknown.id)?.ok, false);
});
