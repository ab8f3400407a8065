/**
 * Merges snapshots of pull requests, issues, tags, pushes and commits into the stored records. All functions are pure;
 * `actor.ts` stores their results. For snapshots with a host time, neither the order of arrival nor duplicates change
 * the outcome. Snapshots without a host time are ordered by their receipt (`undated.ts`). A snapshot can leave out some
 * parts of a record, for example its labels. Each such part has its own version (time and rank).
 */
import { isDeepStrictEqual } from 'node:util';
import { linkedIssues } from '../../src/notes/change/link.ts';
import type { IssueSnapshot, PullSnapshot, PushedCommit, TagPush } from '../../src/protocol/events.ts';
import {
  type CommitRecord,
  type IssueRecord,
  IssueRecordSchema,
  type PullRecord,
  PullRecordSchema,
  type PushRecord,
  type RepositoryRecord,
  type TagRecord,
  type Version,
} from '../../src/protocol/stored.ts';
import { copierOf } from './copies.ts';
import { repeatsIssue, repeatsPull } from './repeats.ts';
import { orderOf, type Receipt, undatedRank, withoutFutureTime } from './undated.ts';

/**
 * Ranks of actions. They order snapshots of the same second, because host times have no finer resolution. Data read
 * over REST has the lowest rank, so a delivery of the same second wins.
 */
const actionRanks: Record<string, number> = {
  backfilled: 0,
  opened: 1,
  edited: 2,
  labeled: 3,
  unlabeled: 4,
  reopened: 6,
  closed: 7,
  merged: 7,
};
const otherRank = 5;
/** Version of a part of a record (such as its labels) that no snapshot has contained yet. */
const never: Version = [0, 0];

const copyPull = copierOf<PullRecord>(PullRecordSchema);
const copyIssue = copierOf<IssueRecord>(IssueRecordSchema);

/** Returns the stored pull request merged with a snapshot, or `stored` itself if the snapshot changes nothing. */
export function mergePull(
  stored: PullRecord | undefined,
  snapshot: PullSnapshot,
  action: string,
  repository: RepositoryRecord,
  receipt: Receipt = {},
): PullRecord {
  const rank = actionRanks[action] ?? otherRank;
  if (stored && repeatsPull(stored, snapshot, rank)) return stored;
  const before = withoutFutureTime(stored, receipt);
  const { undated } = snapshot;
  const after = copyPull(snapshot);
  // The same body links the same issues. When the repository is renamed, the links of all its pull requests are
  // derived again.
  after.linkedIssues = stored?.body === snapshot.body ? stored.linkedIssues : linksOf(snapshot, repository);
  after.rank = rank;
  if (!snapshot.labels) {
    after.labels = [];
    after.labelsAt = never;
  }
  if (undated) Object.assign(after, orderOf(snapshot, action, before, receipt));
  if (!stored || !before) return copyPull(after);
  if (undated) {
    after.baseRef ??= before.baseRef;
    after.headRef ??= before.headRef;
    if (after.headSha === undefined && before.headSha !== undefined) after.headSha = before.headSha;
    after.createdAt ??= before.createdAt;
    if (after.state === 'closed' && before.state === 'closed') after.closedAt = before.closedAt;
  }
  const newer = laterOf(before, after, versionOf, pullTexts);
  const merged = copyPull(newer);
  Object.assign(merged, stateAndTimesOf(before, after), mergeOf(before, after, newer), labelsOf(before, after, newer));
  merged.firstTime = firstTimeOf(before, after);
  merged.reactions = before.reactions;
  return unlessSame(stored, copyPull(merged));
}

/** Returns the numbers of the issues that the body of a pull request links, whatever name of the repository it uses. */
export function linksOf({ body, number }: PullSnapshot, { fullName, formerNames, origin }: RepositoryRecord): number[] {
  return linkedIssues(body, { fullName, formerNames, origin, ownNumber: number });
}

/**
 * Merges the state and the times of a pull request. A proved merge is never undone, even if the proof is in an older
 * snapshot. If snapshots contain several merge times, the earliest one counts.
 */
function stateAndTimesOf(before: PullRecord, after: PullRecord): Partial<PullRecord> {
  const merges = [before, after].filter((pull) => pull.state === 'merged');
  if (merges.length === 0) {
    const { state, closedAt } = laterOf(before, after, versionOf, (pull) => [pull.state === 'closed', pull.closedAt]);
    return { state, closedAt };
  }
  return {
    state: 'merged',
    mergedAt: earliest(merges.map((pull) => pull.mergedAt)),
    closedAt: earliest(merges.map((pull) => pull.closedAt)),
  };
}

/**
 * Chooses the newest known merge commit. A host can name a different merge commit later, and some snapshots do not
 * contain the merge commit.
 */
function mergeOf(before: PullRecord, after: PullRecord, newer: PullRecord): Partial<PullRecord> {
  if (before.mergeSha === null && after.mergeSha === null) return { mergeSha: null, mergeShaAt: undefined };
  const version = (pull: PullRecord) => (pull.mergeSha === null ? never : (pull.mergeShaAt ?? versionOf(pull)));
  const later = laterOf(before, after, version, ({ mergeSha }) => [mergeSha ?? '']);
  return { mergeSha: later.mergeSha, mergeShaAt: unlessOwn(version(later), newer) };
}

/**
 * Merges what the host reports about the author. `true` wins over `false` and both win over nothing, so the order of
 * arrival does not matter. `true` is never undone: after the first of an author's pull requests is merged, the host
 * calls the author a contributor in the others too.
 */
function firstTimeOf(before: PullRecord, after: PullRecord): boolean | undefined {
  return before.firstTime || after.firstTime || (before.firstTime ?? after.firstTime);
}

/** Returns a pull request with its number of reactions. Zero is not stored, because nearly all pull requests have it. */
export function withReactions(pull: PullRecord, reactions: number): PullRecord {
  if ((pull.reactions ?? 0) === reactions) return pull;
  return copyPull({ ...pull, reactions: reactions === 0 ? undefined : reactions });
}

/** Returns the stored issue merged with a snapshot, or `stored` itself if the snapshot changes nothing. */
export function mergeIssue(
  stored: IssueRecord | undefined,
  snapshot: IssueSnapshot,
  action: string,
  receipt: Receipt = {},
): IssueRecord {
  const rank = actionRanks[action] ?? otherRank;
  if (stored && repeatsIssue(stored, snapshot, rank)) return stored;
  const before = withoutFutureTime(stored, receipt);
  const { state = 'open', undated } = snapshot;
  const after = copyIssue(snapshot);
  after.state = state;
  after.closedAt = state === 'open' ? null : (snapshot.closedAt ?? snapshot.updatedAt);
  after.rank = rank;
  if (!snapshot.labels) {
    after.labels = [];
    after.labelsAt = never;
  }
  if (!snapshot.state) after.stateAt = never;
  if (undated) Object.assign(after, orderOf(snapshot, action, before, receipt));
  if (!stored || !before) return copyIssue(after);
  if (undated) {
    after.createdAt ??= before.createdAt;
    if (after.state === 'closed' && before.state === 'closed') after.closedAt = snapshot.closedAt ?? before.closedAt;
  }
  const newer = laterOf(before, after, versionOf, issueTexts);
  const merged = copyIssue(newer);
  Object.assign(merged, stateOf(before, after, newer), labelsOf(before, after, newer));
  Object.assign(merged, reactionsOf(before, after, newer));
  return unlessSame(stored, copyIssue(merged));
}

/**
 * Chooses the newest known number of reactions. A reaction sends no event and does not change the time of the issue. So
 * snapshots of the same time can have different numbers. Then the largest number counts, not the rank of the action.
 */
function reactionsOf(before: IssueRecord, after: IssueRecord, newer: IssueRecord): Partial<IssueRecord> {
  const timeOf = (issue: IssueRecord) => (issue.reactions === undefined ? -1 : (issue.reactionsAt ?? issue.updatedAt));
  const order = timeOf(after) - timeOf(before) || (after.reactions ?? 0) - (before.reactions ?? 0);
  const later = order > 0 ? after : before;
  const isOwn = later.reactions === undefined || timeOf(later) === newer.updatedAt;
  return { reactions: later.reactions, reactionsAt: isOwn ? undefined : timeOf(later) };
}

function stateOf(before: IssueRecord, after: IssueRecord, newer: IssueRecord): Partial<IssueRecord> {
  const version = (issue: IssueRecord) => issue.stateAt ?? versionOf(issue);
  const tieBreak = (issue: IssueRecord) => [issue.state === 'closed', issue.closedAt, issue.stateReason];
  const later = laterOf(before, after, version, tieBreak);
  const { state, stateReason, closedAt } = later;
  return { state, stateReason, closedAt, stateAt: unlessOwn(version(later), newer) };
}

type Captured = PullRecord | IssueRecord;

/**
 * Merges labels. Of two `labeled` events in the same second, the one with more labels counts. Of two `unlabeled`
 * events, the one with fewer labels counts.
 */
function labelsOf(before: Captured, after: Captured, newer: Captured): Pick<Captured, 'labels' | 'labelsAt'> {
  const version = (record: Captured) => record.labelsAt ?? versionOf(record);
  const tieBreak = (record: Captured) => {
    const { length } = record.labels;
    const weights = { [actionRanks.labeled as number]: length, [actionRanks.unlabeled as number]: 1e6 - length };
    return [String(weights[version(record)[1]] ?? 0).padStart(7, '0'), record.labels];
  };
  const later = laterOf<Captured>(before, after, version, tieBreak);
  return { labels: later.labels, labelsAt: unlessOwn(version(later), newer) };
}

/**
 * Returns the record with the later version. If the versions are equal, the record whose `tieBreak` is greater as JSON
 * text wins, regardless of the order of arrival. If the host gave no time, the record that was received last wins.
 */
function laterOf<T>(before: T, after: T, version: (record: T) => Version, tieBreak: (record: T) => unknown[]): T {
  const order = compareVersions(version(after), version(before));
  if (order !== 0) return order > 0 ? after : before;
  if (version(after)[1] === undatedRank) return after;
  return JSON.stringify(tieBreak(after)) > JSON.stringify(tieBreak(before)) ? after : before;
}

function pullTexts({ title, body, author, createdAt, baseRef, headRef, url, headSha = '' }: PullRecord): unknown[] {
  return [title, body, author.login, author.bot, createdAt, baseRef, headRef, url, headSha];
}

function issueTexts({ title, body, author, createdAt, url }: IssueRecord): unknown[] {
  return [title, body, author.login, author.bot, createdAt, url];
}

function versionOf({ updatedAt, rank }: Captured): Version {
  return [updatedAt, rank];
}

function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1];
}

/** Returns a part's version, or undefined if it equals the version of the whole record and need not be stored. */
function unlessOwn(version: Version, record: Captured): Version | undefined {
  return compareVersions(version, versionOf(record)) === 0 ? undefined : version;
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

function unlessSame<T extends Captured>(before: T, merged: T): T {
  // Most snapshots are newer than the stored record. These two fields tell so without comparing all others.
  if (merged.updatedAt !== before.updatedAt || merged.rank !== before.rank) return merged;
  return isDeepStrictEqual(merged, before) ? before : merged;
}

/**
 * Returns the stored tag merged with a push or deletion of that tag. The later event wins. At equal times, a push wins
 * over a deletion. Between two pushes or two deletions at the same time, the content decides, not the order of arrival.
 *
 * For a new tag, the host sends a create event (`hint`) in addition to the push. The create event contains less data.
 * So any push or deletion of the tag replaces it, even a push or deletion with an earlier time.
 */
export function mergeTag(before: TagRecord | undefined, push: TagPush): TagRecord {
  const after: TagRecord = {
    name: push.name,
    sha: push.sha ?? push.object,
    tagObject: push.sha !== null && push.object !== null && push.object !== push.sha ? push.object : null,
    baseRef: push.baseRef,
    date: push.date ?? (push.hint ? null : push.pushedAt),
    pushedAt: push.pushedAt,
    deleted: push.deleted,
    ...(push.hint && !push.deleted && { hint: true }),
  };
  if (!before) return after;
  if (Boolean(before.hint) !== Boolean(after.hint)) return before.hint ? after : before;
  const version = (tag: TagRecord): Version => [tag.pushedAt, tag.deleted ? 0 : 1];
  return laterOf(before, after, version, (tag) => [tag.sha, tag.tagObject, tag.date, tag.baseRef]);
}

/**
 * Chooses one of two pushes to the same commit. For example, two such pushes exist after a branch was reset or after a
 * backfill. The push with the higher rank (`trustIn`) wins. If both pushes have the same rank, these criteria decide,
 * in this order: no gap, not forced, more commits, the earlier time.
 */
export function mergePush(before: PushRecord | undefined, after: PushRecord): PushRecord {
  if (!before) return after;
  const [old, fresh] = [worthOf(before), worthOf(after)];
  const difference = fresh.map((value, i) => value - (old[i] as number)).find((value) => value !== 0);
  if (difference !== undefined) return difference > 0 ? after : before;
  return JSON.stringify(after) < JSON.stringify(before) ? after : before;
}

/**
 * Returns the sort keys of a push, the most significant one first. One sort key is the number of commits: the same step
 * can list more commits after a deeper backfill than after an earlier backfill.
 */
function worthOf(push: PushRecord): number[] {
  return [trustIn(push), Number(!push.gap), Number(!push.forced), push.shas.length, -push.at];
}

/**
 * Ranks a push by how completely the push shows the history of its branch. From the highest rank to the lowest: a push
 * with a complete chain, a step of a backfill without a gap, any other push, a step with a gap.
 */
function trustIn({ before, forced, gap, backfilled }: PushRecord): number {
  if (backfilled) return gap ? 0 : 2;
  return before !== null && !forced && !gap ? 3 : 1;
}

/**
 * Returns the stored commit merged with the data of a push that lists the commit. `listed` contains the branch and the
 * head of that push. If any push contained the author's handle, the handle is kept. Data from a push replaces data that
 * was read from the host. The parents are kept, because no push contains parents.
 */
export function mergeCommit(
  before: CommitRecord | undefined,
  commit: PushedCommit,
  listed: [branch: string, after: string],
): CommitRecord {
  const { sha, message, at, author, coAuthors } = before && !before.backfilled ? firstOf(before, commit) : commit;
  const pushes = listedBy(before, listed);
  const merged = { sha, message, at, author, coAuthors, pushes, ...(before?.parents && { parents: before.parents }) };
  return before && isDeepStrictEqual(merged, before) ? before : merged;
}

function firstOf(before: PushedCommit, after: PushedCommit): PushedCommit {
  const sortText = ({ message, at, author, coAuthors }: PushedCommit) =>
    JSON.stringify([author === null, message, at, author, coAuthors]);
  return sortText(after) < sortText(before) ? after : before;
}

/** Returns the pushes that list a commit, including the push `listed`, in a fixed order. */
export function listedBy(before: CommitRecord | undefined, listed: [string, string]): CommitRecord['pushes'] {
  if (!before) return [listed];
  const pushes = [...before.pushes, listed].map((pair) => pair.join('\n'));
  return [...new Set(pushes)].sort().map((pair) => pair.split('\n') as [string, string]);
}
