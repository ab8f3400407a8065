/**
 * Tests the ownership check: which repositories an organization may claim with deliveries that are signed with its own
 * secret. The tests use a real directory partition.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkClaim } from '../../../src/ingress/ownership.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import { organizationByLogin } from '../../../src/store/tables/directory.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, repositoryFields } from '../../helpers/partition-records.ts';

const rocket = repositoryFields();
const { origin } = rocket;
const lab = repositoryFields({ fullName: 'umbrella/lab', owner: { id: '88', login: 'umbrella' } }, 1);
const fresh = repositoryFields({ fullName: 'acme/fresh' }, 2);

/**
 * Opens a directory partition with three organizations. acme and umbrella have one repository each. For moon, the
 * partition contains only the login.
 */
async function openDirectory(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  const seen = (repository: EventRepository, row: number) => ({
    ...({ id: `relay-${row}`, at: epoch, kind: 'relay', source: 'p00', row } as const),
    body: { relay: 'repositorySeen', repository, seenAt: epoch } as const,
  });
  const moon = commandRecord({ name: 'nameOrganisation', origin, login: 'Moon' } as never);
  await foldRecords(directory, 1, seen(rocket, 1), seen(lab, 2), moon);
  const idOf = (login: string) => organizationByLogin(directory, origin, login)?.id ?? '';
  const admitted = (
    login: string,
    owner: EventRepository['owner'],
    ...repositories: { id: string; fullName: string }[]
  ) => checkClaim(directory, idOf(login), { owner, repositories });
  const may = (...claim: Parameters<typeof admitted>) => admitted(...claim) !== undefined;
  return { directory, idOf, may, admitted };
}

test('an organization may claim itself and new repositories', async (t) => {
  const { may } = await openDirectory(t);
  assert.ok(may('acme', rocket.owner));
  assert.ok(may('acme', rocket.owner, rocket, fresh));
  assert.ok(may('acme', { ...rocket.owner, login: 'ACME' }, { ...rocket, fullName: 'Acme/Rocket' }));
  assert.ok(may('acme', { id: '77', login: 'acme-corp' }, { ...rocket, fullName: 'acme-corp/rocket' }), 'a new name');
});

test('an organization may not claim another one', async (t) => {
  const { may, directory } = await openDirectory(t);
  assert.equal(may('acme', lab.owner, lab), false);
  assert.equal(may('acme', rocket.owner, rocket, { ...lab, fullName: 'acme/lab' }), false, 'its repository');
  assert.equal(may('acme', rocket.owner, lab), false, 'its repository and name');
  assert.equal(may('acme', rocket.owner, { ...fresh, fullName: 'umbrella/lab' }), false, 'its name');
  assert.equal(may('acme', { id: '88', login: 'acme' }), false, 'its id');
  assert.equal(may('acme', { id: '77', login: 'Umbrella' }), false, 'its login');
  assert.equal(may('acme', { id: '77', login: 'moon' }), false, 'a login that waits for its owner');
  assert.equal(may('acme', { id: '77', login: 'a'.repeat(3000) }), false);
  assert.equal(checkClaim(directory, 'org_gone', { owner: rocket.owner, repositories: [] }), undefined);
});

test('the login decides until the owner’s number is known', async (t) => {
  const { may } = await openDirectory(t);
  const base = { ...fresh, fullName: 'moon/base' };
  assert.ok(may('moon', { id: '99', login: 'moon' }, base));
  assert.equal(may('moon', { id: '99', login: 'other' }, { ...base, fullName: 'other/base' }), false);
  assert.equal(may('moon', { id: '88', login: 'moon' }, base), false, 'the id is umbrella’s');
});

test('a payload without the owner’s number is compared by the login', async (t) => {
  const { directory, may, idOf } = await openDirectory(t);
  const named = { id: 'name:acme', login: 'acme' };
  assert.ok(may('acme', named, { ...fresh, fullName: 'acme/fresh' }), 'its number is proved');
  assert.equal(may('acme', { id: 'name:other', login: 'other' }), false);
  assert.equal(may('acme', { id: 'name:umbrella', login: 'umbrella' }), false);
  const claimed = { ...fresh, owner: { id: '99', login: 'moon' }, fullName: 'moon/base' };
  const body = { relay: 'repositorySeen', repository: claimed, seenAt: epoch, claimedBy: idOf('moon') } as const;
  await foldRecords(directory, 2, { id: 'relay-3', at: epoch, kind: 'relay', source: 'p00', row: 3, body });
  assert.ok(may('moon', { id: 'name:moon', login: 'moon' }, claimed), 'its number is claimed');
});

test('an organization without a known number has proved none', async (t) => {
  const { admitted } = await openDirectory(t);
  const base = { ...fresh, fullName: 'moon/base' };
  assert.equal(admitted('moon', { id: '99', login: 'moon' }, base)?.signedBy.proved, false);
  assert.equal(admitted('acme', rocket.owner)?.signedBy.proved, true);
});

test('a number proved for another organization cannot be claimed', async (t) => {
  const { directory, may, idOf } = await openDirectory(t);
  const seen = (repository: EventRepository, claimedBy: string | null, row: number) => ({
    ...({ id: `relay-${row}`, at: epoch, kind: 'relay', source: 'p00', row } as const),
    body: { relay: 'repositorySeen', repository, seenAt: epoch, claimedBy } as const,
  });
  const owner = { id: '99', login: 'moon' };
  await foldRecords(directory, 2, commandRecord({ name: 'nameOrganisation', origin, login: 'sun' } as never));
  await foldRecords(directory, 3, seen(repositoryFields({ owner, fullName: 'moon/base' }, 3), idOf('moon'), 3));
  const ghost = repositoryFields({ owner: { id: '99', login: 'sun' }, fullName: 'sun/ghost' }, 4);
  await foldRecords(directory, 4, seen(ghost, idOf('sun'), 4));
  assert.ok(may('sun', { id: '99', login: 'sun' }), 'both only claim it');
  await foldRecords(directory, 5, seen(repositoryFields({ owner, fullName: 'moon/base' }, 3), null, 5));
  assert.equal(may('sun', { id: '99', login: 'sun' }), false);
  assert.ok(may('moon', owner));
});

test('a new login does not count under the organization’s own secret', async (t) => {
  const { admitted, idOf } = await openDirectory(t);
  const renamed = { id: '77', login: 'acme-corp' };
  const claim = admitted('acme', renamed, { ...rocket, fullName: 'acme-corp/rocket' });
  assert.deepEqual([claim?.login, claim?.signedBy.org], ['acme', idOf('acme')]);
  assert.equal(admitted('acme', { id: '77', login: 'Acme' })?.login, 'Acme', 'capitals are no rename');
});

test('a number that another organization only claims can be claimed too', async (t) => {
  const { directory, may, idOf } = await openDirectory(t);
  const claimed = { ...fresh, owner: { id: '99', login: 'Moon' }, fullName: 'Moon/base' };
  const body = { relay: 'repositorySeen', repository: claimed, seenAt: epoch, claimedBy: idOf('moon') } as const;
  const sun = commandRecord({ name: 'nameOrganisation', origin, login: 'sun' } as never);
  await foldRecords(directory, 2, { id: 'relay-3', at: epoch, kind: 'relay', source: 'p00', row: 3, body }, sun);
  assert.ok(may('sun', { id: '99', login: 'sun' }));
  assert.equal(
    may('sun', { id: '99', login: 'sun' }, { ...claimed, fullName: 'sun/base' }),
    false,
    'a listed repository',
  );
  assert.equal(may('sun', { id: '88', login: 'sun' }), false, 'a number that is not claimed but known');
});

test('a repository claimed by another one is left out of a list, but refuses an event of its own', async (t) => {
  const { directory, idOf } = await openDirectory(t);
  const squatted = { ...fresh, owner: { id: '88', login: 'umbrella' }, fullName: 'umbrella/fresh' };
  const body = { relay: 'repositorySeen', repository: fresh, seenAt: epoch, claimedBy: idOf('acme') } as const;
  const seen = { id: 'relay-3', at: epoch, kind: 'relay', source: 'p00', row: 3, body } as const;
  await foldRecords(directory, 2, seen);
  const claim = { owner: lab.owner, repositories: [lab, squatted] };
  const admitted = checkClaim(directory, idOf('umbrella'), { ...claim, isList: true });
  assert.deepEqual(admitted?.signedBy, { org: idOf('umbrella'), proved: true });
  assert.equal(checkClaim(directory, idOf('umbrella'), claim), undefined);
  const proved = { owner: lab.owner, repositories: [{ ...rocket, fullName: 'umbrella/rocket' }], isList: true };
  assert.equal(checkClaim(directory, idOf('umbrella'), proved), undefined, 'what is proved is named in no list');
});
