/**
 * Folds claims together with proofs. An organization claims a repository when it signs a delivery with its own secret.
 * A claim does not change a repository whose owner is proved. If a proof shows that the repository has another owner,
 * everything that was stored under the claim is erased.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SignedBy } from '../../../src/protocol/events.ts';
import type { RelayRecord } from '../../../src/protocol/journal.ts';
import type { OwnerAnswered } from '../../../src/protocol/results.ts';
import {
  organizationByLogin,
  organizationByOwner,
  readDirectoryRepository,
  readOrganization,
} from '../../../src/store/tables/directory.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { answerOf } from '../../../workers/host/owners.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  commandRecord,
  epoch,
  eventRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
} from '../../helpers/partition-records.ts';

const rocket = repositoryFields();
const { id: repoId, origin } = rocket;
const victim = repositoryFields({ fullName: 'victimcorp/private', owner: { id: '88', login: 'victimcorp' } });
const acme: SignedBy = { org: 'org_acme', proved: true };
const weak: SignedBy = { org: 'org_acme', proved: false };

/** Opens a partition. `fold` folds one delivery. `stored` returns the repository and its pull requests. */
function openRepository(t: TestContext) {
  const partition = openTestPartition(t);
  let seq = 0;
  const fold = (number: number, repository: typeof rocket, signedBy: SignedBy, at = epoch + 60_000) => {
    seq += 1;
    return foldRecords(partition, seq, pullRecord(number, { at, repository, signedBy }));
  };
  const stored = () => {
    const found = readRepository(partition, repoId);
    return { ...found, pulls: [1, 2, 3].filter((number) => readPull(partition, repoId, number) !== undefined) };
  };
  return { partition, fold, stored };
}

test('proof of the same owner takes over a claimed repository with its records', async (t) => {
  const { fold, stored } = openRepository(t);
  await fold(1, rocket, acme);
  assert.deepEqual([stored().claimedBy, stored().pulls], ['org_acme', [1]]);
  await fold(2, rocket, null);
  assert.deepEqual([stored().claimedBy, stored().pulls], [undefined, [1, 2]]);
  await fold(3, rocket, acme);
  assert.deepEqual([stored().claimedBy, stored().pulls], [undefined, [1, 2, 3]]);
});

test('proof of another owner erases a claim and its records, whatever their time', async (t) => {
  const { fold, stored } = openRepository(t);
  const ahead = { ...rocket, fullName: 'acme/ghost' };
  await fold(3, ahead, acme);
  await fold(2, victim, null);
  assert.deepEqual([stored().fullName, stored().pulls, stored().formerNames], ['victimcorp/private', [2], []]);
});

test('a claim by another owner changes nothing that is proved', async (t) => {
  const { fold, stored } = openRepository(t);
  await fold(1, victim, null);
  await fold(2, { ...rocket, fullName: 'acme/ghost' }, acme);
  await fold(3, { ...rocket, fullName: 'acme/ghost', owner: { id: '88', login: 'acme' } }, weak);
  assert.deepEqual([stored().fullName, stored().pulls], ['victimcorp/private', [1]]);
  // This organization has not proved its owner number, but it has the same login as the repository's owner.
  await fold(3, victim, { org: 'org_victim', proved: false });
  assert.deepEqual(stored().pulls, [1, 3]);
});

test('a claim replaces another one only if the host has refuted that one', async (t) => {
  const { fold, stored } = openRepository(t);
  await fold(1, rocket, acme);
  await fold(2, victim, { org: 'org_victim', proved: true });
  assert.deepEqual([stored().claimedBy, stored().pulls], ['org_acme', [1]]);
  await fold(2, victim, { org: 'org_victim', proved: true, supersedes: 'org_acme' });
  assert.deepEqual([stored().claimedBy, stored().pulls], ['org_victim', [2]]);
});

test('data read from the host proves the owner once the host has described the repository', async (t) => {
  const { partition, fold, stored } = openRepository(t);
  await fold(1, rocket, acme);
  await foldRecords(partition, 10, backfilledRecord([]));
  assert.equal(stored().claimedBy, 'org_acme', 'a page that carries the repository as stored');
  await foldRecords(partition, 11, backfilledRecord([], { confirmed: true }));
  assert.equal(stored().claimedBy, undefined);
});

test('a stored time far in the future does not block later events', async (t) => {
  const { partition, fold, stored } = openRepository(t);
  const pull = pullSnapshot(1, { updatedAt: Date.UTC(2099, 0, 1) });
  const body = { event: 'pull_request', action: 'closed', pull } as const;
  await foldRecords(partition, 10, eventRecord(body, { repository: { ...rocket, fullName: 'acme/of-the-future' } }));
  await fold(2, rocket, null);
  assert.equal(stored().fullName, 'acme/rocket');
});

let rows = 0;

/** Returns a relay record in which partition p00 reports a repository to the directory partition. */
function seen(repository: typeof rocket, claimedBy: string | null, seenAt = epoch): RelayRecord {
  rows += 1;
  const body = { relay: 'repositorySeen', repository, seenAt, claimedBy } as const;
  return { id: `relay-${rows}`, at: epoch, kind: 'relay', source: 'p00', row: rows, body };
}

/** Opens a directory partition to which the operator has added the organization acme. */
async function openDirectory(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  let seq = 0;
  const fold = (...records: Parameters<typeof foldRecords>[2][]) => {
    seq += 1;
    return foldRecords(directory, seq, ...records);
  };
  await fold(commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never));
  const orgId = organizationByLogin(directory, origin, 'acme')?.id as string;
  const answered = (answer: OwnerAnswered['answer'], fields: Partial<OwnerAnswered> = {}) => {
    const asked = { result: 'ownerAnswered', repoId, orgId, ownerId: '77', askedAt: epoch, partitions: 4 } as const;
    return resultRecord({ ...asked, answer, ...fields });
  };
  const listed = () => readDirectoryRepository(directory, repoId);
  const organization = () => readOrganization(directory, orgId);
  const relays = () =>
    listEffects(directory, 0, 100).flatMap(({ effect }) => (effect.effect === 'relay' ? [effect.body] : []));
  return { directory, fold, orgId, answered, listed, organization, relays };
}

test('the host’s answer proves a claim and sets the login', async (t) => {
  const { fold, orgId, answered, listed, organization, relays } = await openDirectory(t);
  await fold(seen(rocket, orgId));
  assert.deepEqual([listed()?.claimed, organization()?.ownerProof], [true, 'claimed']);
  await fold(answered({ confirmed: true, fullName: 'Acme/rocket', login: 'Acme' }));
  assert.deepEqual(
    [listed()?.claimed, organization()?.ownerProof, organization()?.login],
    [undefined, 'proved', 'Acme'],
  );
  assert.deepEqual(listed()?.ownership, { confirmed: true, at: epoch, fullName: 'Acme/rocket' });
  const [proved] = relays().filter(({ relay }) => relay === 'ownerProved');
  assert.deepEqual(proved, { relay: 'ownerProved', repoId, ownerId: '77', orgId, refuted: null });
});

test('an answer for a former owner, or an older answer, changes nothing', async (t) => {
  const { fold, orgId, answered, listed } = await openDirectory(t);
  await fold(seen(rocket, orgId));
  const confirmed = { confirmed: true, fullName: 'acme/rocket', login: 'acme' } as const;
  await fold(answered(confirmed, { ownerId: '78' }), answered(confirmed, { orgId: 'org_other' }));
  assert.equal(listed()?.ownership, undefined);
  await fold(answered({ confirmed: false, cause: 'owner', ownerId: '88' }, { askedAt: epoch + 2 }));
  await fold(answered(confirmed, { askedAt: epoch + 1 }));
  assert.deepEqual(listed()?.ownership, { confirmed: false, at: epoch + 2, cause: 'owner', ownerId: '88' });
});

test('a falsely claimed number returns to its owner', async (t) => {
  const { directory, fold, orgId, listed, organization } = await openDirectory(t);
  await fold(seen(repositoryFields({ owner: { id: '88', login: 'acme' } }), orgId));
  assert.equal(organizationByOwner(directory, origin, '88')?.id, orgId);
  await fold(seen(victim, null));
  const owner = organizationByOwner(directory, origin, '88');
  assert.deepEqual([owner?.login, owner?.ownerProof, organization()?.ownerId], ['victimcorp', 'proved', null]);
  assert.deepEqual([listed()?.orgId, listed()?.claimed], [owner?.id, undefined]);
  assert.equal(organization()?.login, 'acme', 'it can still be met under its own number');
});

test('an app installation signed with a secret of the whole host proves the owner', async (t) => {
  const { fold, orgId, listed, relays } = await openDirectory(t);
  await fold(seen(rocket, orgId));
  const installed = (owner: typeof rocket.owner, signedBy: SignedBy, delivery: string) => ({
    ...({ id: delivery, at: epoch, kind: 'installation', delivery, source: '', partitions: 4, signedBy } as const),
    body: {
      ...({ action: 'installed', origin, installationId: '8', owner } as const),
      removed: [],
      added: [{ id: repoId, hostId: rocket.hostId, fullName: `${owner.login}/rocket`, private: false }],
    },
  });
  await fold(installed(rocket.owner, { org: orgId, proved: true }, 'one'));
  assert.deepEqual([listed()?.claimed, listed()?.installationId], [true, '8'], 'its own secret proves nothing');
  await fold(installed(victim.owner, null, 'two'));
  assert.notEqual(listed()?.orgId, orgId);
  assert.equal(listed()?.claimed, undefined);
  assert.deepEqual(relays().at(-1), {
    ...{ relay: 'ownerProved', repoId, ownerId: '88', refuted: orgId },
    orgId: listed()?.orgId,
  });
  const { partition, fold: deliver, stored } = openRepository(t);
  await deliver(1, rocket, { org: orgId, proved: true });
  const body = relays().at(-1) as RelayRecord['body'];
  await foldRecords(partition, 20, { id: 'relay', at: epoch, kind: 'relay', source: 'directory', row: 1, body });
  assert.deepEqual([stored().id, stored().claimedBy], [undefined, undefined]);
});

test('compares the host’s answers by number, and by login if the number is not proved', () => {
  const organization = { origin, ownerId: '77', ownerProof: 'proved', login: 'acme' } as const;
  const found = (fields: object = {}) => ({
    id: Number(rocket.hostId),
    full_name: 'acme/rocket',
    owner: { id: 77, login: 'acme' },
    ...fields,
  });
  const cause = (...args: Parameters<typeof answerOf>) => {
    const answer = answerOf(...args);
    return answer.confirmed ? 'confirmed' : answer.cause;
  };
  const other = found({ owner: { id: 77, login: 'other' } });
  assert.equal(cause(found() as never, rocket, organization), 'confirmed');
  assert.equal(cause(other as never, rocket, organization), 'confirmed', 'a rename');
  assert.equal(cause(other as never, rocket, { ...organization, ownerProof: 'claimed' }), 'login');
  assert.equal(cause(found({ owner: { id: 88, login: 'acme' } }) as never, rocket, organization), 'owner');
  assert.equal(cause(found({ id: 1 }) as never, rocket, organization), 'missing');
  assert.equal(cause(found({ owner: { login: 'acme' } }) as never, rocket, organization), 'missing');
  assert.equal(cause(undefined, rocket, organization), 'missing');
});
