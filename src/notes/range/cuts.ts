/**
 * Finds where a branch was cut: the commit of another branch at which the branch was created. A range that dates decide
 * uses cuts as bounds: a release contains the changes of its parent branch up to the cut, and none after it.
 */

import { headOfPart } from '../../foundation/ids.ts';
import type { PushRecord } from '../../protocol/stored.ts';
import { pullsOf } from './attribute.ts';
import { branchNow } from './branches.ts';
import type { NotesSource } from './source.ts';

/** Where a branch left its parent branch. */
export interface Cut {
  /** The commit at which the branch was created. */
  sha: string;
  /** Current name of the parent branch. */
  parent: string;
  /** Time of the commit, in milliseconds. */
  at: number;
}

/** A part of the history of a tag: the tag contains the changes of `branch` up to `until` (milliseconds). */
export interface Segment {
  branch: string;
  until: number;
}

/** Maximum number of branches that are cut from each other. */
const maxSegments = 10;

/**
 * Returns where a branch was cut, if a push shows it exactly: the push created the branch, and its head is a commit that
 * was pushed to another branch before, or the host names the other branch. Returns undefined for the default branch.
 * @param until time in milliseconds. If the branch was created several times, the last time before `until` counts
 */
export function cutOf(source: NotesSource, branch: string, until: number): Cut | undefined {
  if (branch === source.repository.defaultBranch) return undefined;
  const creations = source.creationsOf(branch).filter(({ at }) => at <= until);
  const last = creations.at(-1);
  if (!last) return undefined;
  const sha = headOfPart(last.after);
  const parent = parentOf(source, last, sha);
  if (parent === undefined) return undefined;
  return { sha, parent: branchNow(source, parent, last.at) ?? parent, at: timeOf(source, sha) ?? last.at };
}

/**
 * Returns the branches whose changes a tag contains. The first is the branch of the tag, and each further branch is the
 * parent of the one before.
 */
export function lineOf(source: NotesSource, branch: string | null, until: number): Segment[] {
  const line: Segment[] = [];
  let next: Segment | undefined = branch === null ? undefined : { branch, until };
  while (next && line.length < maxSegments && !line.some((segment) => segment.branch === next?.branch)) {
    line.push(next);
    const cut = cutOf(source, next.branch, next.until);
    next = cut && { branch: cut.parent, until: cut.at };
  }
  return line;
}

/**
 * Returns the time of a commit in milliseconds. Hosts record a merge a second or more after the date of the merge commit.
 * So if the commit merged a pull request, and the merge time is later than the commit's date, the merge time counts. A
 * fixed tolerance for all commits is not used, because it could put other pull requests into the wrong range.
 */
export function timeOf(source: NotesSource, sha: string): number | undefined {
  const commit = source.commit(sha);
  const merged = pullsOf(source, sha, commit).pulls.filter((pull) => pull.mergeSha === sha);
  const times = [commit?.at, ...merged.map(({ mergedAt }) => mergedAt)].filter((at) => at != null);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/**
 * Returns the branch from which a branch was created. A branch whose push ended at the commit is preferred to one whose
 * push only listed the commit, because a merge may have brought the commit there.
 */
function parentOf(source: NotesSource, creation: PushRecord, sha: string): string | undefined {
  const { defaultBranch } = source.repository;
  const keys = source.commit(sha)?.pushes ?? [];
  const others = keys.filter(([name]) => name !== creation.branch);
  const pushes = others
    .flatMap(([name, after]) => source.push(name, after) ?? [])
    .filter(({ at }) => at <= creation.at);
  if (creation.baseRef !== null && creation.shas.length === 0) return creation.baseRef;
  const rank = (push: PushRecord): number => (push.after === sha ? 0 : 2) + (push.branch === defaultBranch ? 0 : 1);
  return pushes.sort((a, b) => rank(a) - rank(b) || a.at - b.at)[0]?.branch;
}
