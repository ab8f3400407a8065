/**
 * Folds how branches grew: pushes that the host told of, and the commits and steps that a backfill read. What is stored does
 * not depend on which of them comes first.
 */
import type { BranchPush, BranchStep, ListedCommit, PushedCommit } from '../../src/protocol/journal.ts';
import type { CommitRecord, PushRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readCommit, readPush, writeCommit, writePush } from '../../src/store/pushes.ts';

/**
 * Folds a push; a long one comes in parts, each a push of its own whose `before` is the end of the one before it.
 * @returns whether anything changed
 */
export function foldPush(partition: Partition, repoId: string, push: BranchPush): boolean {
  if (push.deleted || push.commits.length === 0) return false;
  const known = readPush(partition, repoId, push.branch, push.after);
  if (known && !known.backfilled) return false;
  for (const commit of push.commits) foldPushedCommit(partition, repoId, commit, push);
  return keepPush(partition, repoId, {
    branch: push.branch,
    before: push.before,
    after: push.after,
    baseRef: push.baseRef,
    shas: push.commits.map((commit) => commit.sha),
    forced: push.forced,
    gap: push.gap,
    at: push.pushedAt,
  });
}

/** Folds commits with their parents; what a push has told of one stands. */
export function foldCommits(partition: Partition, repoId: string, commits: readonly ListedCommit[]): void {
  for (const commit of commits) {
    const known = readCommit(partition, repoId, commit.sha);
    const told = known && !known.backfilled ? known : { ...commit, pushes: known?.pushes ?? [], backfilled: true };
    writeCommit(partition, repoId, { ...told, parents: commit.parents });
  }
}

/**
 * Folds the steps of a branch, pushes of one commit of its line each. Their commits must have been folded before.
 * @returns whether anything changed
 */
export function foldSteps(partition: Partition, repoId: string, branch: string, steps: readonly BranchStep[]): boolean {
  let changed = false;
  for (const step of steps) {
    for (const sha of step.shas) {
      const commit = readCommit(partition, repoId, sha);
      if (commit) writeCommit(partition, repoId, { ...commit, pushes: listedBy(commit, branch, step.after) });
    }
    const push: PushRecord = { branch, ...step, baseRef: null, forced: false, backfilled: true };
    changed = keepPush(partition, repoId, push) || changed;
  }
  return changed;
}

function foldPushedCommit(partition: Partition, repoId: string, commit: PushedCommit, push: BranchPush): void {
  const known = readCommit(partition, repoId, commit.sha);
  const pushes = listedBy(known, push.branch, push.after);
  writeCommit(partition, repoId, { ...commit, pushes, ...(known?.parents && { parents: known.parents }) });
}

/** Writes a push unless one is known that tells at least as much. */
function keepPush(partition: Partition, repoId: string, push: PushRecord): boolean {
  const known = readPush(partition, repoId, push.branch, push.after);
  if (known && !tellsMore(push, known)) return false;
  writePush(partition, repoId, push);
  return true;
}

/** A step that a deeper backfill made can list more commits than the one before it. */
function tellsMore(push: PushRecord, known: PushRecord): boolean {
  if (trust(push) !== trust(known)) return trust(push) > trust(known);
  return push.backfilled === true && push.shas.length > known.shas.length;
}

/** A push that shows what lies below it tells more than a step, and a step more than a push that does not. */
function trust({ before, forced, gap, backfilled }: PushRecord): number {
  if (backfilled) return gap ? 0 : 2;
  return before !== null && !forced && !gap ? 3 : 1;
}

/** The pushes that list a commit, with this one, in a fixed order. */
function listedBy(known: CommitRecord | undefined, branch: string, after: string): CommitRecord['pushes'] {
  const others = (known?.pushes ?? []).filter(([onto, head]) => onto !== branch || head !== after);
  const pushes: CommitRecord['pushes'] = [...others, [branch, after]];
  return pushes.sort((a, b) => (a.join('\n') < b.join('\n') ? -1 : 1));
}
