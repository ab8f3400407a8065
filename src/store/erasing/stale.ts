/**
 * Erases pull requests, issues, pushes and commits that the host has not reported for a long time. The comments of a
 * pull request or issue and the commits of a push are also erased. A sync is the row that stores the day on which the
 * host last reported such an object (`tables/syncs.ts`). The caller decides which syncs are stale. This file also
 * counts the rows to erase, so that a sweep erases exactly the records that the sweep has reported.
 */
import type { RecordCounts } from '../../protocol/retention.ts';
import type { CommitRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';
import { removeComments } from '../tables/comments.ts';
import { readIssue } from '../tables/issues.ts';
import { removeNoteCheck } from '../tables/note-checks.ts';
import { authorKey, readPull, removeMergedAs } from '../tables/pulls.ts';
import { readCommit, readPush, writeCommit } from '../tables/pushes.ts';
import { noCounts } from '../tables/retention.ts';
import { hasSync, isStale, removeSync, type SyncKey } from '../tables/syncs.ts';
import { countMerge } from '../tables/weeks.ts';

/** Counts the records that erasing a stale sync would remove. */
export function countStale(partition: Partition, key: SyncKey, before: number): RecordCounts {
  const [repoId, kind, id] = key;
  if (kind === 'number') return countNumber(partition, repoId, id);
  if (kind === 'push') return countPush(partition, key, before);
  const commit = readCommit(partition, repoId, id);
  return { ...noCounts(), commits: commit && pushesListing(partition, repoId, commit).length === 0 ? 1 : 0 };
}

function countNumber(partition: Partition, repoId: string, number: number): RecordCounts {
  return {
    ...noCounts(),
    pulls: readPull(partition, repoId, number) ? 1 : 0,
    issues: readIssue(partition, repoId, number) ? 1 : 0,
    comments: partition.tables.comments.getKeysCount(commentsOf(repoId, number)),
  };
}

/**
 * Counts the records of a stale push. If several stale pushes list the same commit, the commit is counted only once,
 * together with the first push in the commit's row.
 */
function countPush(partition: Partition, key: SyncKey & { 1: 'push' }, before: number): RecordCounts {
  const [repoId, , branch, after] = key;
  const push = readPush(partition, repoId, branch, after);
  const isErased = (sha: string): boolean => {
    const commit = readCommit(partition, repoId, sha);
    if (!commit || commit.pushes[0]?.[0] !== branch || commit.pushes[0]?.[1] !== after) return false;
    const own: SyncKey = [repoId, 'commit', sha];
    if (hasSync(partition, own) && !isStale(partition, own, before)) return false;
    return commit.pushes.every((each) => isStale(partition, [repoId, 'push', ...each], before));
  };
  return { ...noCounts(), pushes: push ? 1 : 0, commits: push ? push.shas.filter(isErased).length : 0 };
}

/** Erases the records of a stale sync, and the sync itself. */
export function eraseStale(partition: Partition, key: SyncKey): RecordCounts {
  const [repoId, kind, id] = key;
  const erased =
    kind === 'number'
      ? eraseNumber(partition, repoId, id)
      : kind === 'push'
        ? erasePush(partition, key)
        : eraseCommit(partition, repoId, id);
  removeSync(partition, key);
  return erased;
}

function eraseNumber(partition: Partition, repoId: string, number: number): RecordCounts {
  const { pulls, pullsByMergedAt, pullsByAuthor, publishedPulls, earlyReactions } = partition.tables;
  const { issues, issuesByClosedAt, removedIssues } = partition.tables;
  const erased = countNumber(partition, repoId, number);
  const pull = readPull(partition, repoId, number);
  if (pull) pulls.removeSync([repoId, number]);
  if (pull?.mergeSha) removeMergedAs(partition, repoId, pull.mergeSha, number);
  if (pull && pull.mergedAt !== null) pullsByMergedAt.removeSync([repoId, pull.mergedAt, number]);
  countMerge(partition, repoId, pull, undefined);
  publishedPulls.removeSync([repoId, number]);
  const author = pull && authorKey(repoId, pull);
  if (author) pullsByAuthor.removeSync(author);
  earlyReactions.removeSync([repoId, number]);
  const issue = readIssue(partition, repoId, number);
  if (issue) issues.removeSync([repoId, number]);
  if (issue && issue.closedAt !== null) issuesByClosedAt.removeSync([repoId, issue.closedAt, number]);
  removeComments(partition, repoId, number);
  removeNoteCheck(partition, repoId, number);
  removedIssues.removeSync([repoId, number]);
  return erased;
}

/**
 * Erases a push and its commits. A commit is kept if another push lists the commit, or if the commit has its own sync
 * record.
 */
function erasePush(partition: Partition, key: SyncKey & { 1: 'push' }): RecordCounts {
  const [repoId, , branch, after] = key;
  const push = readPush(partition, repoId, branch, after);
  if (!push) return noCounts();
  let commits = 0;
  for (const sha of push.shas) {
    const commit = readCommit(partition, repoId, sha);
    if (commit && !keepCommit(partition, repoId, without(commit, branch, after))) commits += 1;
  }
  partition.tables.pushes.removeSync([repoId, branch, after]);
  return { ...noCounts(), pushes: 1, commits };
}

function without(commit: CommitRecord, branch: string, after: string): CommitRecord {
  return { ...commit, pushes: commit.pushes.filter(([name, head]) => name !== branch || head !== after) };
}

function keepCommit(partition: Partition, repoId: string, commit: CommitRecord): boolean {
  const keep = commit.pushes.length > 0 || hasSync(partition, [repoId, 'commit', commit.sha]);
  if (keep) writeCommit(partition, repoId, commit);
  else partition.tables.commits.removeSync([repoId, commit.sha]);
  return keep;
}

function eraseCommit(partition: Partition, repoId: string, sha: string): RecordCounts {
  const commit = readCommit(partition, repoId, sha);
  if (!commit) return noCounts();
  const pushes = pushesListing(partition, repoId, commit);
  if (pushes.length > 0) writeCommit(partition, repoId, { ...commit, pushes });
  else partition.tables.commits.removeSync([repoId, sha]);
  return { ...noCounts(), commits: pushes.length > 0 ? 0 : 1 };
}

/**
 * Returns the pushes that still list a commit. A commit can name a push whose row does not list the commit. Reason: a
 * push can arrive twice with different commits. The row of the push then contains the commits of only one arrival.
 */
function pushesListing(partition: Partition, repoId: string, { sha, pushes }: CommitRecord): CommitRecord['pushes'] {
  return pushes.filter(([branch, after]) => readPush(partition, repoId, branch, after)?.shas.includes(sha));
}

function commentsOf(repoId: string, number: number) {
  return { start: [repoId, number], end: [repoId, number + 1] };
}
