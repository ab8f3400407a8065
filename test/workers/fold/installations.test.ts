/**
 * Checks the effect of installations on the directory: repositories that move between owners, long lists that arrive in
 * parts, and owners that are renamed or removed. The two deliveries of a move may arrive in either order.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ulid } from '../../../src/foundation/ids.ts';
import { toInstallation } from '../../../src/intake/installations.ts';
import type { InstallationRecord } from '../../../src/protocol/journal.ts';
import type { RelayBody } from '../../../src/protocol/relays.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { type DirectoryRepository, listOrganizations } from '../../../src/store/tables/directory.ts';
import { listRelays } from '../../../src/store/tables/outbox.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { epoch, eventRecord, pullRecord, pullSnapshot, repositoryFields } from '../../helpers/partition-records.ts';

const origin = 'https://scm.example';
const acme = { id: 8, account: { login: 'acme', id: 77 } };
const umbra = { id: 9, account: { login: 'umbra', id: 78 } };
const rocket = { id: 1001, full_name: 'acme/rocket', private: false };

function recordsOf(delivery: string, event: string, payload: object): InstallationRecord[] {
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

test('a moved repository stays with its new owner in either order', async (t) => {
  const created = recordsOf('a', 'installation', { action: 'created', installation: acme, repositories: [rocket] });
  const removed = recordsOf('b', 'installation_repositories', {
    action: 'removed',
    installation: acme,
    repositories_removed: [rocket],
  });
  const added = recordsOf('c', 'installation_repositories', {
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

test('folds every part of a long list once', async (t) => {
  const repositories = Array.from({ length: 2001 }, (_, id) => ({ id, full_name: `acme/r${id}` }));
  const parts = recordsOf('a', 'installation', { action: 'created', installation: acme, repositories });
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, ...parts);
  assert.equal(states(partition).length, 2001);
  const again = recordsOf('a', 'installation', { action: 'deleted', installation: acme });
  await foldRecords(partition, 2, ...again);
  assert.equal(states(partition)[0]?.[1], 'connected', 'the same delivery again changes nothing');
});

test('renaming an owner renames its repositories, and removing the app disconnects them', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(
    partition,
    1,
    ...recordsOf('a', 'installation', { action: 'created', installation: acme, repositories: [rocket] }),
    ...recordsOf('b', 'installation_target', {
      action: 'renamed',
      installation: { id: 8 },
      account: { login: 'apex', id: 77 },
    }),
  );
  assert.deepEqual(states(partition), [['apex/rocket', 'connected', '8']]);
  await foldRecords(partition, 2, ...recordsOf('c', 'installation', { action: 'deleted', installation: acme }));
  assert.equal(states(partition)[0]?.[1], 'disconnected');
});

test('an owner’s rename reaches partitions and links, and late events do not undo it', async (t) => {
  const [directory, partition] = [openTestPartition(t, 'directory'), openTestPartition(t)];
  const repository = repositoryFields();
  const body = 'Fixes apex/rocket#7, closes acme/rocket#8';
  const pull = pullSnapshot(1, { body });
  await foldRecords(partition, 1, eventRecord({ event: 'pull_request', action: 'opened', pull }));
  const { hostId: id, fullName: full_name } = repository;
  const installed = { action: 'created', installation: acme, repositories: [{ id: Number(id), full_name }] };
  const renamed = { action: 'renamed', installation: { id: 8 }, account: { login: 'apex', id: 77 } };
  const at = epoch + 60_000;
  const deliveries = [...recordsOf('a', 'installation', installed), ...recordsOf('b', 'installation_target', renamed)];
  await foldRecords(directory, 1, ...deliveries.map((record) => ({ ...record, at, partitions: 1 })));
  const [relay] = listRelays(directory, 9);
  assert.equal(relay?.effect.target, 'p00');
  const record = { id: ulid(), at, kind: 'relay' as const, source: 'directory', row: 1 };
  await foldRecords(partition, 2, { ...record, body: relay?.effect.body as RelayBody });
  const { fullName, url, owner, formerNames, revision } = readRepository(partition, repository.id) ?? assert.fail();
  assert.deepEqual([fullName, url, owner.login], ['apex/rocket', `${origin}/apex/rocket`, 'apex']);
  assert.deepEqual([formerNames, revision], [['acme/rocket'], 2]);
  assert.deepEqual(readPull(partition, repository.id, 1)?.linkedIssues, [7, 8]);

  // Two deliveries arrive late: both were sent before the rename. The first is about this repository, and the second is
  // about another repository.
  await foldRecords(partition, 3, pullRecord(2));
  assert.equal(readRepository(partition, repository.id)?.fullName, 'apex/rocket');
  const other = repositoryFields({ fullName: 'acme/moon' }, 1);
  const seen = { relay: 'repositorySeen' as const, repository: other, seenAt: epoch + 2000 };
  await foldRecords(directory, 2, { ...record, id: ulid(), source: 'p00', body: seen });
  assert.deepEqual(
    listOrganizations(directory).map(({ login }) => login),
    ['apex'],
  );
  // This delivery was sent after the rename. The owner was renamed again, so the delivery contains a newer login.
  const later = { ...seen, seenAt: at + 1000, repository: { ...other, owner: { id: '77', login: 'zenith' } } };
  await foldRecords(directory, 3, { ...record, id: ulid(), source: 'p00', row: 2, body: later });
  assert.deepEqual(
    listOrganizations(directory).map(({ login }) => login),
    ['zenith'],
  );
});

test('a repository that moved away is not renamed with its former owner', async (t) => {
  const partition = openTestPartition(t);
  const moved = repositoryFields({ owner: { id: '78', login: 'umbra' }, fullName: 'umbra/rocket' });
  await foldRecords(partition, 1, pullRecord(1, { repository: moved }));
  const body = { relay: 'ownerRenamed' as const, repoId: moved.id, ownerId: '77', login: 'apex' };
  const relay = { id: ulid(), at: epoch, kind: 'relay' as const, source: 'directory', row: 1 };
  await foldRecords(partition, 2, { ...relay, body }, { ...relay, row: 2, body: { ...body, repoId: 'repo_none' } });
  assert.equal(readRepository(partition, moved.id)?.fullName, 'umbra/rocket');
  assert.equal(rows(partition, 'repositories').length, 1);
});
