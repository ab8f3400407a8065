/**
 * Merges what an event says into what is stored: pull requests, issues and tags. Pure. Of snapshots with a time of the host
 * the outcome depends neither on the order in which they arrive nor on how often they do; those without one count in the
 * order of receipt (`undated.ts`). What a snapshot can leave out (labels, an issue's state) keeps a version of its own.
 * Writing is left to the actor.
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
import { orderOf, type Receipt, standing, undatedRank } from './undated.ts';

/**
 * Orders two snapshots of the same second, since the host's times have no finer grain. What was read by REST yields to
 * whatever a delivery tells.
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
/** Version of what no snapshot has told yet. */
const never: Version = [0, 0];

/** Fields in the order in which every record is stored, whatever its snapshots left out: equal records have equal bytes. */
const pullFields = Object.keys(PullRecordSchema.properties) as (keyof PullRecord)[];
const issueFields = Object.keys(IssueRecordSchema.properties) as (keyof IssueRecord)[];

/** The stored pull request after a snapshot; `stored` itself when nothing changes. */
export function mergePull(
  stored: PullRecord | undefined,
  snapshot: PullSnapshot,
  action: string,
  repository: RepositoryRecord,
  receipt: Receipt = {},
): PullRecord {
  const before = standing(stored, receipt);
  const { undated, ...told } = snapshot;
  const after: PullRecord = {
    ...told,
    labels: snapshot.labels ?? [],
    linkedIssues: linkedIssues(snapshot.body, { ...repository, ownNumber: snapshot.number }),
    rank: actionRanks[action] ?? otherRank,
    ...(!snapshot.labels && { labelsAt: never }),
    ...(undated && orderOf(snapshot, action, before, receipt)),
  };
  if (!stored || !before) return inOrder(after, pullFields);
  if (undated) {
    after.baseRef ??= before.baseRef;
    after.headRef ??= before.headRef;
    after.createdAt ??= before.createdAt;
    if (after.state === 'closed' && before.state === 'closed') after.closedAt = before.closedAt;
  }
  const newer = laterOf(before, after, versionOf, pullTexts);
  const merged = {
    ...newer,
    ...lifeOf(before, after),
    ...mergeOf(before, after, newer),
    ...labelsOf(before, after, newer),
  };
  return unlessSame(stored, inOrder(merged, pullFields));
}

/** A merge once proven is never undone, and an older snapshot may prove it; it has one time, the earliest told. */
function lifeOf(before: PullRecord, after: PullRecord): Partial<PullRecord> {
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

/** The merge commit last told: a host can name another one later, and a snapshot can name none. */
function mergeOf(before: PullRecord, after: PullRecord, newer: PullRecord): Partial<PullRecord> {
  if (before.mergeSha === null && after.mergeSha === null) return { mergeSha: null, mergeShaAt: undefined };
  const version = (pull: PullRecord) => (pull.mergeSha === null ? never : (pull.mergeShaAt ?? versionOf(pull)));
  const later = laterOf(before, after, version, ({ mergeSha }) => [mergeSha ?? '']);
  return { mergeSha: later.mergeSha, mergeShaAt: unlessOwn(version(later), newer) };
}

/** The stored issue after a snapshot; `stored` itself when nothing changes. */
export function mergeIssue(
  stored: IssueRecord | undefined,
  snapshot: IssueSnapshot,
  action: string,
  receipt: Receipt = {},
): IssueRecord {
  const before = standing(stored, receipt);
  const { state = 'open' } = snapshot;
  const { undated, ...told } = snapshot;
  const after: IssueRecord = {
    ...told,
    state,
    closedAt: state === 'open' ? null : (snapshot.closedAt ?? snapshot.updatedAt),
    labels: snapshot.labels ?? [],
    rank: actionRanks[action] ?? otherRank,
    ...(!snapshot.labels && { labelsAt: never }),
    ...(!snapshot.state && { stateAt: never }),
    ...(undated && orderOf(snapshot, action, before, receipt)),
  };
  if (!stored || !before) return inOrder(after, issueFields);
  if (undated) {
    after.createdAt ??= before.createdAt;
    if (after.state === 'closed' && before.state === 'closed') after.closedAt = snapshot.closedAt ?? before.closedAt;
  }
  const newer = laterOf(before, after, versionOf, issueTexts);
  const merged = { ...newer, ...stateOf(before, after, newer), ...labelsOf(before, after, newer) };
  return unlessSame(stored, inOrder(merged, issueFields));
}

function stateOf(before: IssueRecord, after: IssueRecord, newer: IssueRecord): Partial<IssueRecord> {
  const version = (issue: IssueRecord) => issue.stateAt ?? versionOf(issue);
  const told = (issue: IssueRecord) => [issue.state === 'closed', issue.closedAt, issue.stateReason];
  const later = laterOf(before, after, version, told);
  const { state, stateReason, closedAt } = later;
  return { state, stateReason, closedAt, stateAt: unlessOwn(version(later), newer) };
}

type Captured = PullRecord | IssueRecord;

/** In one second, of two label events the one that left more counts, of two unlabel events the one that left less. */
function labelsOf(before: Captured, after: Captured, newer: Captured): Pick<Captured, 'labels' | 'labelsAt'> {
  const version = (record: Captured) => record.labelsAt ?? versionOf(record);
  const told = (record: Captured) => {
    const { length } = record.labels;
    const weights = { [actionRanks.labeled as number]: length, [actionRanks.unlabeled as number]: 1e6 - length };
    return [String(weights[version(record)[1]] ?? 0).padStart(7, '0'), record.labels];
  };
  const later = laterOf<Captured>(before, after, version, told);
  return { labels: later.labels, labelsAt: unlessOwn(version(later), newer) };
}

/**
 * The later of two by version. Of one version, the one whose `told` sorts last as text, whichever came first; without a time of
 * the host, the one that came last.
 */
function laterOf<T>(before: T, after: T, version: (record: T) => Version, told: (record: T) => unknown[]): T {
  const order = compareVersions(version(after), version(before));
  if (order !== 0) return order > 0 ? after : before;
  if (version(after)[1] === undatedRank) return after;
  return JSON.stringify(told(after)) > JSON.stringify(told(before)) ? after : before;
}

function pullTexts({ title, body, author, createdAt, baseRef, headRef, url }: PullRecord): unknown[] {
  return [title, body, author.login, author.bot, createdAt, baseRef, headRef, url];
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

/** A part's version is kept only where it is not that of the whole record. */
function unlessOwn(version: Version, record: Captured): Version | undefined {
  return compareVersions(version, versionOf(record)) === 0 ? undefined : version;
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** A record with its fields in the given order; what is undefined is left out. */
function inOrder<T extends Captured>(record: T, fields: readonly (keyof T)[]): T {
  const ordered: Partial<T> = {};
  for (const field of fields) if (record[field] !== undefined) ordered[field] = record[field];
  return ordered as T;
}

function unlessSame<T extends Captured>(before: T, merged: T): T {
  return isDeepStrictEqual(merged, before) ? before : merged;
}

/**
 * The stored tag after a push of it; in one second a deletion yields to a push, else the contents decide. A create event
 * comes beside a push and knows less: it stands in for one that has not come, and yields to whatever a push or a deletion
 * told, whenever that was.
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
 * The stored push after another one to the same commit, as after a branch was set back or by a backfill: the one that shows
 * more of what lies below, then the longer way back, then the first.
 */
export function mergePush(before: PushRecord | undefined, after: PushRecord): PushRecord {
  if (!before) return after;
  const [old, fresh] = [worthOf(before), worthOf(after)];
  const difference = fresh.map((value, i) => value - (old[i] as number)).find((value) => value !== 0);
  if (difference !== undefined) return difference > 0 ? after : before;
  return JSON.stringify(after) < JSON.stringify(before) ? after : before;
}

/** A step of a deeper backfill can list more commits than that of the one before it. */
function worthOf(push: PushRecord): number[] {
  return [trustIn(push), Number(!push.gap), Number(!push.forced), push.shas.length, -push.at];
}

/** A push that shows what lies below it tells more than a step of a backfill, and a step more than a push that does not. */
function trustIn({ before, forced, gap, backfilled }: PushRecord): number {
  if (backfilled) return gap ? 0 : 2;
  return before !== null && !forced && !gap ? 3 : 1;
}

/**
 * The stored commit after a push that lists it, named by branch and head. An author's handle, once a push told it, stays;
 * what was read from the host yields to any push, but for the parents, of which no push tells.
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
  const told = ({ message, at, author, coAuthors }: PushedCommit) =>
    JSON.stringify([author === null, message, at, author, coAuthors]);
  return told(after) < told(before) ? after : before;
}

/** The pushes that list a commit, with one more, in a fixed order. */
export function listedBy(before: CommitRecord | undefined, listed: [string, string]): CommitRecord['pushes'] {
  const pushes = [...(before?.pushes ?? []), listed].map((pair) => pair.join('\n'));
  return [...new Set(pushes)].sort().map((pair) => pair.split('\n') as [string, string]);
}
