/**
 * Tests which repository a payload belongs to. Some payloads contain the host's numbers, and others do not. Each
 * payload is signed with a secret of the whole host or of one organization. The tests use a real directory partition.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { nameAsNumber, repositoryId } from '../../../src/foundation/ids.ts';
import { Identities } from '../../../src/ingress/identity.ts';
import type { EventBody } from '../../../src/protocol/events.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import { organizationByLogin } from '../../../src/store/tables/directory.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, repositoryFields } from '../../helpers/partition-records.ts';

const { origin } = repositoryFields();
const now = 1_000_000;

/**
 * Returns the repository of a payload as the intake does. If the payload lacks the host's number of the repository or
 * owner, the intake uses the name in place of the number.
 */
function payload(fullName: string, hostId?: string, ownerId?: string): EventRepository {
  const login = fullName.split('/')[0] as string;
  const number = hostId ?? nameAsNumber(fullName);
  const owner = { id: ownerId ?? nameAsNumber(login), login };
  return repositoryFields({ id: repositoryId(origin, number), hostId: number, fullName, owner });
}

/**
 * Opens a directory partition. `list` adds a repository to this partition, and `resolve` finds the repository of a
 * payload.
 */
async function open(t: TestContext, ...logins: string[]) {
  const directory = openTestPartition(t, 'directory');
  const identities = new Identities(0);
  let row = 0;
  const list = async (repository: EventRepository, claimedBy: string | null = null) => {
    row += 1;
    const body = { relay: 'repositorySeen', repository, seenAt: epoch + row, claimedBy } as const;
    await foldRecords(directory, row, { id: `relay-${row}`, at: epoch + row, kind: 'relay', source: 'p00', row, body });
  };
  for (const login of logins)
    await foldRecords(directory, 100, commandRecord({ name: 'nameOrganisation', origin, login } as never));
  const idOf = (login: string) => organizationByLogin(directory, origin, login)?.id as string;
  const resolve = (repository: EventRepository, signedBy: string | null = null, at = now, bodies: EventBody[] = []) => {
    const found = identities.resolve(directory, { repository, bodies }, signedBy, at);
    if (!found.isListed) identities.remember(found.repository, signedBy, at);
    return found.repository;
  };
  return { directory, identities, list, idOf, resolve };
}

test('a payload without numbers belongs to the repository with its name', async (t) => {
  const { list, resolve } = await open(t);
  const known = payload('acme/app', '5', '77');
  await list(known);
  const { id, hostId, owner } = resolve(payload('Acme/App'));
  assert.deepEqual([id, hostId, owner], [known.id, '5', { id: '77', login: 'Acme' }]);
  assert.equal(resolve(payload('acme/other')).id, payload('acme/other').id);
});

test('a payload with numbers belongs to the repository that was known by its name', async (t) => {
  const { list, resolve } = await open(t);
  const known = payload('acme/app');
  await list(known);
  const numbered = payload('acme/app', '5', '77');
  const found = resolve(numbered);
  assert.deepEqual([found.id, found.hostId], [known.id, '5']);
  await list(found);
  assert.equal(resolve({ ...numbered, fullName: 'acme/renamed' }).id, known.id, 'by its number from now on');
  assert.equal(
    resolve(payload('acme/app', '6', '77')).id,
    repositoryId(origin, '6'),
    'another number, another repository',
  );
});

test('both belong to one repository before the directory lists it, in either order', async (t) => {
  for (const order of [
    [payload('acme/app'), payload('acme/app', '5', '77')],
    [payload('acme/app', '5', '77'), payload('acme/app')],
  ]) {
    const { resolve } = await open(t);
    const [first, second] = order.map((repository) => resolve(repository));
    assert.equal(second?.id, first?.id);
    assert.equal(resolve(payload('acme/app', '6', '77')).id, repositoryId(origin, '6'), 'another number');
  }
});

test('an admitted repository that is never listed is forgotten', async (t) => {
  const { resolve } = await open(t);
  const first = resolve(payload('acme/app', '5', '77'));
  assert.equal(resolve(payload('acme/app'), null, now + 30_000).id, first.id);
  assert.equal(resolve(payload('acme/app'), null, now + 120_000).id, payload('acme/app').id);
});

test('a rename without numbers belongs to the repository with the former name', async (t) => {
  const { list, resolve } = await open(t);
  const known = payload('acme/app');
  await list(known);
  const renamed = { event: 'repository', action: 'renamed', formerName: 'acme/app', seenAt: 0 } as const;
  const found = resolve(payload('acme/new'), null, now, [renamed]);
  assert.equal(found.id, known.id);
  assert.equal(resolve(payload('acme/new')).id, known.id, 'before the directory has heard of the rename');
  await list(found);
  const next = resolve(payload('acme/app'));
  assert.notEqual(next.id, known.id, 'a new repository took the name');
  assert.equal(resolve(payload('acme/new')).id, known.id);
});

test('a number that an organization only claims does not prove its name', async (t) => {
  const { list, idOf, resolve } = await open(t, 'acme');
  const acme = idOf('acme');
  await list(payload('acme/app', '5', '99'), acme);
  const found = resolve(payload('acme/app'));
  assert.deepEqual([found.id, found.owner.id], [payload('acme/app').id, 'name:acme']);
  await list(found);
  const proof = resolve(payload('acme/app', '5', '77'));
  assert.deepEqual([proof.id, proof.hostId], [found.id, '5'], 'a claim does not keep the number from its repository');
});

test('a number under an organization’s own secret is not adopted', async (t) => {
  const { list, idOf, resolve } = await open(t, 'acme');
  const acme = idOf('acme');
  const own = payload('acme/app');
  await list(own, acme);
  const found = resolve(payload('acme/app', '5', '77'), acme);
  assert.deepEqual([found.id, found.hostId], [own.id, own.hostId]);
  const victim = payload('victim/app', '5', '88');
  assert.equal(resolve(victim).id, victim.id, 'the number is its owner’s');
});

test('an organization does not find another one’s repository by name', async (t) => {
  const { directory, list, idOf, identities } = await open(t, 'acme');
  const acme = idOf('acme');
  const victim = payload('victim/app', '5', '88');
  await list(victim);
  const resolve = (repository: EventRepository) =>
    identities.resolve(directory, { repository, bodies: [] }, acme, now).repository;
  const found = resolve(payload('victim/app'));
  assert.notEqual(found.id, victim.id);
  assert.equal(found.owner.id, 'name:victim');
  assert.equal(resolve(payload('victim/app', '6', '88')).id, repositoryId(origin, '6'));
});

test('an installation adds the number of a repository that was known by its name', async (t) => {
  const { directory, list, identities, idOf } = await open(t, 'acme');
  const known = payload('acme/app');
  await list(known);
  const [each, other] = [payload('acme/app', '5'), payload('acme/other', '6')].map(({ id, hostId, fullName }) => ({
    ...{ id, hostId, fullName, private: false },
  }));
  assert.ok(each && other);
  const body = { action: 'installed', origin, installationId: '8', owner: { id: '77', login: 'acme' } } as const;
  const { added } = identities.resolveInstalled(directory, { ...body, added: [each, other], removed: [] }, null);
  assert.deepEqual(
    added.map(({ id, hostId }) => [id, hostId]),
    [
      [known.id, '5'],
      [other.id, '6'],
    ],
  );
  const claimed = identities.resolveInstalled(directory, { ...body, added: [each], removed: [] }, idOf('acme')).added;
  assert.deepEqual([claimed[0]?.id, claimed[0]?.hostId], [known.id, known.hostId], 'a claim brings none');
});

test('a name does not belong to the former owner of the login', async (t) => {
  const { list, resolve } = await open(t);
  const former = payload('acme/app', '5', '77');
  await list(former);
  await list(payload('acme/other', '8', '88'));
  const found = resolve(payload('acme/app'));
  assert.deepEqual([found.id, found.hostId, found.owner.id], [payload('acme/app').id, 'name:acme/app', '88']);
  await list(found);
  assert.equal(resolve(payload('acme/app')).id, found.id);
  assert.equal(resolve(payload('acme/app', '9', '88')).id, found.id, 'its number comes later');
  assert.equal(resolve(former).id, former.id);
});

test('a repository does not adopt the number of another owner’s repository with its name', async (t) => {
  const { directory, list, resolve, identities } = await open(t);
  const named = payload('acme/app');
  const waiting = resolve(payload('acme/app', '5', '77'));
  assert.equal(
    resolve(payload('acme/app', '9', '88')).id,
    repositoryId(origin, '9'),
    'while the name waits to be listed',
  );
  assert.equal(waiting.id, repositoryId(origin, '5'));
  await list(named);
  await list(payload('acme/x', '6', '77'));
  const other = payload('acme/app', '9', '88');
  const body = { action: 'installed', origin, installationId: '8', owner: other.owner } as const;
  const installed = identities.resolveInstalled(directory, { ...body, added: [other], removed: [] }, null);
  assert.equal(installed.added[0]?.id, other.id);
  const { id, hostId } = new Identities(0).resolve(directory, { repository: other, bodies: [] }, null, now).repository;
  assert.deepEqual([id, hostId], [other.id, '9']);
  await list(other);
  const next = resolve(payload('acme/app', undefined, '88'));
  assert.notEqual(next.id, named.id);
});

test('a claim finds its own repository when the former owner of the login had the name', async (t) => {
  const { list, idOf, resolve } = await open(t);
  const former = payload('acme/app');
  await list(former);
  await list(payload('acme/x', '6', '77'));
  await list(payload('acme/other', '8', '88'));
  const orgId = idOf('acme');
  const found = resolve(payload('acme/app'), orgId);
  assert.notEqual(found.id, former.id);
  await list(found, orgId);
  assert.equal(resolve(payload('acme/app'), orgId).id, found.id);
});

test('a repository that was listed and renamed does not lend its id to a new one with its former name', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const repository = repositoryFields();
  const identities = new Identities(3_600_000);
  identities.remember(repository, null, epoch);
  let row = 0;
  const see = (fullName: string) => {
    row += 1;
    const body = { relay: 'repositorySeen' as const, repository: { ...repository, fullName }, seenAt: epoch + row };
    return foldRecords(directory, row, {
      id: `relay-${row}`,
      at: epoch + row,
      kind: 'relay',
      source: 'p00',
      row,
      body,
    });
  };
  identities.prune(directory);
  const named = { repository: { ...repository, id: 'repo_x', hostId: 'name:x' }, bodies: [] };
  assert.equal(identities.resolve(directory, named, null, epoch).repository.id, repository.id, 'it is not listed yet');
  await see(repository.fullName);
  identities.prune(directory);
  await see(`${repository.owner.login}/renamed`);
  const other = { repository: { ...repository, id: 'repo_y', hostId: 'name:y' }, bodies: [] };
  assert.notEqual(identities.resolve(directory, other, null, epoch).repository.id, repository.id);
});
