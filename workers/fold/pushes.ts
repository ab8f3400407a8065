/**
 * Folds how branches grew: pushes that the host told of, and the commits and steps that a backfill read. What is stored does
 * not depend on which of them comes first.
 */
import type { BranchPush, BranchStep, ListedCommit } from '../../src/protocol/events.ts';
import type { PushRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readCommit, readPush, writeCommit, writePush } from '../../src/store/tables/pushes.ts';
import { noteSync } from '../../src/store/tables/syncs.ts';
import { listedBy, mergeCommit, mergePush } from './capture.ts';

/**
 * Folds a push, told of at `at`; a long one comes in parts, each a push of its own whose `before` is the end of the one
 * before it.
 * @returns whether anything changed
 */
export function foldPush(partition: Partition, repoId: string, push: BranchPush, at: number): boolean {
  if (push.deleted || push.commits.length === 0) return false;
  for (const commit of push.commits) {
    const before = readCommit(partition, repoId, commit.sha);
    const after = mergeCommit(before, commit, [push.branch, push.after]);
    if (after !== before) writeCommit(partition, repoId, after);
  }
  return keepPush(
    partition,
    repoId,
    {
      branch: push.branch,
      before: push.before,
      after: push.after,
      baseRef: push.baseRef,
      shas: push.commits.map((commit) => commit.sha),
      forced: push.forced,
      gap: push.gap,
      at: push.pushedAt,
    },
    at,
  );
}

/** Folds commits with their parents; what a push has told of one stands. */
export function foldCommits(partition: Partition, repoId: string, commits: readonly ListedCommit[], at: number): void {
  for (const commit of commits) {
    noteSync(partition, [repoId, 'commit', commit.sha], at);
    const known = readCommit(partition, repoId, commit.sha);
    const told = known && !known.backfilled ? known : { ...commit, pushes: known?.pushes ?? [], backfilled: true };
    writeCommit(partition, repoId, { ...told, parents: commit.parents });
  }
}

/**
 * Folds the steps of a branch, pushes of one commit of its line each. Their commits must have been folded before.
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
    changed = keepPush(partition, repoId, push, at) || changed;
  }
  return changed;
}

/** Writes a push unless one is known that tells more, or the same. */
function keepPush(partition: Partition, repoId: string, push: PushRecord, at: number): boolean {
  const before = readPush(partition, repoId, push.branch, push.after);
  const after = mergePush(before, push);
  noteCapture(partition, repoId, { before, after, told: push.shas }, at);
  if (after === before) return false;
  writePush(partition, repoId, after);
  return true;
}

/** A push is captured once, and its commits go with it; those that only another telling of it listed go by themselves. */
function noteCapture(
  partition: Partition,
  repoId: string,
  { before, after, told }: { before: PushRecord | undefined; after: PushRecord; told: readonly string[] },
  at: number,
): void {
  if (!before) return noteSync(partition, [repoId, 'push', after.branch, after.after], at);
  const kept = new Set(after.shas);
  for (const sha of [...before.shas, ...told]) if (!kept.has(sha)) noteSync(partition, [repoId, 'commit', sha], at);
}
