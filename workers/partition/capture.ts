/**
 * Merges what an event says into what is stored: pull requests, issues and tags. Pure: the outcome does not depend on the
 * order in which snapshots arrive. Writing is left to the actor.
 */
import { linkedIssues } from '../../src/notes/link.ts';
import type { IssueSnapshot, PullSnapshot, TagPush } from '../../src/protocol/journal.ts';
import type { IssueRecord, PullRecord, RepositoryRecord, TagRecord } from '../../src/protocol/stored.ts';

/** Orders two snapshots of the same second, since the host's times have no finer grain. */
const actionRanks: Record<string, number> = {
  opened: 1,
  edited: 2,
  labeled: 3,
  unlabeled: 3,
  reopened: 5,
  closed: 6,
  merged: 6,
};
const otherRank = 4;

/** The stored pull request after a snapshot; `before` itself when nothing changes. */
export function mergePull(
  before: PullRecord | undefined,
  snapshot: PullSnapshot,
  action: string,
  repository: RepositoryRecord,
): PullRecord {
  const after: PullRecord = {
    ...snapshot,
    labels: snapshot.labels ?? before?.labels ?? [],
    linkedIssues: linkedIssues(snapshot.body, { ...repository, ownNumber: snapshot.number }),
    rank: actionRanks[action] ?? otherRank,
  };
  if (!before) return after;
  const [newer, older] = isNewer(after, before, action) ? [after, before] : [before, after];
  return keepMerge(newer, older);
}

/** A merge once proven is never undone, and an older snapshot may prove it. */
function keepMerge(newer: PullRecord, older: PullRecord): PullRecord {
  if (newer.state === 'merged') {
    if (newer.mergeSha !== null || older.mergeSha === null) return newer;
    return { ...newer, mergeSha: older.mergeSha };
  }
  if (older.state !== 'merged') return newer;
  const { state, mergedAt, mergeSha, closedAt } = older;
  return { ...newer, state, mergedAt, mergeSha, closedAt };
}

/** The stored issue after a snapshot; `before` itself when nothing changes. */
export function mergeIssue(before: IssueRecord | undefined, snapshot: IssueSnapshot, action: string): IssueRecord {
  const state = snapshot.state ?? before?.state ?? 'open';
  const closedAt = state === 'open' ? null : (snapshot.closedAt ?? before?.closedAt ?? snapshot.updatedAt);
  const after: IssueRecord = {
    ...snapshot,
    state,
    closedAt,
    labels: snapshot.labels ?? before?.labels ?? [],
    rank: actionRanks[action] ?? otherRank,
  };
  return !before || isNewer(after, before, action) ? after : before;
}

type Snapshot = { updatedAt: number; rank: number; labels: string[] };

function isNewer(after: Snapshot, before: Snapshot, action: string): boolean {
  if (after.updatedAt !== before.updatedAt) return after.updatedAt > before.updatedAt;
  if (after.rank !== before.rank) return after.rank > before.rank;
  const difference = after.labels.length - before.labels.length;
  if (difference !== 0 && action === 'labeled') return difference > 0;
  if (difference !== 0 && action === 'unlabeled') return difference < 0;
  return JSON.stringify(after) > JSON.stringify(before);
}

/** The stored tag after a push of it; deliveries older than the stored one fill gaps only. */
export function mergeTag(before: TagRecord | undefined, push: TagPush): TagRecord {
  const after: TagRecord = {
    name: push.name,
    sha: push.sha ?? push.object,
    tagObject: push.sha !== null && push.object !== push.sha ? push.object : null,
    baseRef: push.baseRef,
    date: push.date ?? push.pushedAt,
    pushedAt: push.pushedAt,
    deleted: push.deleted,
  };
  if (!before || push.pushedAt > before.pushedAt) return after;
  if (push.pushedAt < before.pushedAt) return before;
  return after.deleted ? before : after;
}
