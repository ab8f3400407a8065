/**
 * What installations leave in the directory: repositories that move between owners in whatever order both apps tell of it,
 * long lists in parts, owners renamed and gone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ulid } from '../../../src/ids.ts';
import { toInstallation } from '../../../src/intake/installations.ts';
import type { InstallationRecord } from '../../../src/protocol/journal.ts';
import type { DirectoryRepository } from '../../../src/store/directory.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { epoch } from '../../helpers/partition-records.ts';

const origin = 'https://scm.example';
const acme = { id: 8, account: { login: 'acme', id: 77 } };
const umbra = { id: 9, account: { login: 'umbra', id: 78 } };
const rocket = { id: 1001, full_name: 'acme/rocket', private: false };

function told(delivery: string, event: string, payload: object): InstallationRecord[] {
  const bodies = toInstallation(event, payload, origin) ?? [];
  return bodies.map((body, part) => ({
    id: ulid(),
    at: epoch,
    kind: 'installation',
    delivery,
    source: '',
    part,
    body,
  }));
}

const states = (partition: Partition) =>
  rows<DirectoryRepository>(partition, 'directoryRepositories').map(({ fullName, state, installationId }) => [
    fullName,
    state,
    installationId,
  ]);

test('a repository that moved stays with its new owner in either order', async (t) => {
  const created = told('a', 'installation', { action: 'created', installation: acme, repositories: [rocket] });
  const removed = told('b', 'installation_repositories', {
    action: 'removed',
    installation: acme,
    repositories_removed: [rocket],
  });
  const added = told('c', 'installation_repositories', {
    action: 'added',
    installation: umbra,
    repositories_added: [rocket],
  });
  for (const [name, order] of Object.entries({ p00: [removed, added], p01: [added, removed] })) {
    const partition = openTestPartition(t, name);
    await foldRecords(partition, 1, ...created, ...order.flat());
    assert.deepEqual(states(partition), [['acme/rocket', 'connected', '9']], name);
  }
});

test('every part of a long list is folded, once', async (t) => {
  const repositories = Array.from({ length: 2001 }, (_, id) => ({ id, full_name: `acme/r${id}` }));
  const parts = told('a', 'installation', { action: 'created', installation: acme, repositories });
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, ...parts);
  assert.equal(states(partition).length, 2001);
  const again = told('a', 'installation', { action: 'deleted', installation: acme });
  await foldRecords(partition, 2, ...again);
  assert.equal(states(partition)[0]?.[1], 'connected', 'the same delivery again changes nothing');
});

test('a renamed owner renames what it owns, a removed app disconnects it', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(
    partition,
    1,
    ...told('a', 'installation', { action: 'created', installation: acme, repositories: [rocket] }),
    ...told('b', 'installation_target', {
      action: 'renamed',
      installation: { id: 8 },
      account: { login: 'apex', id: 77 },
    }),
  );
  assert.deepEqual(states(partition), [['apex/rocket', 'connected', '8']]);
  await foldRecords(partition, 2, ...told('c', 'installation', { action: 'deleted', installation: acme }));
  assert.equal(states(partition)[0]?.[1], 'disconnected');
});
