/**
 * Folds the growth of branches: pushes that the host delivered, and commits and steps that a backfill read. The order
 * in which these arrive does not change the stored data.
 */
import { isPartEnd } from '../../src/foundation/ids.ts';
import type { BranchPush, BranchStep, ListedCommit } from '../../src/protocol/events.ts';
import type { PushRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { noteHead } from '../../src/store/tables/branch-heads.ts';
import { addCommit, addPush, readCommit, readPush, writeCommit, writePush } from '../../src/store/tables/pushes.ts';
import { noteSync } from '../../src/store/tables/syncs.ts';
import { listedBy, mergeCommit, mergePush } from './capture.ts';

/**
 * Folds a push that was received at `at`. A long push arrives in parts. Each part is a push of its own whose `before`
 * is the end of the previous part. A push without commits is stored only if it created a branch, because it then shows
 * where the branch was cut.
 * @returns whether anything changed
 */
export function foldPush(partition: Partition, repoId: string, push: BranchPush, at: number): boolean {
  const { branch, before, pushedAt } = push;
  // Only the last part of a long push ends at a commit.
  if (!isPartEnd(push.after))
    noteHead(partition, repoId, { branch, before, after: push.deleted ? null : push.after, at: pushedAt });
  if (push.deleted || (push.commits.length === 0 && push.before !== null)) return false;
  const listed: [string, string] = [push.branch, push.after];
  const kept: PushRecord = {
    branch,
    before,
    after: push.after,
    baseRef: push.baseRef,
    shas: push.commits.map((commit) => commit.sha),
    forced: push.forced,
    gap: push.gap,
    at: pushedAt,
  };
  const isNew = addCapture(partition, repoId, kept, at);
  for (const commit of push.commits) {
    // The commits of a new push are nearly always new too, so the first attempt saves a lookup.
    if (isNew && addCommit(partition, repoId, mergeCommit(undefined, commit, listed))) continue;
    const before = readCommit(partition, repoId, commit.sha);
    const after = mergeCommit(before, commit, listed);
    if (after !== before) writeCommit(partition, repoId, after);
  }
  return isNew || mergeCapture(partition, repoId, kept, at);
}

/** Folds commits with their parents. If a push has already stored a commit, only the parents are added. */
export function foldCommits(partition: Partition, repoId: string, commits: readonly ListedCommit[], at: number): void {
  for (const commit of commits) {
    noteSync(partition, [repoId, 'commit', commit.sha], at);
    const known = readCommit(partition, repoId, commit.sha);
    const base = known && !known.backfilled ? known : { ...commit, pushes: known?.pushes ?? [], backfilled: true };
    writeCommit(partition, repoId, { ...base, parents: commit.parents });
  }
}

/**
 * Folds the steps of a branch. Each step is stored as a push whose head is one commit of the first-parent line. The
 * commits of the steps must have been folded before.
 * @returns whether anything changed
 */
export function foldSteps(
  partition: Partition,
  repoId: string,
  { branch, steps }: { branch: string; steps: readonly BranchStep[] },
  at: number,
): boolean {
  let changed = false;
  for (const step of steps) {
    for (const sha of step.shas) {
      const commit = readCommit(partition, repoId, sha);
      if (commit) writeCommit(partition, repoId, { ...commit, pushes: listedBy(commit, [branch, step.after]) });
    }
    const push: PushRecord = { branch, ...step, baseRef: null, forced: false, backfilled: true };
    const isNew = addCapture(partition, repoId, push, at);
    changed = isNew || mergeCapture(partition, repoId, push, at) || changed;
  }
  const last = steps.at(-1);
  // The time of a step is the date of a commit, which can be in the future. Without the limit, no later push would be
  // newer than the step.
  if (last) noteHead(partition, repoId, { branch, ...last, at: Math.min(last.at, at) });
  return changed;
}

/** Stores a push and its sync record. Returns false if a push to the same commit is already stored. */
function addCapture(partition: Partition, repoId: string, push: PushRecord, at: number): boolean {
  if (!addPush(partition, repoId, push)) return false;
  noteSync(partition, [repoId, 'push', push.branch, push.after], at, true);
  return true;
}

/**
 * Stores a push if `mergePush` prefers it to the stored push to the same commit. The commits that the kept push does not
 * list get sync records of their own, because a push is erased together with the commits that it lists.
 * @returns whether anything changed
 */
function mergeCapture(partition: Partition, repoId: string, push: PushRecord, at: number): boolean {
  const before = readPush(partition, repoId, push.branch, push.after);
  const after = mergePush(before, push);
  const kept = new Set(after.shas);
  for (const sha of [...(before?.shas ?? []), ...push.shas])
    if (!kept.has(sha)) noteSync(partition, [repoId, 'commit', sha], at);
  if (after === before) return false;
  writePush(partition, repoId, after);
  return true;
}
