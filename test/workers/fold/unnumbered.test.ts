/**
 * Folds payloads without the numbers by which the host identifies repositories and owners, mixed with payloads that
 * contain these numbers. Both kinds of payload lead to the same repository and organization. A claim cannot set the
 * number of a proved repository or of a proved owner.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '../../../src/foundation/days.ts';
import { nameAsNumber, repositoryId } from '../../../src/foundation/ids.ts';
import type { SignedBy } from '../../../src/protocol/events.ts';
import type { InstallationRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { writeDeadLetter } from '../../../src/store/tables/dead-letters.ts';
import {
  type DirectoryRepository,
  isRefutedFor,
  listOrganizations,
  type OrganizationRecord,
  organizationByLogin,
  organizationByOwner,
  readDirectoryRepository,
  readOrganization,
  removeDirectoryRepository,
  writeOrganization,
} from '../../../src/store/tables/directory.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { idOfNumber, repositoryNamed } from '../../../src/store/tables/repository-names.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { dueOrganizations } from '../../../src/store/tables/retention.ts';
import { answerOf, withoutOthers } from '../../../workers/host/owners.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  commandRecord,
  dailyTicks,
  epoch,
  keyFields,
  pullRecord,
  repositoryFields,
  resultRecord,
  sweepRecord,
} from '../../helpers/partition-records.ts';

type Test = Parameters<typeof openTestPartition>[0];

const { origin } = repositoryFields();
const nameId = nameAsNumber('acme/app');
/** The repository, as described in a payload without ids. */
const named: EventRepository = {
  ...repositoryFields({ fullName: 'acme/app', url: `${origin}/acme/app`, defaultBranch: null }),
  ...{ id: repositoryId(origin, nameId), hostId: nameId, bare: true, owner: { id: 'name:acme', login: 'acme' } },
};
/**
 * The same repository in a payload with the host's ids. The object has the form that the edge puts into the journal
 * once the edge knows the repository by its name.
 */
const { bare: _, ...plain } = named;
const numbered: EventRepository = {
  ...plain,
  ...{ hostId: '5', owner: { id: '77', login: 'acme' }, private: true, url: `${origin}/web/acme/app` },
};

function openRepository(t: Test) {
  const partition = openTestPartition(t);
  let seq = 0;
  const fold = (number: number, repository: EventRepository, signedBy: SignedBy) =>
    foldRecords(partition, ++seq, pullRecord(number, { at: epoch + 60_000 + seq, repository, signedBy }));
  const stored = () => {
    const found = readRepository(partition, named.id);
    return { ...found, pulls: [1, 2, 3].filter((number) => readPull(partition, named.id, number) !== undefined) };
  };
  return { partition, fold, stored };
}

/** A directory partition that receives the relays of another partition one after another. */
class Directory {
  readonly partition: Partition;
  private row = 0;

  constructor(t: Test) {
    this.partition = openTestPartition(t, 'directory');
  }

  async see(repository: EventRepository, claimedBy: string | null = null): Promise<void> {
    this.row += 1;
    const seenAt = epoch + this.row * 1000;
    const body = { relay: 'repositorySeen', repository, seenAt, claimedBy } as const;
    const record: RelayRecord = {
      ...{ id: `relay-${this.row}`, at: seenAt, kind: 'relay', source: 'p00' },
      ...{ row: this.row, body },
    };
    await foldRecords(this.partition, this.row, record);
  }

  organization(login: string): string {
    return organizationByLogin(this.partition, origin, login)?.id ?? '';
  }
}

test('a repository known by its name adopts its number and keeps what bare payloads omit', async (t) => {
  for (const order of [
    [named, numbered, named],
    [numbered, named],
  ]) {
    const { fold, stored } = openRepository(t);
    for (const [i, repository] of order.entries()) await fold(i + 1, repository, null);
    const { hostId, owner, private: isPrivate, url, formerNames, pulls } = stored();
    assert.deepEqual([hostId, owner, isPrivate, url], ['5', numbered.owner, true, numbered.url]);
    assert.deepEqual([formerNames, pulls.length], [[], order.length]);
  }
});

test('a number with an older time is adopted and stays', async (t) => {
  const { fold, stored } = openRepository(t);
  await fold(3, named, null);
  await fold(1, numbered, null);
  assert.deepEqual([stored().hostId, stored().owner?.id], ['5', '77']);
  await fold(2, { ...numbered, hostId: '6' }, null);
  assert.equal(stored().hostId, '5');
});

test('a claim sets no number of a proved repository', async (t) => {
  const { partition, fold, stored } = openRepository(t);
  const claim: SignedBy = { org: 'org_acme', proved: false };
  await fold(1, named, null);
  await fold(3, { ...numbered, owner: { id: '99', login: 'acme' } }, claim);
  assert.deepEqual([stored().pulls, stored().hostId, stored().owner?.id], [[1, 3], nameId, 'name:acme']);
  await fold(2, { ...numbered, owner: { id: '99', login: 'other' } }, claim);
  assert.deepEqual(stored().pulls, [1, 3], 'another login');
  for (const { effect } of listEffects(partition, 0, 100)) {
    const { body } = effect as { body: { relay: string; repository?: EventRepository } };
    if (body.relay === 'repositorySeen') assert.equal(body.repository?.owner.id, 'name:acme');
  }
});

test('proof takes over a claim under the same login, and ends one with an unconfirmed number', async (t) => {
  const claim: SignedBy = { org: 'org_acme', proved: false };
  const { fold, stored } = openRepository(t);
  await fold(1, named, claim);
  await fold(2, numbered, null);
  assert.deepEqual([stored().claimedBy, stored().pulls, stored().hostId], [undefined, [1, 2], '5']);
  const other = openRepository(t);
  await other.fold(1, { ...named, owner: { id: '99', login: 'acme' } }, claim);
  await other.fold(2, named, null);
  assert.deepEqual([other.stored().pulls, other.stored().owner?.id], [[2], 'name:acme']);
});

test('a claim without numbers is kept if the owner’s number became known after its receipt', async (t) => {
  for (const claimedBy of ['acme', null]) {
    const directory = new Directory(t);
    const name = commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never);
    await foldRecords(directory.partition, 50, name);
    const acme = directory.organization('acme');
    const other = { ...numbered, id: 'repo_00other', hostId: '6', fullName: 'acme/other' };
    await directory.see(other, claimedBy && acme);
    await directory.see(named, acme);
    const listed = readDirectoryRepository(directory.partition, named.id);
    assert.deepEqual([listed?.orgId, listed?.claimed], [acme, true], claimedBy ? 'claimed' : 'proved');
    assert.equal(readOrganization(directory.partition, acme)?.ownerId, '77');
    assert.deepEqual([...listEffects(directory.partition, 0, 100)], [], 'the claim is not dropped');
  }
});

test('a claim without numbers is dropped if another organization has taken the login meanwhile', async (t) => {
  const directory = new Directory(t);
  await directory.see({ ...numbered, id: 'repo_00other', hostId: '6', fullName: 'acme/other' });
  const acme = directory.organization('acme');
  const owner = { id: '88', login: 'acme' };
  await directory.see({ ...numbered, id: 'repo_00next', hostId: '7', fullName: 'acme/next', owner });
  assert.notEqual(directory.organization('acme'), acme, 'the login belongs to another organization');
  await directory.see(named, acme);
  assert.equal(readDirectoryRepository(directory.partition, named.id), undefined);
  const relays = [...listEffects(directory.partition, 0, 100)].map(({ effect }) => JSON.stringify(effect));
  assert.match(relays.join(), /claimDropped/);
});

test('an organization known by its login adopts its number, in either order', async (t) => {
  const third = repositoryFields({ owner: numbered.owner }, 3);
  for (const order of [
    [named, third],
    [third, named],
  ]) {
    const directory = new Directory(t);
    for (const repository of order) await directory.see(repository);
    const [organization, ...others] = listOrganizations(directory.partition);
    assert.deepEqual([organization?.ownerId, organization?.login, others.length], ['77', 'acme', 0]);
    assert.equal(organizationByOwner(directory.partition, origin, '77')?.id, organization?.id);
    assert.equal(organizationByOwner(directory.partition, origin, 'name:acme'), undefined);
  }
});

test('a login that another number has taken does not change the known owner', async (t) => {
  const directory = new Directory(t);
  await directory.see(repositoryFields({ owner: numbered.owner }, 3));
  const former = directory.organization('acme');
  await directory.see(repositoryFields({ owner: { id: '88', login: 'acme' } }, 4));
  const { partition } = directory;
  const stale = readOrganization(partition, former) as OrganizationRecord;
  await partition.write(() => writeOrganization(partition, { ...stale, uninstalledAt: epoch }));
  await directory.see(named);
  const owner = readDirectoryRepository(directory.partition, named.id)?.orgId;
  assert.equal(owner, organizationByOwner(directory.partition, origin, '88')?.id, 'whoever bears the login now');
  assert.notEqual(owner, former);
});

test('a name does not prove a number that an organization only claims', async (t) => {
  const directory = new Directory(t);
  await foldRecords(
    directory.partition,
    50,
    commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never),
  );
  const acme = directory.organization('acme');
  await directory.see(repositoryFields({ owner: { id: '99', login: 'acme' } }, 3), acme);
  await directory.see(named);
  const organization = organizationByLogin(directory.partition, origin, 'acme');
  assert.deepEqual([organization?.id, organization?.ownerId, organization?.ownerProof], [acme, '99', 'claimed']);
  assert.equal(readDirectoryRepository(directory.partition, named.id)?.claimed, undefined);
  await directory.see(repositoryFields({ owner: { id: '99', login: 'victim' } }, 5));
  assert.notEqual(directory.organization('victim'), acme);
  assert.equal(organizationByLogin(directory.partition, origin, 'acme')?.ownerId, null);
});

test('a number leads to the repository that adopted it, until that is removed', async (t) => {
  const directory = new Directory(t);
  const { partition } = directory;
  await directory.see(named);
  assert.equal(repositoryNamed(partition, origin, 'Acme/App')?.id, named.id);
  assert.notEqual(idOfNumber(partition, repositoryId(origin, '5')), named.id);
  await directory.see(numbered);
  assert.equal(idOfNumber(partition, repositoryId(origin, '5')), named.id);
  await directory.see({ ...numbered, fullName: 'acme/renamed' });
  assert.equal(repositoryNamed(partition, origin, 'acme/app'), undefined);
  assert.equal(repositoryNamed(partition, origin, 'acme/renamed')?.id, named.id);
  await partition.write(() => removeDirectoryRepository(partition, named.id));
  assert.equal(idOfNumber(partition, repositoryId(origin, '5')), repositoryId(origin, '5'));
  assert.equal(repositoryNamed(partition, origin, 'acme/renamed'), undefined);
});

test('a number that is only claimed leads to no repository', async (t) => {
  const directory = new Directory(t);
  const { partition } = directory;
  await foldRecords(partition, 50, commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never));
  await directory.see(numbered, directory.organization('acme'));
  assert.equal(readDirectoryRepository(partition, named.id)?.claimed, true);
  assert.equal(idOfNumber(partition, repositoryId(origin, '5')), repositoryId(origin, '5'));
});

test('erasing an organization erases its repository that came without an owner number', async (t) => {
  const { partition, fold } = openRepository(t);
  await fold(1, named, null);
  const erase = (login: string, row: number): RelayRecord => ({
    ...{ id: `erased-${row}`, at: epoch + 90_000, kind: 'relay', source: 'directory', row },
    body: { relay: 'repositoryErased', repoId: named.id, orgId: 'org_1', ownerId: '77', login },
  });
  await foldRecords(partition, 10, erase('other', 1));
  assert.ok(readRepository(partition, named.id), 'it is another one’s by now');
  await foldRecords(partition, 11, erase('Acme', 2));
  assert.equal(readRepository(partition, named.id), undefined);
});

test('the host confirms a repository without a number only under its name and login', () => {
  const organization = { id: 'org_1', origin, login: 'acme', ownerId: 'name:acme', createdAt: 0, uninstalledAt: null };
  const cause = (fields: object) => {
    const found = { id: 9, full_name: 'acme/app', owner: { id: 77, login: 'acme' }, ...fields };
    const answer = answerOf(found as never, named, { ...organization, ownerProof: 'proved' });
    return answer.confirmed ? 'confirmed' : answer.cause;
  };
  assert.equal(cause({}), 'confirmed');
  assert.equal(cause({ full_name: 'acme/moved' }), 'missing');
  assert.equal(cause({ owner: { id: 77, login: 'other' } }), 'login');
});

test('the host’s answer sets an organization’s number, unless another one has it', async (t) => {
  for (const isTaken of [false, true]) {
    const directory = new Directory(t);
    const { partition } = directory;
    if (isTaken) await directory.see(repositoryFields({ fullName: 'old/x', owner: { id: '77', login: 'old' } }, 3));
    await directory.see(named);
    const organization = organizationByLogin(partition, origin, 'acme') as OrganizationRecord;
    const found = { id: 9, full_name: 'acme/app', owner: { id: 77, login: 'acme' } };
    const reported = answerOf(found as never, named, organization);
    assert.equal(withoutOthers(partition, organization, reported).confirmed, !isTaken);
    const body = { result: 'ownerAnswered', repoId: named.id, orgId: organization.id, ownerId: 'name:acme' } as const;
    const answered = { ...body, askedAt: epoch + 5000, partitions: 1, answer: reported };
    await foldRecords(partition, 50, resultRecord(answered, epoch + 5000));
    const after = readOrganization(partition, organization.id);
    assert.deepEqual([after?.ownerId, after?.ownerProof], [isTaken ? 'name:acme' : '77', 'proved']);
    if (isTaken) continue;
    const other = answerOf({ ...found, owner: { id: 88, login: 'acme' } } as never, named, after as OrganizationRecord);
    assert.equal(other.confirmed, false, 'the login is another owner’s by now');
  }
});

test('refuses a key for a login of several organizations and lists their ids', async (t) => {
  const directory = new Directory(t);
  const { partition } = directory;
  for (const [nth, id] of ['71', '72'].entries())
    await directory.see(repositoryFields({ fullName: `twin/app-${id}`, owner: { id, login: 'twin' } }, nth));
  const ids = listOrganizations(partition).map(({ id }) => id);
  const command = (org: string, fields: object) =>
    commandRecord({ name: 'createKey', org, origin, key: keyFields(`key_${org}`), ...fields } as never);
  const [refused, byId, earlier] = [
    command('Twin', { unambiguous: true }),
    command(ids[0] as string, { unambiguous: true }),
    command('twin', {}),
  ];
  await foldRecords(partition, 50, refused, byId, earlier);
  const [first, second, third] = [refused, byId, earlier].map(({ id }) => readResult(partition, id));
  assert.ok(first?.ok === false && first.kind === 'conflict' && ids.every((id) => first.message.includes(id)));
  assert.deepEqual([second?.ok, third?.ok], [true, true], 'a record of an earlier version folds as it did');
});

test('the next bearer of a login gets no id, rows or keys of the former one', async (t) => {
  const directory = new Directory(t);
  const { partition } = directory;
  await directory.see(named);
  await directory.see(numbered);
  const former = directory.organization('acme');
  await directory.see({ ...numbered, fullName: 'acme-inc/app', owner: { id: '77', login: 'acme-inc' } });
  const before = readOrganization(partition, former);
  const next = { ...named, hostId: 'name:acme/new', id: repositoryId(origin, 'name:acme/new'), fullName: 'acme/new' };
  await directory.see(next);
  assert.deepEqual(readOrganization(partition, former), before);
  assert.equal(directory.organization('acme-inc'), former);
  const orgId = readDirectoryRepository(partition, next.id)?.orgId;
  assert.equal(orgId, directory.organization('acme'));
  assert.notEqual(orgId, former);
});

test('naming a login again after its bearer was renamed creates another organization', async (t) => {
  const directory = new Directory(t);
  const { partition } = directory;
  const name = () => commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never);
  await foldRecords(partition, 50, name());
  const former = directory.organization('acme');
  await directory.see(numbered);
  await directory.see({ ...numbered, fullName: 'acme-inc/app', owner: { id: '77', login: 'acme-inc' } });
  const before = readOrganization(partition, former);
  assert.deepEqual([before?.ownerId, before?.login], ['77', 'acme-inc']);
  await foldRecords(partition, 51, name());
  assert.deepEqual(readOrganization(partition, former), before);
  assert.notEqual(directory.organization('acme'), former);
});

test('a relay without a number does not remove the known number', async (t) => {
  const directory = new Directory(t);
  const { partition } = directory;
  await directory.see(named);
  await directory.see(numbered);
  await directory.see({ ...named, defaultBranch: 'next' });
  assert.equal(readDirectoryRepository(partition, named.id)?.hostId, '5');
  assert.equal(idOfNumber(partition, repositoryId(origin, '5')), named.id);
});

test('an organization proved only by login is not the owner that the host names by number', () => {
  const ownership = { confirmed: false, at: 1, cause: 'owner', ownerId: '99', ownerLogin: 'victim' } as const;
  const listed = { claimed: true, ownership } as unknown as DirectoryRepository;
  const claimant = { login: 'acme', ownerProof: 'proved' } as OrganizationRecord;
  assert.equal(isRefutedFor(listed, { ...claimant, ownerId: 'name:acme' }, '99'), false);
  assert.equal(isRefutedFor(listed, { ...claimant, ownerId: '99' }, '99'), true);
});

/**
 * Returns the first relay of the given kind about the repository in the constant `named`. The relay comes from the
 * directory and has the form in which a partition receives it.
 */
function relayed(directory: Partition, relay: RelayRecord['body']['relay']): RelayRecord {
  const bodies = listEffects(directory, 0, 1000).flatMap(({ effect }) =>
    effect.effect === 'relay' ? [effect.body] : [],
  );
  const body = bodies.find((each) => each.relay === relay && 'repoId' in each && each.repoId === named.id);
  return {
    id: relay,
    at: epoch + 90_000,
    kind: 'relay',
    source: 'directory',
    row: 1,
    body: body ?? assert.fail(relay),
  };
}

/** Another repository of the same owner. */
const owned = repositoryFields({ fullName: 'acme/x', owner: numbered.owner }, 3);
const renamedOwner = { id: '77', login: 'acme-inc' };
function installation(action: 'renamed' | 'uninstalled', at: number): InstallationRecord {
  const body = { action, origin, installationId: '9', owner: renamedOwner, added: [], removed: [] };
  const reported = { delivery: `${action} ${at}`, source: '', signedBy: null, partitions: 1, body };
  return { id: `i ${action}`, at, kind: 'installation', ...reported };
}

test('a repository without its owner’s number follows a rename of the owner', async (t) => {
  const directory = new Directory(t);
  await directory.see(named);
  await directory.see(owned);
  await foldRecords(directory.partition, 50, installation('renamed', epoch + 60_000));
  const { partition, fold, stored } = openRepository(t);
  await fold(1, named, null);
  await foldRecords(partition, 10, relayed(directory.partition, 'ownerRenamed'));
  assert.deepEqual([stored().fullName, stored().owner], ['acme-inc/app', renamedOwner]);
  const other = openRepository(t);
  await other.fold(1, { ...named, fullName: 'other/app', owner: { id: 'name:other', login: 'other' } }, null);
  await foldRecords(other.partition, 10, relayed(directory.partition, 'ownerRenamed'));
  assert.equal(other.stored().fullName, 'other/app', 'it has moved to another owner');
});

test('an erased organization that was renamed leaves nothing to the next bearer of its login', async (t) => {
  const directory = new Directory(t);
  await directory.see(named);
  await directory.see(owned);
  await directory.see({ ...owned, fullName: 'acme-inc/x', owner: renamedOwner });
  const end = epoch + 90 * dayMs;
  await foldRecords(directory.partition, 50, installation('uninstalled', epoch), ...dailyTicks(epoch, end));
  const organizations = dueOrganizations(directory.partition, end);
  const sweep = sweepRecord({ sweep: 'organisations', organisations: organizations, partitions: 1, shares: [] }, end);
  await foldRecords(directory.partition, 51, sweep);
  const { partition, fold } = openRepository(t);
  await fold(1, named, null);
  await foldRecords(partition, 10, relayed(directory.partition, 'repositoryErased'));
  assert.equal(readRepository(partition, named.id), undefined);
});

test('a relay without the owner’s number does not move a repository with its login', async (t) => {
  const directory = new Directory(t);
  await directory.see(named);
  await directory.see(owned);
  const former = directory.organization('acme');
  await directory.see(repositoryFields({ fullName: 'acme/other', owner: { id: '88', login: 'acme' } }, 4));
  assert.notEqual(directory.organization('acme'), former);
  await directory.see({ ...named, defaultBranch: 'next' });
  const listed = readDirectoryRepository(directory.partition, named.id);
  assert.deepEqual([listed?.orgId, listed?.defaultBranch], [former, 'next']);
  await directory.see({ ...named, fullName: 'twin/app', owner: { id: 'name:twin', login: 'twin' } });
  assert.equal(
    readDirectoryRepository(directory.partition, named.id)?.orgId,
    directory.organization('twin'),
    'a transfer',
  );
});

test('a relay replayed hours later does not take a repository from its new owner', async (t) => {
  const { partition } = new Directory(t);
  const reported = (owner: EventRepository['owner'], minute: number, row: number): RelayRecord => {
    const repository = { ...owned, owner, fullName: `${owner.login}/x` };
    const at = epoch + minute * 60_000;
    const body = { relay: 'repositorySeen', repository, seenAt: at, claimedBy: null } as const;
    return { id: `relay ${row}`, at, kind: 'relay', source: 'p00', row, body };
  };
  await foldRecords(partition, 1, reported({ id: '88', login: 'other' }, 120, 2));
  const record = reported(numbered.owner, 1, 1);
  await partition.write(() => writeDeadLetter(partition, { seq: 9, index: 0, at: record.at, error: 'x', record }));
  await foldRecords(partition, 2, { ...record, replayed: { seq: 9, index: 0 } });
  const listed = readDirectoryRepository(partition, owned.id);
  assert.equal(listed?.orgId, organizationByOwner(partition, origin, '88')?.id);
});
