/**
 * Which repository an event is of, and how it is called: made, renamed or moved as events tell, in whatever order they come.
 * Its pull requests' links follow its names.
 */
import { isDeepStrictEqual } from 'node:util';
import { isNumber } from '../../src/foundation/ids.ts';
import { mostAheadMs } from '../../src/intake/text.ts';
import { linkedIssues } from '../../src/notes/change/link.ts';
import type { EventBody } from '../../src/protocol/events.ts';
import type { EventRecord, RelayRecord } from '../../src/protocol/journal.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import type { RepositoryRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { sameLogin } from '../../src/store/tables/directory.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { pullsNumbered, writePull } from '../../src/store/tables/pulls.ts';
import { hasRanges } from '../../src/store/tables/ranges.ts';
import { readRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import { judgeClaim, withoutClaim } from './claims.ts';
import { finishErasing, giveUpRepository, keepPublishedNotes } from './sweep.ts';

/** The repository part of a record that is folded, and whose secret signed it. */
export type Seen = Pick<EventRecord, 'at' | 'repository' | 'signedBy'>;

/**
 * The repository of a record, made or renamed when that says so; the directory hears of it through the outbox.
 * @param seenAt host time of what the record tells
 * @param body the event; undefined for what was read from the host
 * @returns undefined for a claim on what another organization has proved
 */
export function meetRepository(
  partition: Partition,
  told: Seen,
  seenAt: number,
  body?: EventBody,
): RepositoryRecord | undefined {
  const { id } = told.repository;
  const stored = readRepository(partition, id);
  const verdict = judgeClaim(stored, told);
  if (verdict === 'refused') return undefined;
  if (verdict === 'beginsAnew') giveUpRepository(partition, id, stored?.claimedBy);
  const before = verdict === 'beginsAnew' ? undefined : stored;
  // Only now: a claim must not complete what proves its owner.
  const record = before ? completed(before, told) : told;
  finishErasing(partition, id);
  const known = before && weigh(before, record, seenAt);
  const after = withProvedTime(known, mergeRepository(known, record, seenAt, body), record, seenAt);
  // The directory lists whoever the host has refuted, and may not have heard of this one.
  const isUnheard = record.signedBy?.supersedes !== undefined && before?.claimedBy === undefined;
  if (after === before && !isUnheard) return before;
  writeRepository(partition, after);
  if (isUnheard || !before || after.revision !== before.revision || after.claimedBy !== before.claimedBy) {
    tellDirectory(partition, after, record.at, record.signedBy === undefined ? undefined : (after.claimedBy ?? null));
  }
  if (before) follow(partition, before, after);
  return after;
}

/** Has the directory list a repository. `claimedBy` is undefined where it is not known whose secret signed what is told. */
function tellDirectory(
  partition: Partition,
  repository: RepositoryRecord,
  at: number,
  claimedBy: string | null | undefined,
): void {
  const { seenAt } = repository;
  const claim = claimedBy === undefined ? {} : { claimedBy };
  const body = { relay: 'repositorySeen' as const, repository: toldOf(repository), seenAt, ...claim };
  writeEffect(partition, { effect: 'relay', target: 'directory', at, body });
}

/**
 * Gives up a repository whose organisation was erased. One that is another's by now is not meant, and the directory hears of it
 * again; a replayed word is not about the new life of one that was met again meanwhile.
 */
export function foldErased(
  partition: Partition,
  { at, replayed }: Pick<RelayRecord, 'at' | 'replayed'>,
  { repoId, orgId, ownerId, login, keepPublished }: Extract<RelayBody, { relay: 'repositoryErased' }>,
): void {
  const known = readRepository(partition, repoId);
  if (!known || (replayed && known.createdAt > at)) return;
  const isProvedOwner = known.claimedBy === undefined && isOwnedBy(known, ownerId, login);
  if (keepPublished && isProvedOwner) keepPublishedNotes(partition, known, at);
  else if (orgId === undefined || known.claimedBy === orgId || isProvedOwner)
    giveUpRepository(partition, repoId, orgId === undefined ? undefined : known.claimedBy);
  else tellDirectory(partition, known, at, known.claimedBy ?? null);
}

/**
 * Whether an owner has a repository. One that came without its owner's number is known by the login under which it was listed.
 * @param ownerId nothing where the owner has no number
 */
function isOwnedBy(
  { owner }: RepositoryRecord,
  ownerId: string | null | undefined,
  login: string | undefined,
): boolean {
  if (owner.id === ownerId) return true;
  return ownerId != null && login !== undefined && !isNumber(owner.id) && sameLogin(owner.login, login);
}

/**
 * The stored repository as the record has to count against it. Proof counts more than a claim, whatever its time, which was
 * the claim's choice; and a time that lies ahead of the record was stored before such times were capped.
 */
function weigh(stored: RepositoryRecord, { at, signedBy, repository }: Seen, seenAt: number): RepositoryRecord {
  if (signedBy === undefined) return stored;
  if (signedBy === null && stored.claimedBy !== undefined) return { ...withoutClaim(stored), seenAt: 1 };
  const isTransfer = signedBy === null && repository.owner.id !== stored.owner.id;
  if (isTransfer && stored.provedAt !== undefined && seenAt > stored.provedAt) {
    const { provedAt, ...others } = stored;
    return { ...others, seenAt: provedAt };
  }
  return stored.seenAt > at + 2 * mostAheadMs ? { ...stored, seenAt: 1 } : stored;
}

/** The repository with the newest time that is proved, as long as the owner's own secret has told of a later one. */
function withProvedTime(
  before: RepositoryRecord | undefined,
  after: RepositoryRecord,
  { signedBy }: Seen,
  seenAt: number,
): RepositoryRecord {
  if (!before || after.claimedBy !== undefined || signedBy === undefined) return after;
  const proved = before.provedAt ?? before.seenAt;
  const provedAt = signedBy === null ? Math.max(proved, seenAt) : proved;
  if (provedAt < after.seenAt) return after.provedAt === provedAt ? after : { ...after, provedAt };
  if (after.provedAt === undefined) return after;
  const { provedAt: _, ...others } = after;
  return others;
}

/**
 * Gives a repository the name that follows from its owner's new one, told of at `at`. One that is unknown here, or has moved to
 * another owner meanwhile, is not meant.
 */
export function followOwner(
  partition: Partition,
  { repoId, ownerId, login, former }: Extract<RelayBody, { relay: 'ownerRenamed' }>,
  at: number,
): void {
  const known = readRepository(partition, repoId);
  if (!known || known.owner.login === login) return;
  if (!isOwnedBy(known, ownerId, former)) return;
  const { id, origin, hostId, fullName, defaultBranch, url, private: isPrivate } = known;
  const renamed = `${login}/${fullName.slice(fullName.indexOf('/') + 1)}`;
  const repository: EventRepository = {
    ...{ id, origin, hostId, fullName: renamed, defaultBranch, private: isPrivate },
    url: url.endsWith(`/${fullName}`) ? `${url.slice(0, -fullName.length)}${renamed}` : url,
    owner: { id: ownerId, login },
  };
  meetRepository(partition, { at, repository }, Math.max(at, known.seenAt + 1));
}

/** Links depend on names, and dates on the default branch decide where captured pushes do not: both move counts. */
function follow(partition: Partition, before: RepositoryRecord, after: RepositoryRecord): void {
  const renamed = !isDeepStrictEqual(namesOf(after), namesOf(before));
  const sameBranches = isDeepStrictEqual(branchesOf(after), branchesOf(before));
  if (renamed) relink(partition, after);
  if (!renamed && sameBranches) return;
  const repoId = after.id;
  if (hasRanges(partition, repoId)) writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
}

/** Whether a link names this repository depends on all its names, whichever is told first: the name or the link. */
function relink(partition: Partition, repository: RepositoryRecord): void {
  for (const pull of pullsNumbered(partition, repository.id, 1, mostNumber)) {
    const links = linkedIssues(pull.body, { ...repository, ownNumber: pull.number });
    if (!isDeepStrictEqual(links, pull.linkedIssues)) {
      writePull(partition, repository.id, { ...pull, linkedIssues: links }, pull);
    }
  }
}

const mostNumber = 2_147_483_647;

function namesOf({ fullName, formerNames }: RepositoryRecord): string[] {
  return [fullName, ...formerNames].sort();
}

function branchesOf({ defaultBranch, formerBranches }: RepositoryRecord): unknown[] {
  return [defaultBranch, formerBranches];
}

/** The newest event says how the repository is called; every other name it was ever called by is a former one. */
function mergeRepository(
  before: RepositoryRecord | undefined,
  { repository: seen, at, signedBy }: Seen,
  seenAt: number,
  body: EventBody | undefined,
): RepositoryRecord {
  if (before && body?.event !== 'repository' && tellsTheSame(seen, before)) {
    return seenAt > before.seenAt ? { ...before, seenAt } : before;
  }
  const claim = signedBy ? { claimedBy: signedBy.org } : {};
  const { bare: _, ...fresh } = seen;
  const known = before ?? { ...fresh, formerNames: [], createdAt: at, seenAt, revision: 1, ...claim };
  const [newer, older] = isNewer(seen, seenAt, known) ? [seen, known] : [known, seen];
  const after = {
    ...known,
    ...toldOf(newer),
    hostId: isNumber(known.hostId) ? known.hostId : seen.hostId,
    owner: withNumber(newer.owner, older.owner),
    defaultBranch: newer.defaultBranch ?? older.defaultBranch,
    seenAt: Math.max(seenAt, known.seenAt),
  };
  const names = new Set([...known.formerNames, known.fullName, seen.fullName]);
  if (body?.event === 'repository' && body.formerName !== null) names.add(body.formerName);
  names.delete(after.fullName);
  after.formerNames = [...names].sort();
  if (body?.event === 'repository' && body.formerBranch !== undefined)
    after.formerBranches = withBranch(known.formerBranches, body.formerBranch, body.seenAt);
  if (!before) return after;
  if (!isDeepStrictEqual(toldOf(after), toldOf(before))) after.revision += 1;
  return isDeepStrictEqual(after, before) ? before : after;
}

/**
 * A record with what its payload left out of the repository as it is known: numbers, privacy, and the address. A claim tells no
 * number of the repository, and none of the owner where that is proved.
 */
function completed(before: RepositoryRecord, record: Seen): Seen {
  const { repository: seen, signedBy } = record;
  const isClaim = signedBy != null;
  const hostId = isClaim || !isNumber(seen.hostId) ? before.hostId : seen.hostId;
  const isOwned = isClaim && before.claimedBy === undefined;
  const owner = isOwned ? { ...seen.owner, id: before.owner.id } : withNumber(seen.owner, before.owner);
  if (hostId === seen.hostId && owner.id === seen.owner.id && !seen.bare) return record;
  const isDerived = seen.bare && seen.fullName === before.fullName && seen.url === `${seen.origin}/${seen.fullName}`;
  const repository: EventRepository = {
    ...seen,
    ...{ hostId, owner },
    ...(seen.bare && { private: before.private }),
    ...(isDerived && { url: before.url }),
  };
  return { ...record, repository };
}

/** An owner with the number that is known of one with the same login. */
function withNumber(owner: EventRepository['owner'], known: EventRepository['owner']): EventRepository['owner'] {
  const isSame = !isNumber(owner.id) && isNumber(known.id) && sameLogin(owner.login, known.login);
  return isSame ? { ...owner, id: known.id } : owner;
}

/** Former default branches with one more, in a fixed order; of two times the later one. */
function withBranch(known: [string, number][] = [], name: string, until: number): [string, number][] {
  const branches = new Map(known);
  branches.set(name, Math.max(until, branches.get(name) ?? 0));
  return [...branches].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Of one time, the one whose fields sort last, whichever came first. */
function isNewer(seen: EventRepository, seenAt: number, known: RepositoryRecord): boolean {
  if (seenAt !== known.seenAt) return seenAt > known.seenAt;
  return tells(seen) > tells(known);
}

function tells(repository: EventRepository): string {
  return JSON.stringify(toldOf(repository));
}

/** Whether two say the same of a repository; without a text of each, as every event asks for it. */
function tellsTheSame(a: EventRepository, b: EventRepository): boolean {
  return (
    a.fullName === b.fullName &&
    a.defaultBranch === b.defaultBranch &&
    a.url === b.url &&
    a.private === b.private &&
    a.owner.id === b.owner.id &&
    a.owner.login === b.owner.login &&
    a.id === b.id &&
    a.origin === b.origin &&
    a.hostId === b.hostId
  );
}

/** What an event tells of its repository, in a fixed order. */
function toldOf({ id, origin, hostId, fullName, defaultBranch, url, private: isPrivate, owner }: EventRepository) {
  return { id, origin, hostId, fullName, defaultBranch, url, private: isPrivate, owner };
}

/**
 * The host's own time of what an event tells, which orders renames; the time of receipt where it has none. Of one second,
 * what is told of the repository itself comes last. A label's event has no time and must not bring an old name back.
 */
export function hostTime({ body }: EventRecord): number {
  switch (body.event) {
    case 'pull_request':
      return body.pull.updatedAt;
    case 'issues':
      return body.issue.updatedAt;
    case 'push':
      return body.push.pushedAt;
    case 'tag':
      return body.tag.pushedAt;
    case 'comment':
      return body.comment.updatedAt;
    case 'repository':
      return body.seenAt + 999;
    case 'label':
      return 0;
    default:
      return body.seenAt;
  }
}
