/**
 * Checks the fold of the directory. The directory identifies an organization by the owner's id on the host, a
 * repository by the repository's id on the host, and a key by its hash.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Identity } from '../../../src/protocol/identity.ts';
import type { CommandRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import {
  keyByHash,
  listDirectoryRepositories,
  listOrganizations,
  organizationByLogin,
  readDirectoryRepository,
  readKey,
} from '../../../src/store/tables/directory.ts';
import { readIdentity } from '../../../src/store/tables/meta.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, keyFields, repositoryFields } from '../../helpers/partition-records.ts';

const { origin } = repositoryFields();
let rows = 0;

/** Returns a relay of partition p00 about a repository that was seen at second `seen`. */
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

test('recognizes an organization by its owner after a rename', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, relayed({}), relayed({ owner: { id: '77', login: 'acme-corp' } }, 2, 1));
  const [organization, ...others] = listOrganizations(directory);
  assert.deepEqual([organization?.login, others.length], ['acme-corp', 0]);
  assert.equal(organizationByLogin(directory, origin, 'acme'), undefined);
  assert.equal(listDirectoryRepositories(directory, organization?.id ?? '').length, 2);
});

test('an organization named by its login is bound to the owner with that login', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, createKey('key_1', 'Acme'), relayed({}));
  const [organization, ...others] = listOrganizations(directory);
  assert.deepEqual([organization?.ownerId, others.length], ['77', 0]);
  assert.equal(readKey(directory, 'key_1')?.orgId, organization?.id);
});

test('another owner with the same login gets an organization of its own', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, relayed({}), relayed({ owner: { id: '88', login: 'acme' } }, 2, 1));
  assert.deepEqual(
    listOrganizations(directory)
      .map(({ ownerId }) => ownerId)
      .sort(),
    ['77', '88'],
  );
});

test('a transferred repository moves to its new organization', async (t) => {
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
    ['moon/rocket', organizationByLogin(directory, origin, 'moon')?.id],
  );
});

test('stores a key by its hash and revokes it once', async (t) => {
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

test('the identity of a cluster is stored once, and replaced only by a sender who has read it', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const identity = (webhookSecrets: string[]): Identity => ({
    ...{ cluster: 'c1', partitions: 4, digestKey: 'd', sealingKeys: ['s'], webhookSecrets, adminKey: 'k' },
  });
  let seq = 0;
  const set = async (webhookSecrets: string[], replaces: Identity | null) => {
    seq += 1;
    const command = { name: 'setIdentity', identity: identity(webhookSecrets), replaces } as const;
    const record = { ...commandRecord(command as never), id: `identity-${seq}` };
    await foldRecords(directory, seq, record);
    return readResult(directory, record.id);
  };
  assert.deepEqual(await set(['one'], null), { ok: true, value: identity(['one']) });
  assert.deepEqual(await set(['two'], null), { ok: true, value: identity(['one']) });
  assert.deepEqual(await set(['two'], identity(['three'])), { ok: true, value: identity(['one']) });
  assert.deepEqual(await set(['two'], identity(['one'])), { ok: true, value: identity(['two']) });
  assert.deepEqual(readIdentity(directory), identity(['two']));
});
