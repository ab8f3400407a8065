/**
 * Tests the collection of changes for live events: one change per object, the newest state, and a bounded number.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoldedEvent } from '../../../src/protocol/live-events.ts';
import { Changes } from '../../../src/store/changes.ts';
import {
  removeDirectoryRepository,
  writeDirectoryRepository,
  writeOrganization,
} from '../../../src/store/tables/directory.ts';
import { openTestPartition } from '../../helpers/partition.ts';

function publication(publicationId: string, status: 'pending' | 'completed'): FoldedEvent {
  const data = { repoId: 'repo_1', draftId: 'draft_1', publicationId, channel: 'hosted', status } as const;
  return { event: 'publication.status', data };
}

test('changes of one object become one event with the newest state', () => {
  const changes = new Changes();
  changes.note('pub_1', publication('pub_1', 'pending'));
  changes.note('pub_2', publication('pub_2', 'pending'));
  changes.note('pub_1', publication('pub_1', 'completed'));
  assert.deepEqual(changes.take(), {
    reset: false,
    events: [publication('pub_1', 'completed'), publication('pub_2', 'pending')],
  });
  assert.equal(changes.take(), undefined, 'nothing is returned twice');
});

test('several changes of a repository become one event, which names a change only if there is one', () => {
  const changes = new Changes();
  for (const change of ['push', 'push'] as const) changes.noteRepository('repo_1', change);
  for (const change of ['push', 'issues', 'push'] as const) changes.noteRepository('repo_2', change);
  assert.deepEqual(changes.take()?.events, [
    { event: 'repo.event', data: { repoId: 'repo_1', event: 'push' } },
    { event: 'repo.event', data: { repoId: 'repo_2' } },
  ]);
});

test('later changes are added to earlier ones', () => {
  const [changes, later] = [new Changes(), new Changes()];
  changes.noteRepository('repo_1', 'push');
  changes.note('pub_1', publication('pub_1', 'pending'));
  later.noteRepository('repo_1', 'tag');
  later.note('pub_1', publication('pub_1', 'completed'));
  changes.add(later);
  assert.deepEqual(changes.take(), {
    reset: false,
    events: [{ event: 'repo.event', data: { repoId: 'repo_1' } }, publication('pub_1', 'completed')],
  });
});

test('a repository that an organization loses is listed with the organization', () => {
  const [changes, later] = [new Changes(), new Changes()];
  later.noteLost({ repoId: 'repo_1', orgId: 'org_1' });
  changes.add(later);
  changes.noteLost({ repoId: 'repo_1', orgId: 'org_1' });
  assert.deepEqual(changes.take(), { reset: false, events: [], lost: [{ repoId: 'repo_1', orgId: 'org_1' }] });
  assert.equal(changes.take(), undefined);
});

test('the directory notes who loses a repository to another owner, or to its erasure', async (t) => {
  const changes = new Changes();
  const partition = { ...openTestPartition(t, 'directory'), changes };
  const row = { id: 'repo_1', orgId: 'org_1', hostId: '5', fullName: 'acme/app', defaultBranch: null, seenAt: 1 };
  const listed = { ...row, state: 'connected', installationId: null, createdAt: 0 } as const;
  await partition.root.transaction(() => {
    const owner = { login: 'acme', ownerId: '77', createdAt: 0, uninstalledAt: null };
    for (const id of ['org_1', 'org_2']) writeOrganization(partition, { id, origin: 'https://scm.example', ...owner });
    writeDirectoryRepository(partition, listed);
    writeDirectoryRepository(partition, { ...listed, seenAt: 2 });
  });
  assert.equal(changes.take()?.lost, undefined);
  await partition.root.transaction(() => {
    writeDirectoryRepository(partition, { ...listed, orgId: 'org_2' });
    removeDirectoryRepository(partition, 'repo_1');
    removeDirectoryRepository(partition, 'repo_unknown');
  });
  assert.deepEqual(changes.take()?.lost, [
    { repoId: 'repo_1', orgId: 'org_1' },
    { repoId: 'repo_1', orgId: 'org_2' },
  ]);
});

test('too many changes become the list of their repositories, and the collection begins again after it', () => {
  const changes = new Changes();
  for (let i = 0; i < 250; i++) changes.noteRepository(`repo_${i % 2}`, 'push');
  for (let i = 0; i < 498; i++) changes.note(`pub_${i}`, publication(`pub_${i}`, 'pending'));
  const full = new Changes();
  full.add(changes);
  assert.equal(changes.take()?.events.length, 500);
  full.noteLost({ repoId: 'repo_lost', orgId: 'org_1' });
  full.noteRepository('repo_more', 'push');
  full.note('pub_more', { ...publication('pub_more', 'pending') });
  full.noteLost({ repoId: 'repo_lost', orgId: 'org_2' });
  const sum = new Changes();
  sum.noteRepository('repo_sum', 'push');
  sum.add(full);
  const unlisted = { repoIds: ['repo_0', 'repo_1', 'repo_more'], orgIds: ['org_1', 'org_2'] };
  assert.deepEqual(full.take(), { reset: false, events: [], unlisted });
  const repoIds = ['repo_sum', ...unlisted.repoIds];
  assert.deepEqual(sum.take(), { reset: false, events: [], unlisted: { ...unlisted, repoIds } });
  full.noteRepository('repo_1', 'push');
  assert.equal(full.take()?.events.length, 1);
  assert.equal(full.take(), undefined);
});

test('changes in too many repositories become a reset for everyone', () => {
  const [changes, sum] = [new Changes(), new Changes()];
  for (let i = 0; i < 500; i++) changes.noteRepository(`repo_${i}`, 'push');
  assert.equal(changes.take()?.events.length, 500);
  for (let i = 0; i < 501; i++) changes.noteRepository(`repo_${i}`, 'push');
  changes.note('pub_1', publication('pub_1', 'pending'));
  sum.noteRepository('repo_1', 'push');
  sum.add(changes);
  for (const each of [changes, sum]) assert.deepEqual(each.take(), { reset: true, events: [] });
  assert.equal(changes.take(), undefined);
});

test('a collection that begins with a reset reports it once', () => {
  const changes = new Changes(true);
  changes.noteRepository('repo_1', 'push');
  assert.deepEqual(changes.take(), { reset: true, events: [] });
  assert.equal(changes.take(), undefined);
});
