/**
 * What an organisation's secret may tell, over a real directory.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { standingOf } from '../../../src/ingress/ownership.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import { organisationByLogin } from '../../../src/store/tables/directory.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, repositoryFields } from '../../helpers/partition-records.ts';

const rocket = repositoryFields();
const { origin } = rocket;
const lab = repositoryFields({ fullName: 'umbrella/lab', owner: { id: '88', login: 'umbrella' } }, 1);
const fresh = repositoryFields({ fullName: 'acme/fresh' }, 2);

/** A directory that knows acme and umbrella with a repository each, and the login of moon. */
async function openDirectory(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  const seen = (repository: EventRepository, row: number) => ({
    ...({ id: `relay-${row}`, at: epoch, kind: 'relay', source: 'p00', row } as const),
    body: { relay: 'repositorySeen', repository, seenAt: epoch } as const,
  });
  const moon = commandRecord({ name: 'nameOrganisation', origin, login: 'Moon' } as never);
  await foldRecords(directory, 1, seen(rocket, 1), seen(lab, 2), moon);
  const idOf = (login: string) => organisationByLogin(directory, origin, login)?.id ?? '';
  const standing = (
    login: string,
    owner: EventRepository['owner'],
    ...repositories: { id: string; fullName: string }[]
  ) => standingOf(directory, idOf(login), { owner, repositories });
  const may = (...claim: Parameters<typeof standing>) => standing(...claim) !== undefined;
  return { directory, idOf, may, standing };
}

test('an organisation tells of itself and what is new', async (t) => {
  const { may } = await openDirectory(t);
  assert.ok(may('acme', rocket.owner));
  assert.ok(may('acme', rocket.owner, rocket, fresh));
  assert.ok(may('acme', { ...rocket.owner, login: 'ACME' }, { ...rocket, fullName: 'Acme/Rocket' }));
  assert.ok(may('acme', { id: '77', login: 'acme-corp' }, { ...rocket, fullName: 'acme-corp/rocket' }), 'a new name');
});

test('an organisation tells of no other', async (t) => {
  const { may, directory } = await openDirectory(t);
  assert.equal(may('acme', lab.owner, lab), false);
  assert.equal(may('acme', rocket.owner, rocket, { ...lab, fullName: 'acme/lab' }), false, 'its repository');
  assert.equal(may('acme', rocket.owner, lab), false, 'its repository and name');
  assert.equal(may('acme', rocket.owner, { ...fresh, fullName: 'umbrella/lab' }), false, 'its name');
  assert.equal(may('acme', { id: '88', login: 'acme' }), false, 'its id');
  assert.equal(may('acme', { id: '77', login: 'Umbrella' }), false, 'its login');
  assert.equal(may('acme', { id: '77', login: 'moon' }), false, 'a login that waits for its owner');
  assert.equal(may('acme', { id: '77', login: 'a'.repeat(3000) }), false);
  assert.equal(standingOf(directory, 'org_gone', { owner: rocket.owner, repositories: [] }), undefined);
});

test('a login decides until its owner is met', async (t) => {
  const { may } = await openDirectory(t);
  const base = { ...fresh, fullName: 'moon/base' };
  assert.ok(may('moon', { id: '99', login: 'moon' }, base));
  assert.equal(may('moon', { id: '99', login: 'other' }, { ...base, fullName: 'other/base' }), false);
  assert.equal(may('moon', { id: '88', login: 'moon' }, base), false, 'the id is umbrella’s');
});

test('an organization whose number is not known has proved none', async (t) => {
  const { standing } = await openDirectory(t);
  const base = { ...fresh, fullName: 'moon/base' };
  assert.equal(standing('moon', { id: '99', login: 'moon' }, base)?.signedBy.proved, false);
  assert.equal(standing('acme', rocket.owner)?.signedBy.proved, true);
});

test('a number that has been proved for another organization is not claimed on', async (t) => {
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

test('a new login is not believed under the organization’s own secret', async (t) => {
  const { standing, idOf } = await openDirectory(t);
  const renamed = { id: '77', login: 'acme-corp' };
  const claim = standing('acme', renamed, { ...rocket, fullName: 'acme-corp/rocket' });
  assert.deepEqual([claim?.login, claim?.signedBy.org], ['acme', idOf('acme')]);
  assert.equal(standing('acme', { id: '77', login: 'Acme' })?.login, 'Acme', 'capitals are no rename');
});

test('a number that another organization merely claims can be claimed as well', async (t) => {
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

test('what another one merely claims is left out of a list of repositories, and refuses an event of its own', async (t) => {
  const { directory, idOf } = await openDirectory(t);
  const squatted = { ...fresh, owner: { id: '88', login: 'umbrella' }, fullName: 'umbrella/fresh' };
  const body = { relay: 'repositorySeen', repository: fresh, seenAt: epoch, claimedBy: idOf('acme') } as const;
  const seen = { id: 'relay-3', at: epoch, kind: 'relay', source: 'p00', row: 3, body } as const;
  await foldRecords(directory, 2, seen);
  const claim = { owner: lab.owner, repositories: [lab, squatted] };
  const standing = standingOf(directory, idOf('umbrella'), { ...claim, isList: true });
  assert.deepEqual(standing?.signedBy, { org: idOf('umbrella'), proved: true });
  assert.equal(standingOf(directory, idOf('umbrella'), claim), undefined);
  const proved = { owner: lab.owner, repositories: [{ ...rocket, fullName: 'umbrella/rocket' }], isList: true };
  assert.equal(standingOf(directory, idOf('umbrella'), proved), undefined, 'what is proved is named in no list');
});
