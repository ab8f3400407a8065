/**
 * Folds the repository that a record is about. The repository is created, renamed or moved as the record reports. The
 * order in which records arrive does not matter. When the names of a repository change, the issue links of its pull
 * requests are updated.
 */

import { isDeepStrictEqual } from 'node:util';
import { maxAheadMs } from '../../src/foundation/host-clock.ts';
import { isNumber } from '../../src/foundation/ids.ts';
import { unreachable } from '../../src/foundation/unreachable.ts';
import type { EventBody } from '../../src/protocol/events.ts';
import type { EventRecord, RelayRecord } from '../../src/protocol/journal.ts';
import { maxNumber } from '../../src/protocol/limits.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import { type RepositoryRecord, RepositoryRecordSchema } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { removeAutomation } from '../../src/store/tables/automations.ts';
import { sameLogin } from '../../src/store/tables/directory.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { pullsNumbered, writePull } from '../../src/store/tables/pulls.ts';
import { hasRanges } from '../../src/store/tables/ranges.ts';
import { readRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import { endAutomation } from './automation.ts';
import { linksOf } from './capture.ts';
import { judgeClaim, withoutClaim } from './claims.ts';
import { copierOf } from './copies.ts';
import { finishErasing, giveUpRepository, keepPublishedNotes } from './sweep.ts';

const copyRepository = copierOf<RepositoryRecord>(RepositoryRecordSchema);

/** The parts of a record that describe its repository, and the organization whose secret signed the record. */
export type Seen = Pick<EventRecord, 'at' | 'repository' | 'signedBy' | 'replayed'>;

/**
 * Creates or renames a repository as a record reports, and returns the repository. A relay in the outbox informs the
 * directory.
 * @param seenAt host time of the record's content
 * @param body the event; undefined for data that was read from the host
 * @returns undefined if the record is a claim that `claims.ts` refuses
 */
export function recordRepository(
  partition: Partition,
  reported: Seen,
  seenAt: number,
  body?: EventBody,
): RepositoryRecord | undefined {
  const { id } = reported.repository;
  const stored = readRepository(partition, id);
  const verdict = judgeClaim(stored, reported);
  if (verdict === 'refused') return undefined;
  if (verdict === 'restarts') giveUpRepository(partition, id, stored?.claimedBy);
  const before = verdict === 'restarts' ? undefined : stored;
  // Missing fields of the record are copied from the stored repository, but only after the verdict. The verdict can end
  // the incarnation of the stored repository, so it must not depend on the fields of that incarnation.
  const record = before ? completed(before, reported) : reported;
  finishErasing(partition, id);
  const known = before && withComparedTime(before, record, seenAt);
  const merged = mergeRepository(known, record, seenAt, body);
  // A replayed record has the time of its replay.
  const isDelivery = body !== undefined && record.replayed === undefined;
  const received = isDelivery ? withEventTime(known, merged, record.at) : merged;
  const after = withProvedTime(known, received, record, seenAt);
  // `supersedes` is set if the host has refuted another organization's claim. The directory partition still lists the
  // other organization, and may not know the new claimant yet.
  const isNewToDirectory = record.signedBy?.supersedes !== undefined && before?.claimedBy === undefined;
  if (after === before && !isNewToDirectory) return before;
  writeRepository(partition, after);
  if (isNewToDirectory || !before || after.revision !== before.revision || after.claimedBy !== before.claimedBy) {
    relayToDirectory(
      partition,
      after,
      record.at,
      record.signedBy === undefined ? undefined : (after.claimedBy ?? null),
    );
  }
  if (before) follow(partition, before, after);
  if (before && hasNewOwner(before, after)) endAutomation(partition, id, record.at);
  return after;
}

/** Whether a repository has another owner. An owner that was known by its login only and gets its number is the same. */
function hasNewOwner({ owner: before }: RepositoryRecord, { owner: after }: RepositoryRecord): boolean {
  if (before.id === after.id) return false;
  return (isNumber(before.id) && isNumber(after.id)) || !sameLogin(before.login, after.login);
}

/** Sends a repository to the directory by a relay. `claimedBy` is undefined if the signer of the record is unknown. */
function relayToDirectory(
  partition: Partition,
  repository: RepositoryRecord,
  at: number,
  claimedBy: string | null | undefined,
): void {
  const { seenAt } = repository;
  const claim = claimedBy === undefined ? {} : { claimedBy };
  const body = { relay: 'repositorySeen' as const, repository: reportedFields(repository), seenAt, ...claim };
  writeEffect(partition, { effect: 'relay', target: 'directory', at, body });
}

/**
 * Removes a repository whose organization was erased. If the repository belongs to another organization by now, the
 * repository is kept, and a relay reports it to the directory partition again. If the relay that requests the removal
 * is replayed, it must not affect a repository that was added again in the meantime.
 */
export function foldErased(
  partition: Partition,
  { at, replayed }: Pick<RelayRecord, 'at' | 'replayed'>,
  { repoId, orgId, ownerId, login, keepPublished }: Extract<RelayBody, { relay: 'repositoryErased' }>,
): void {
  const known = readRepository(partition, repoId);
  // A rule can be set before the first event of the repository.
  if (!known) return removeAutomation(partition, repoId);
  if (replayed && known.createdAt > at) return;
  const isProvedOwner = known.claimedBy === undefined && isOwnedBy(known, ownerId, login);
  if (keepPublished && isProvedOwner) keepPublishedNotes(partition, known, at);
  else if (orgId === undefined || known.claimedBy === orgId || isProvedOwner)
    giveUpRepository(partition, repoId, orgId === undefined ? undefined : known.claimedBy);
  else relayToDirectory(partition, known, at, known.claimedBy ?? null);
}

/**
 * Whether a given owner owns a repository. If the repository was stored without its owner's number, the owner's login
 * is compared with `login`.
 * @param ownerId undefined or null if the owner has no number
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
 * Returns the stored repository with the time that the record's time is compared with. Usually this is the stored time.
 * There are three exceptions:
 * - The record is proved and the repository is only claimed. The stored repository then counts as the oldest, because
 *   the claimant chose its time.
 * - A proved record reports a transfer. It is compared with `provedAt`, the newest time of a proved record. A later
 *   stored time comes from a record that was signed with the owner's own secret, and must not prevent the transfer.
 * - The stored time is far ahead of the record's time of receipt. The stored repository then counts as the oldest. Such
 *   a time was stored before Tidings limited times.
 */
function withComparedTime(
  stored: RepositoryRecord,
  { at, signedBy, repository }: Seen,
  seenAt: number,
): RepositoryRecord {
  if (signedBy === undefined) return stored;
  if (signedBy === null && stored.claimedBy !== undefined) return { ...withoutClaim(stored), seenAt: 1 };
  const isTransfer = signedBy === null && repository.owner.id !== stored.owner.id;
  if (isTransfer && stored.provedAt !== undefined && seenAt > stored.provedAt) {
    const { provedAt, ...others } = stored;
    return { ...others, seenAt: provedAt };
  }
  return stored.seenAt > at + 2 * maxAheadMs ? { ...stored, seenAt: 1 } : stored;
}

/**
 * Returns the repository with `provedAt`, the newest time among the proved records of the repository. The field is
 * stored only while `seenAt` is later. In that case, `seenAt` comes from a record that was signed with the owner's own
 * secret.
 */
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
 * Returns the merged repository with the time of its newest delivery. A stored time that is far ahead is replaced. It was
 * stored while the clock of this service was ahead.
 * @param known the repository before the merge
 */
function withEventTime(
  known: RepositoryRecord | undefined,
  merged: RepositoryRecord,
  receivedAt: number,
): RepositoryRecord {
  const { lastEventAt = 0 } = merged;
  if (receivedAt <= lastEventAt && lastEventAt <= receivedAt + 2 * maxAheadMs) return merged;
  if (merged.lastEventAt === undefined) return copyRepository({ ...merged, lastEventAt: receivedAt });
  // A merged repository is a new copy already, unless the merge has changed nothing.
  const later = merged === known ? copyRepository(merged) : merged;
  later.lastEventAt = receivedAt;
  return later;
}

/**
 * Renames a repository because its owner was renamed at `at`. Nothing changes if this partition does not know the
 * repository, or if the repository has moved to another owner.
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
  recordRepository(partition, { at, repository }, Math.max(at, known.seenAt + 1));
}

/**
 * Requests a recount after the repository or its default branch was renamed, because both renames can change a count:
 * - The names of the repository decide which issue links refer to it.
 * - If captured pushes do not connect two tags, pull requests are selected by merge date and base branch. Former names
 *   of the default branch then count as the same branch.
 */
function follow(partition: Partition, before: RepositoryRecord, after: RepositoryRecord): void {
  // Most records only advance the time of the repository. They share the lists of names with the stored repository.
  if (sharesNames(before, after)) return;
  const renamed = !isDeepStrictEqual(namesOf(after), namesOf(before));
  const sameBranches = isDeepStrictEqual(branchesOf(after), branchesOf(before));
  if (renamed) relink(partition, after);
  if (!renamed && sameBranches) return;
  const repoId = after.id;
  if (hasRanges(partition, repoId)) writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
}

/** Whether two states have the same names and default branches, because one was copied from the other. */
function sharesNames(a: RepositoryRecord, b: RepositoryRecord): boolean {
  return (
    a.fullName === b.fullName &&
    a.formerNames === b.formerNames &&
    a.defaultBranch === b.defaultBranch &&
    a.formerBranches === b.formerBranches
  );
}

/**
 * Derives the issue links of all pull requests again. A link may use any current or former name of the repository,
 * because a pull request can arrive before the repository is renamed or after it.
 */
function relink(partition: Partition, repository: RepositoryRecord): void {
  for (const pull of pullsNumbered(partition, repository.id, 1, maxNumber)) {
    const links = linksOf(pull, repository);
    if (!isDeepStrictEqual(links, pull.linkedIssues)) {
      writePull(partition, repository.id, { ...pull, linkedIssues: links }, pull);
    }
  }
}

function namesOf({ fullName, formerNames }: RepositoryRecord): string[] {
  return [fullName, ...formerNames].sort();
}

function branchesOf({ defaultBranch, formerBranches }: RepositoryRecord): unknown[] {
  return [defaultBranch, formerBranches];
}

/**
 * Merges the data of a record into the repository. The newest record decides the repository's name; all other names
 * become former names.
 */
function mergeRepository(
  before: RepositoryRecord | undefined,
  { repository: seen, at, signedBy }: Seen,
  seenAt: number,
  body: EventBody | undefined,
): RepositoryRecord {
  if (before && body?.event !== 'repository' && reportsTheSame(seen, before)) {
    if (seenAt <= before.seenAt) return before;
    const later = copyRepository(before);
    later.seenAt = seenAt;
    return later;
  }
  const claim = signedBy ? { claimedBy: signedBy.org } : {};
  const { bare: _, ...fresh } = seen;
  const known = before ?? { ...fresh, formerNames: [], createdAt: at, seenAt, revision: 1, ...claim };
  const [newer, older] = isNewer(seen, seenAt, known) ? [seen, known] : [known, seen];
  const after = {
    ...known,
    ...reportedFields(newer),
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
  if (!before) return copyRepository(after);
  if (!isDeepStrictEqual(reportedFields(after), reportedFields(before))) after.revision += 1;
  return isDeepStrictEqual(after, before) ? before : copyRepository(after);
}

/**
 * Returns the record. Its missing fields (numbers on the host, privacy, address) are filled in from the stored
 * repository. A claim cannot change the repository's number. A claim cannot change the number of a proved owner either.
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

/**
 * Returns `owner` with the number of `known` if both have the same login and only `known` has a number. Otherwise
 * returns `owner` unchanged.
 */
function withNumber(owner: EventRepository['owner'], known: EventRepository['owner']): EventRepository['owner'] {
  const isSame = !isNumber(owner.id) && isNumber(known.id) && sameLogin(owner.login, known.login);
  return isSame ? { ...owner, id: known.id } : owner;
}

/**
 * Returns the former default branches with the branch `name` added, in a fixed order. If the branch is listed already,
 * the later time counts.
 */
function withBranch(known: [string, number][] = [], name: string, until: number): [string, number][] {
  const branches = new Map(known);
  branches.set(name, Math.max(until, branches.get(name) ?? 0));
  return [...branches].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Whether the seen state is newer than the known state. At equal times the state that is greater as JSON text wins,
 * regardless of the order of arrival.
 */
function isNewer(seen: EventRepository, seenAt: number, known: RepositoryRecord): boolean {
  if (seenAt !== known.seenAt) return seenAt > known.seenAt;
  return sortText(seen) > sortText(known);
}

function sortText(repository: EventRepository): string {
  return JSON.stringify(reportedFields(repository));
}

/**
 * Whether two states of a repository are equal. The function compares fields instead of JSON, because it runs for every
 * event.
 */
function reportsTheSame(a: EventRepository, b: EventRepository): boolean {
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

/** Returns the fields of a repository that an event reports, in a fixed order. */
function reportedFields({
  id,
  origin,
  hostId,
  fullName,
  defaultBranch,
  url,
  private: isPrivate,
  owner,
}: EventRepository) {
  return { id, origin, hostId, fullName, defaultBranch, url, private: isPrivate, owner };
}

/**
 * Returns the time by which renames are ordered. This is the time that the host gives for the content of the event, or
 * the time of receipt if the host gives no time. Repository events count as the last events of their second. A label
 * event has no host time and must not bring an old name back, so its time is 0.
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
    case 'issue_removed':
      return body.seenAt;
    default:
      return unreachable(body, 'the kind of the event is not known');
  }
}
