/**
 * Checks that published notes survive the erasing of an organization whose app was removed. Only two things are kept:
 * the notes, and the records that are needed to show and delete the notes. A note is kept until a person deletes it or
 * the organization disables keeping notes.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { dayMs } from '../../../src/foundation/days.ts';
import { draftId as draftIdOf } from '../../../src/foundation/ids.ts';
import type { InstallationBody } from '../../../src/protocol/events.ts';
import type { JournalRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import type { RelayBody } from '../../../src/protocol/relays.ts';
import type { ResultBody } from '../../../src/protocol/results.ts';
import type { PullRecord, RepositoryRecord } from '../../../src/protocol/stored.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { foldedTables } from '../../../src/store/table-registry.ts';
import {
  isKeptAlone,
  listDirectoryRepositories,
  listKeys,
  listOrganizations,
} from '../../../src/store/tables/directory.ts';
import { listHostedNotes } from '../../../src/store/tables/hosted-notes.ts';
import { listRelays } from '../../../src/store/tables/outbox.ts';
import { readPolicy } from '../../../src/store/tables/policies.ts';
import { listPublications } from '../../../src/store/tables/publications.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { countErasures, dueOrganizations, isSweeping } from '../../../src/store/tables/retention.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import {
  branchPush,
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  keyFields,
  pullRecord,
  repositoryFields,
  resultRecord,
  sweepRecord,
  tagRecord,
} from '../../helpers/partition-records.ts';

const { origin, owner } = repositoryFields();
const [rocket, lab] = [repositoryFields(), repositoryFields({}, 1)];
const month = 30 * dayMs;
const end = epoch + month;

function installation(action: InstallationBody['action'], at: number): JournalRecord {
  const added = [rocket, lab].map(({ id, hostId, fullName }) => ({ id, hostId, fullName, private: false }));
  const body = { action, origin, installationId: '9', owner, added: action === 'installed' ? added : [], removed: [] };
  return {
    id: `i ${action} ${at}`,
    at,
    kind: 'installation',
    delivery: `${action} ${at}`,
    source: '',
    signedBy: null,
    body,
  };
}

/**
 * Opens a directory partition with one organization. The organization has channel connections, and its app was removed
 * 30 days ago.
 */
async function removed(t: TestContext): Promise<{ directory: Partition; orgId: string; sweep: Sweep }> {
  const directory = openTestPartition(t, 'directory');
  let seq = 1;
  const fold = (...records: JournalRecord[]) => foldRecords(directory, seq++, ...records);
  const key = commandRecord({ name: 'createKey', org: owner.login, origin, key: keyFields('a') } as never);
  await fold(installation('installed', epoch), key);
  const orgId = listOrganizations(directory)[0]?.id ?? assert.fail();
  const connection = { secrets: {}, settings: {}, receiver: '', createdAt: 0, updatedAt: 0, orgId };
  for (const [channel, repoId] of [
    ['hosted', null],
    ['hosted', rocket.id],
    ['hosted', lab.id],
    ['email', null],
  ])
    await fold(commandRecord({ name: 'putChannel', record: { ...connection, channel, repoId } } as never));
  await fold(installation('uninstalled', epoch), ...dailyTicks(epoch, end));
  const sweep: Sweep = (kept) => {
    const organizations = dueOrganizations(directory, end);
    return fold(
      sweepRecord({ sweep: 'organisations', organisations: organizations, partitions: 1, shares: [], kept }, end),
    );
  };
  return { directory, orgId, sweep };
}

type Sweep = (kept: string[]) => Promise<void>;

function channelsOf(directory: Partition): string[] {
  return [...directory.tables.channels.getKeys({})].map((key) => (key as string[]).slice(1).join(' ').trim()).sort();
}

function erasedRelays(directory: Partition): RelayBody[] {
  return listRelays(directory, 100).flatMap(({ effect: { body } }) =>
    body.relay === 'repositoryErased' ? [body] : [],
  );
}

test('the directory keeps only what is needed to show kept notes', async (t) => {
  const { directory, orgId, sweep } = await removed(t);
  await sweep([rocket.id]);
  const left = listDirectoryRepositories(directory, null);
  assert.deepEqual(
    left.map(({ id, state, keptSince }) => [id, state, keptSince]),
    [[rocket.id, 'disconnected', epoch]],
  );
  assert.deepEqual([listKeys(directory), listOrganizations(directory).length], [[], 1]);
  assert.deepEqual(channelsOf(directory), ['hosted', `${rocket.id} hosted`].sort());
  const relays = [
    { relay: 'repositoryErased', repoId: lab.id, orgId, ownerId: owner.id, login: 'acme' },
    { relay: 'repositoryErased', repoId: rocket.id, orgId, ownerId: owner.id, login: 'acme', keepPublished: true },
  ];
  assert.deepEqual(erasedRelays(directory), relays);
  assert.equal(isKeptAlone(directory, listOrganizations(directory)[0] ?? assert.fail()), true);

  const erasures = countErasures(directory);
  await sweep([rocket.id]);
  assert.deepEqual([erasedRelays(directory).length, countErasures(directory)], [2, erasures], 'once');
  await sweep([]);
  assert.deepEqual(
    [listOrganizations(directory), channelsOf(directory)],
    [[], []],
    'with the last note all of it goes',
  );
});

test('an organization that keeps no notes is erased completely, whatever the sweep lists', async (t) => {
  const { directory, orgId, sweep } = await removed(t);
  const set = (keepPublishedAfterUninstall: boolean, seq: number) =>
    foldRecords(
      directory,
      seq,
      commandRecord({ name: 'updateOrganisation', orgId, keepPublishedAfterUninstall } as never),
    );
  assert.equal(readPolicy(directory, orgId).keepPublishedAfterUninstall, true);
  await sweep([rocket.id]);
  assert.equal(listOrganizations(directory).length, 1);
  await set(false, 90);
  assert.equal(readPolicy(directory, orgId).keepPublishedAfterUninstall, false);
  const organizations = dueOrganizations(directory, end);
  const body = {
    sweep: 'organisations' as const,
    organisations: organizations,
    partitions: 1,
    shares: [],
    kept: [rocket.id],
  };
  await foldRecords(directory, 91, sweepRecord(body, end));
  assert.deepEqual([listOrganizations(directory), listDirectoryRepositories(directory, null)], [[], []]);
  assert.deepEqual(erasedRelays(directory).at(-1), {
    relay: 'repositoryErased',
    repoId: rocket.id,
    orgId,
    ownerId: owner.id,
    login: 'acme',
  });
});

test('a sweep of an earlier version erases everything', async (t) => {
  const { directory } = await removed(t);
  const organizations = dueOrganizations(directory, end);
  await foldRecords(
    directory,
    90,
    sweepRecord({ sweep: 'organisations', organisations: organizations, partitions: 1, shares: [] }, end),
  );
  assert.deepEqual([listOrganizations(directory), listDirectoryRepositories(directory, null)], [[], []]);
});

const rangeId = 'range_00000000000000000000000000aa';
const draftId = draftIdOf(rangeId, 'customer');
const more = () => sweepRecord({ sweep: 'more' }, end);

function erased(row: number, fields: object = { keepPublished: true }): RelayRecord {
  const body = { relay: 'repositoryErased', repoId: rocket.id, orgId: 'org_1', ownerId: owner.id, ...fields } as const;
  return { id: `erased-${row}`, at: end, kind: 'relay', source: 'directory', row, body };
}

/**
 * Opens a partition with a history of acme/rocket and two published notes: one on a page of this service, one in a
 * chat.
 */
async function published(
  t: TestContext,
): Promise<{ partition: Partition; fold: (...records: JournalRecord[]) => Promise<void> }> {
  const partition = openTestPartition(t);
  let seq = 1;
  const fold = (...records: JournalRecord[]) => foldRecords(partition, seq++, ...records);
  const command = (body: object) => fold(commandRecord(body as never));
  const result = (body: ResultBody) => fold(resultRecord(body, epoch));
  await fold(...Array.from({ length: 40 }, (_, i) => pullRecord(i + 1)), tagRecord('v1', 3));
  await fold(eventRecord({ event: 'push', push: branchPush(0, 9) }));
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 };
  const counts = { prCount: 9, issueCount: 0, resolution: 'window' };
  await command({ name: 'createRange', rangeId, repoId: rocket.id, bounds, ...counts });
  await command({ name: 'generateDraft', rangeId, draftId, persona: 'customer', ticket: 't' });
  await command({ name: 'updateDraft', draftId, bodyMd: 'Text of the draft.\n' });
  const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: '' };
  for (const [publicationId, channel] of [
    ['pub_page', 'hosted'],
    ['pub_chat', 'workspace_chat'],
  ] as const) {
    const what = { publicationId, draftId, revision: 1, channel, asDraft: false };
    await command({ name: 'publish', ...what, connection, pagesUrl: 'https://notes.example/' });
    await result({ result: 'publicationSending', publicationId, attempt: 1, by: 'life' });
    const page = { version: 'v1', persona: 'customer', html: '<p>Hello</p>', summary: '', date: epoch } as const;
    const outcome = { publicationId, attempt: 1, url: null, reference: 'v1', counts: {}, countsRanges: true } as const;
    await result({ result: 'published', ...outcome, ...(channel === 'hosted' && { page }) });
  }
  return { partition, fold };
}

test('a partition keeps only notes on pages and their publications', async (t) => {
  const { partition, fold } = await published(t);
  const { createdAt } = readRepository(partition, rocket.id) as RepositoryRecord;
  await fold(erased(1));
  while (isSweeping(partition)) await fold(more());
  assert.deepEqual(
    listHostedNotes(partition, rocket.id, 0, 9).map(({ version }) => version),
    ['v1'],
  );
  assert.deepEqual(
    listPublications(partition, rocket.id).map(({ id }) => id),
    ['pub_page'],
  );
  const kept = [
    'publicationReferences',
    'repositories',
    'revisions',
    'hostedNotes',
    'hostedNotesByDate',
    'publications',
    'publicationsByRepository',
    'publicationsByState',
  ];
  const machinery = ['meta', 'deliveries', 'results', 'relays', 'outbox', 'outboxKeys', 'retention', 'deadLetters'];
  for (const name of foldedTables) {
    const own = [...partition.tables[name].getRange({})].filter((row) => JSON.stringify(row).includes(rocket.id));
    if (!kept.includes(name) && !machinery.includes(name)) assert.deepEqual(own, [], name);
  }
  assert.equal(partition.responses.getKeysCount({}), 0);
  const references = [...partition.tables.publicationReferences.getKeys({})].map((key) => (key as string[])[1]);
  assert.deepEqual(references, ['hosted'], 'what names the version of a page stays');
  assert.ok((readRepository(partition, rocket.id)?.createdAt ?? 0) > createdAt, 'writes of its former life end');

  await fold(commandRecord({ name: 'deletePublication', publicationId: 'pub_page' }));
  assert.deepEqual(listHostedNotes(partition, rocket.id, 0, 9), [], 'a person can delete them');
  await fold(erased(2, {}));
  while (isSweeping(partition)) await fold(more());
  assert.equal(readRepository(partition, rocket.id), undefined);
});

test('a repository that is added again during its erasing keeps its new records', async (t) => {
  const { partition, fold } = await published(t);
  await fold(erased(1));
  await fold(pullRecord(77));
  while (isSweeping(partition)) await fold(more());
  assert.deepEqual(
    rows<PullRecord>(partition, 'pulls').map(({ number }) => number),
    [77],
  );
  assert.equal(listHostedNotes(partition, rocket.id, 0, 9).length, 1);
});

test('a repository that belongs to another owner by now keeps everything', async (t) => {
  const { partition, fold } = await published(t);
  await fold(erased(1, { keepPublished: true, ownerId: '999' }));
  assert.equal(isSweeping(partition), false);
  assert.equal(rows(partition, 'pulls').length, 40);
});
