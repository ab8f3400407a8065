/**
 * Checks that a claim ends when another organization is proved to be the owner. The order in which the records are
 * folded does not matter. The tests cover renames, claims that are no longer valid when they are folded, times in the
 * future, and events that wait.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withDefaults } from '../../../src/api/validate.ts';
import { dayMs } from '../../../src/foundation/days.ts';
import { newId } from '../../../src/foundation/ids.ts';
import type { SignedBy } from '../../../src/protocol/events.ts';
import type { InstallationRecord, JournalRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import { NotesSettingsSchema } from '../../../src/protocol/notes.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import { belongsToListed } from '../../../src/store/belonging.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { writeDeadLetter } from '../../../src/store/tables/dead-letters.ts';
import {
  type DirectoryRepository,
  isRefutedFor,
  type OrganizationRecord,
  organizationByLogin,
  organizationByOwner,
  readDirectoryRepository,
  readOrganization,
} from '../../../src/store/tables/directory.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { dueOrganizations } from '../../../src/store/tables/retention.ts';
import { organizationOf } from '../../../workers/render/organization.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  sweepRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';

const rocket = repositoryFields();
const { id: repoId, origin } = rocket;
const now = epoch + 600_000;
const ahead = now + 300_000;
const victim = repositoryFields({ fullName: 'victimcorp/private', owner: { id: '88', login: 'victimcorp' } });

/**
 * Opens a directory partition and a repository partition. `carry` delivers the relays of one partition to the other
 * partition.
 */
async function open(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  const partition = openTestPartition(t, 'p00');
  const seqs = new Map<Partition, number>();
  const relayed = new Map<Partition, number>();
  const fold = (into: Partition, ...records: JournalRecord[]) => {
    const seq = (seqs.get(into) ?? 0) + 1;
    seqs.set(into, seq);
    return foldRecords(into, seq, ...records);
  };
  const carry = async (from: Partition, to: Partition, at = now): Promise<number> => {
    const rows = listEffects(from, relayed.get(from) ?? 0, 100);
    for (const { number: row, effect } of rows) {
      relayed.set(from, row);
      if (effect.effect !== 'relay') continue;
      const record: RelayRecord = {
        ...({ id: `${from.name}-${row}`, at: Math.max(at, effect.at), kind: 'relay', source: from.name, row } as const),
        body: effect.body,
      };
      await fold(to, record);
    }
    return rows.length;
  };
  /** Delivers relays until none is left. */
  const settle = async (): Promise<void> => {
    while ((await carry(partition, directory)) + (await carry(directory, partition)) > 0);
  };
  await fold(directory, commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never));
  const acme = organizationByLogin(directory, origin, 'acme')?.id as string;
  const deliver = (
    number: number,
    repository: EventRepository,
    signedBy: SignedBy | undefined,
    updatedAt = now,
    at = now,
  ) => {
    const pull = pullSnapshot(number, { updatedAt });
    return fold(
      partition,
      eventRecord({ event: 'pull_request', action: 'closed', pull }, { at, repository, signedBy }),
    );
  };
  const listed = () => readDirectoryRepository(directory, repoId);
  const owners = () => ({
    listed: readOrganization(directory, listed()?.orgId ?? '')?.login,
    stored: readRepository(partition, repoId)?.owner.login,
    pulls: [1, 2, 3, 4].filter((number) => readPull(partition, repoId, number)),
  });
  return { directory, partition, fold, carry, settle, acme, deliver, listed, owners };
}

test('a claimant’s rename proves no claims, and its times do not count against proof', async (t) => {
  const { directory, fold, settle, acme, deliver, listed, owners } = await open(t);
  const own: SignedBy = { org: acme, proved: true };
  await deliver(1, rocket, own);
  await settle();
  // The host confirms that the claimant owns another repository: first under the old login, then under a new login.
  const other = repositoryFields({ fullName: 'acme/other' }, 1);
  await deliver(1, other, own);
  await settle();
  const asked = { result: 'ownerAnswered', repoId: other.id, orgId: acme, ownerId: '77', partitions: 64 } as const;
  for (const [login, askedAt] of [
    ['acme', now],
    ['acme-corp', now + 1],
  ] as const) {
    const answer = { confirmed: true, fullName: `${login}/other`, login } as const;
    await fold(directory, resultRecord({ ...asked, askedAt, answer }));
    await settle();
  }
  assert.deepEqual([listed()?.fullName, listed()?.claimed], ['acme-corp/rocket', true]);
  const reported = { ...rocket, fullName: 'acme-corp/rocket', owner: { id: '77', login: 'acme-corp' } };
  await deliver(2, { ...reported, defaultBranch: 'another' }, own, ahead);
  await settle();
  await deliver(3, victim, null);
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [3] });
});

/** Returns the record of a delivery about an installation. */
function installation(
  delivery: string,
  { owner, signedBy, added = [] }: { owner: EventRepository['owner']; signedBy: SignedBy; added?: EventRepository[] },
): InstallationRecord {
  return {
    ...({ id: delivery, at: now, kind: 'installation', delivery, source: '', partitions: 64, signedBy } as const),
    body: {
      ...({ action: 'installed', origin, installationId: '8', owner, removed: [] } as const),
      added: added.map(({ id, hostId, fullName }) => ({ id, hostId, fullName, private: true })),
    },
  };
}

test('a claim that is folded after it lost its basis binds neither number nor login', async (t) => {
  const { directory, fold, settle, acme, deliver } = await open(t);
  const wrong = repositoryFields({ fullName: 'acme/ghost', owner: { id: '88', login: 'acme' } }, 1);
  await deliver(1, wrong, { org: acme, proved: false });
  await settle();
  assert.equal(readOrganization(directory, acme)?.ownerId, '88');
  // Another claim with the same owner number is already sent. A delivery proves the owner before that claim is folded.
  await deliver(2, victim, null);
  await settle();
  const owner = { id: '88', login: 'victimcorp' };
  const hidden = repositoryFields({ fullName: 'victimcorp/hidden', owner }, 2);
  await fold(directory, installation('late', { owner, signedBy: { org: acme, proved: false }, added: [hidden] }));
  const { login, ownerId } = readOrganization(directory, acme) ?? {};
  assert.deepEqual([login, ownerId], ['acme', null]);
  assert.equal(
    organizationByLogin(directory, origin, 'victimcorp')?.id,
    organizationByOwner(directory, origin, '88')?.id,
  );
  assert.equal(readDirectoryRepository(directory, hidden.id), undefined);
});

test('events under the former owner’s own secret do not block a transfer', async (t) => {
  const { settle, acme, deliver, owners } = await open(t);
  await deliver(1, rocket, null, now - 10_000);
  await settle();
  const own: SignedBy = { org: acme, proved: true };
  await deliver(2, { ...rocket, defaultBranch: 'ahead' }, own, ahead);
  await settle();
  const moved = { ...rocket, fullName: 'victimcorp/rocket', owner: victim.owner };
  await deliver(3, moved, null, now + 1000);
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [1, 2, 3] });
  await deliver(4, { ...rocket, defaultBranch: 'ahead' }, own, ahead);
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [1, 2, 3] });
});

test('a claim that the directory does not list is not kept for the listed organization', async (t) => {
  const { directory, fold, settle, acme, deliver, owners } = await open(t);
  await fold(directory, commandRecord({ name: 'nameOrganisation', origin, login: 'victimcorp' } as never));
  const own = organizationByLogin(directory, origin, 'victimcorp')?.id as string;
  // Both claims on the repository were accepted while the directory listed no owner. The claim of victimcorp arrives in
  // the partition, and the claim of acme arrives in the directory.
  await deliver(1, victim, { org: own, proved: false });
  const signedBy: SignedBy = { org: acme, proved: false };
  await fold(directory, installation('first', { owner: rocket.owner, signedBy, added: [rocket] }));
  await settle();
  assert.deepEqual(owners(), { listed: 'acme', stored: undefined, pulls: [] });
});

test('proof that waits behind a claim is not erased with it', async (t) => {
  const { partition, fold, settle, acme, owners } = await open(t);
  const waiting = (number: number, repository: EventRepository, signedBy: SignedBy) => {
    const due = now + 60_000;
    return pullRecord(number, { at: now, due, repository, signedBy });
  };
  await fold(partition, waiting(1, rocket, { org: acme, proved: false }));
  for (const number of [2, 3]) await fold(partition, waiting(number, victim, null));
  await fold(partition, pullRecord(9, { at: now + 70_000, repository: repositoryFields({}, 1), signedBy: null }));
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [2, 3] });
});

test('waiting events under an organization’s own secret delay no one else', async (t) => {
  const { partition, fold, settle, acme, owners } = await open(t);
  const signedBy: SignedBy = { org: acme, proved: true };
  await fold(partition, pullRecord(1, { at: now, due: now + 86_400_000, repository: rocket, signedBy }));
  await fold(partition, pullRecord(4, { at: now, repository: rocket, signedBy }));
  await fold(partition, pullRecord(2, { at: now, repository: victim, signedBy: null }));
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [2] });
});

test('a claimant of an owner’s number takes render turns of its own', async (t) => {
  const { partition, deliver, acme } = await open(t);
  await deliver(1, victim, null);
  const ghost = repositoryFields({ fullName: 'acme/ghost', owner: { id: '88', login: 'acme' } }, 1);
  await deliver(2, ghost, { org: acme, proved: false });
  assert.notEqual(organizationOf(partition, ghost.id), organizationOf(partition, repoId));
});

test('a replayed proof does not replace a newer one', async (t) => {
  const { directory, fold, settle, deliver, owners } = await open(t);
  const moved = { ...rocket, fullName: 'victimcorp/rocket', owner: victim.owner };
  await deliver(1, rocket, null, now - 10_000);
  await deliver(2, moved, null);
  await settle();
  const body = { relay: 'repositorySeen', repository: rocket, seenAt: now - 10_000, claimedBy: null } as const;
  const letter: RelayRecord = { id: 'letter', at: now, kind: 'relay', source: 'p00', row: 1, body };
  const place = { seq: 1, index: 0 };
  await directory.write(() => writeDeadLetter(directory, { ...place, at: now, error: 'full', record: letter }));
  await fold(directory, { ...letter, replayed: place });
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [1, 2] });
});

test('a claimed installation takes no repository that another organization owns by then', async (t) => {
  const { directory, fold, settle, acme, deliver, owners, listed } = await open(t);
  await deliver(1, victim, null);
  await settle();
  const signedBy: SignedBy = { org: acme, proved: false };
  await fold(directory, installation('late', { owner: rocket.owner, signedBy, added: [rocket] }));
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [1] });
  assert.equal(listed()?.installationId, null);
});

test('a write that was meant for a claim changes nothing once the owner is proved', async (t) => {
  const { directory, partition, fold, settle, acme, deliver, listed } = await open(t);
  await deliver(1, rocket, { org: acme, proved: false });
  await settle();
  const incarnation = readRepository(partition, repoId)?.createdAt as number;
  await deliver(2, victim, null, now + 1000, now + 1000);
  await settle();
  const untouched = dump(partition);
  const settings = withDefaults(NotesSettingsSchema, {}) as never;
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2 } as const;
  const counts = { prCount: 0, issueCount: 0, resolution: 'window' } as const;
  const commands = [
    { name: 'putSettings', repoId, settings, life: incarnation },
    { name: 'createRange', rangeId: newId('range', 0), repoId, bounds, ...counts, life: incarnation },
    { name: 'cancelBackfill', repoId, life: incarnation },
  ] as const;
  const results = commands.map((command) => commandRecord(command));
  await fold(partition, ...results);
  for (const { id } of results) assert.equal((readResult(partition, id) as { kind?: string }).kind, 'notFound');
  const rowsOf = (text: string) => text.split('\n').filter((line) => !/^(results|meta) /.test(line));
  assert.deepEqual(rowsOf(dump(partition)), rowsOf(untouched));
  const unselect = { name: 'selectRepository', repoId, orgId: acme, selected: false };
  await fold(directory, commandRecord(unselect as never));
  assert.equal(listed()?.state, 'connected');
});

test('a claim is refuted for the owner that the host named, by number and unproved login', () => {
  const listed = { id: repoId, claimed: true, orgId: 'org_stale' } as DirectoryRepository;
  const reported = { confirmed: false, at: now, cause: 'login', ownerId: '88' } as const;
  const named = { ...listed, ownership: { ...reported, ownerLogin: 'victim-renamed' } };
  const claimant = { login: 'acme', ownerId: '88', ownerProof: 'claimed' } as OrganizationRecord;
  assert.equal(isRefutedFor(named, claimant, '88'), false, 'another one that claims the number of a renamed owner');
  assert.equal(isRefutedFor(named, { ...claimant, login: 'Victim-Renamed' }, '88'), true);
  assert.equal(isRefutedFor(named, { ...claimant, ownerProof: 'proved' }, '88'), true);
  assert.equal(isRefutedFor(named, { ...claimant, ownerProof: 'proved' }, '77'), false);
  assert.equal(
    isRefutedFor({ ...listed, ownership: reported }, claimant, '88'),
    true,
    'answers of earlier versions name no login',
  );
});

/** Removes the app of an owner, and erases its organization in the directory 32 days later. */
async function erased(
  { directory, fold }: Pick<Awaited<ReturnType<typeof open>>, 'directory' | 'fold'>,
  owner: EventRepository['owner'],
  signedBy: SignedBy,
): Promise<void> {
  const record = installation('gone', { owner, signedBy });
  await fold(directory, { ...record, body: { ...record.body, action: 'uninstalled' } });
  const monthLater = now + 32 * dayMs;
  await fold(directory, ...dailyTicks(now, monthLater));
  const organizations = dueOrganizations(directory, monthLater);
  assert.equal(organizations.length, 1);
  const sweep = { sweep: 'organisations' as const, organisations: organizations, partitions: 64, shares: [] };
  await fold(directory, sweepRecord(sweep, monthLater));
}

test('erasing a claimant takes nothing from the owner that was proved since', async (t) => {
  const world = await open(t);
  const { partition, settle, acme, deliver, owners, fold } = world;
  const own: SignedBy = { org: acme, proved: true };
  await deliver(1, rocket, own);
  await settle();
  await erased(world, rocket.owner, own);
  // The partition folds a delivery of the owner before it receives the erase order.
  await deliver(2, victim, null);
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [2] });

  // The directory partition may not know the owner yet. It would then list the repository without an owner. So the
  // repository's partition relays the repository again.
  const reported = () => listEffects(partition, 0, 100).length;
  const before = reported();
  const body = { relay: 'repositoryErased', repoId, orgId: acme, ownerId: null } as const;
  await fold(partition, { id: 'again', at: now, kind: 'relay', source: 'directory', row: 1000, body });
  assert.equal(reported(), before + 1);
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [2] });
  await fold(partition, {
    id: 'meant',
    at: now,
    kind: 'relay',
    source: 'directory',
    row: 1001,
    body: { ...body, ownerId: '88' },
  });
  assert.equal(owners().stored, undefined);
});

test('rows of an erased owner are hidden from a claimant until they are erased', async (t) => {
  const world = await open(t);
  const { directory, partition, settle, acme, deliver, listed, fold } = world;
  await deliver(1, victim, null);
  await settle();
  await erased(world, victim.owner, null);
  await settle();
  const signedBy: SignedBy = { org: acme, proved: false };
  await fold(directory, installation('claim', { owner: rocket.owner, signedBy, added: [rocket] }));
  const isShown = () => belongsToListed(directory, listed() as DirectoryRepository, partition);
  assert.equal(listed()?.orgId, acme);
  assert.ok(readPull(partition, repoId, 1), 'rows go piece by piece');
  assert.equal(isShown(), false);
  await fold(partition, sweepRecord({ sweep: 'more' }, now));
  assert.equal(readPull(partition, repoId, 1), undefined);
  assert.equal(isShown(), true);
});

test('an owner unknown to the directory is listed when it supersedes a refuted claim', async (t) => {
  const { directory, partition, carry, settle, acme, deliver, listed, owners, fold } = await open(t);
  await deliver(1, victim, undefined);
  // The directory does not receive the partition's relay, as if the relay had become a dead letter.
  await carry(partition, openTestPartition(t, 'elsewhere'));
  const signedBy: SignedBy = { org: acme, proved: false };
  await fold(directory, installation('claim', { owner: rocket.owner, signedBy, added: [rocket] }));
  const answer = { confirmed: false, cause: 'owner', ownerId: '88', ownerLogin: 'victimcorp' } as const;
  const asked = { result: 'ownerAnswered', repoId, orgId: acme, ownerId: '77', askedAt: now, partitions: 64 } as const;
  await fold(directory, resultRecord({ ...asked, answer }));
  await fold(directory, commandRecord({ name: 'nameOrganisation', origin, login: 'victimcorp' } as never));
  const org = organizationByLogin(directory, origin, 'victimcorp')?.id as string;
  await deliver(2, victim, { org, proved: false, supersedes: acme });
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [1, 2] });
  assert.equal(listed()?.claimed, undefined);
});

test('waiting deliveries of the owner survive the erasing of a claimant', async (t) => {
  const world = await open(t);
  const { partition, settle, acme, owners, fold } = world;
  const own: SignedBy = { org: acme, proved: true };
  const due = now + 40 * dayMs;
  await fold(partition, pullRecord(2, { at: now, repository: victim, signedBy: null, due }));
  await world.deliver(1, rocket, own);
  await settle();
  await erased(world, rocket.owner, own);
  await settle();
  assert.equal(owners().stored, undefined);
  await fold(partition, tickRecord(due));
  await settle();
  assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [2] });
});

test('an owner from an earlier version is not listed for a claimant of its number', async (t) => {
  for (const isNamed of [false, true]) {
    const { directory, settle, carry, acme, deliver, listed, owners, fold, partition } = await open(t);
    const claimed = { id: '88', login: 'acme' };
    await fold(directory, installation('claim', { owner: claimed, signedBy: { org: acme, proved: false } }));
    assert.equal(readOrganization(directory, acme)?.ownerId, '88');
    if (isNamed) {
      await fold(directory, commandRecord({ name: 'nameOrganisation', origin, login: 'victimcorp' } as never));
      const org = organizationByLogin(directory, origin, 'victimcorp')?.id as string;
      await fold(directory, installation('named', { owner: victim.owner, signedBy: { org, proved: false } }));
    }
    const named = organizationByLogin(directory, origin, 'victimcorp')?.id;
    await deliver(1, victim, undefined);
    await carry(partition, directory);
    assert.notEqual(listed()?.orgId, acme);
    if (isNamed) assert.equal(listed()?.orgId, named);
    assert.equal(readOrganization(directory, acme)?.login, 'acme');
    await settle();
    assert.deepEqual(owners(), { listed: 'victimcorp', stored: 'victimcorp', pulls: [1] });
  }
});
