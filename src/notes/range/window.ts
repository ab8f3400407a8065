/**
 * Finds the pull requests between two tags by merge date, on one branch. This method is the last resort, used if
 * captured pushes do not connect the tags. The tags' own pull requests are placed by their merge commit, never by date.
 */
import type { PullRecord, TagRecord } from '../../protocol/stored.ts';
import { attribute, pullsOf } from './attribute.ts';
import { branchNow } from './branches.ts';
import { type Ground, groundBelow } from './history.ts';
import type { NotesSource } from './source.ts';

/** A half-open span of time in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Returns the merged pull requests between two tags. The pull request at the tag `from` is not included, and the pull
 * request at the tag `to` is included. For the time that captured pushes cover, the pushes show which pull requests
 * `to` contains. For the time before the oldest captured push, the merge dates on the branch decide. If no push is
 * captured, the merge dates decide for the whole span.
 */
export function pullsInWindow(source: NotesSource, from: TagRecord, to: TagRecord): PullRecord[] {
  const span = spanBetween(source, from, to);
  const ground = groundOf(source, from, to, span);
  const ends = ground.pushes.length > 0 ? ground.ends : [{ branch: branchOf(source, to), at: span.to - 1 }];
  const attributed = attribute(
    source,
    ground.pushes.map(({ shas }) => shas),
  );
  // A push can list commits that another branch had long before, so pull requests merged before the span are dropped. A
  // pull request that was found by a commit's subject stays, because it was cherry-picked after its merge.
  const late = attributed.pulls.filter(
    (pull) => attributed.bySubject.has(pull.number) || (pull.mergedAt ?? 0) >= span.from,
  );
  const found = new Map(late.map((pull) => [pull.number, pull]));
  for (const { branch, at } of ends) {
    const wanted = branchNow(source, branch, at);
    for (const pull of source.pullsMergedBetween(span.from, Math.min(at + 1, span.to))) {
      const base = branchNow(source, pull.baseRef, pull.mergedAt ?? 0);
      if (wanted === null || base === wanted) found.set(pull.number, pull);
    }
  }
  if (to.sha !== null) for (const pull of source.pullsMergedAs(to.sha)) found.set(pull.number, pull);
  if (from.sha !== null) for (const pull of source.pullsMergedAs(from.sha)) found.delete(pull.number);
  return [...found.values()].sort(byMerge);
}

/**
 * Returns the pushes that led to `to` and are newer than `from`. Commits that led to `from` are removed from these
 * pushes.
 */
function groundOf(source: NotesSource, from: TagRecord, to: TagRecord, { from: after }: Span): Ground {
  if (to.sha === null) return { pushes: [], ends: [] };
  const ground = groundBelow(source, to.sha, after);
  const pushes = ground.pushes.filter(({ at }) => at >= after);
  const oldest = pushes.at(-1)?.at ?? after;
  const known = from.sha === null ? [] : groundBelow(source, from.sha, oldest).pushes;
  const left = new Set(known.flatMap(({ shas }) => shas));
  return {
    pushes: pushes.map(({ at, shas }) => ({ at, shas: shas.filter((sha) => !left.has(sha)) })),
    ends: ground.ends,
  };
}

/** Returns the span of time after the tag `from`, up to and including the tag `to`. */
export function spanBetween(source: NotesSource, from: TagRecord, to: TagRecord): Span {
  return { from: boundary(source, from) + 1, to: boundary(source, to) + 1 };
}

/** Compares by merge time, then by number. */
export function byMerge(a: PullRecord, b: PullRecord): number {
  return (a.mergedAt ?? 0) - (b.mergedAt ?? 0) || a.number - b.number;
}

/**
 * Returns the last moment of a range that ends at the given tag, in milliseconds. Hosts record a merge a second or more
 * after the date of the merge commit. So if the tagged pull request was merged later than the commit's date, its merge
 * time is used. A fixed tolerance for all tags is not used, because it could put other pull requests into the wrong
 * range.
 */
function boundary(source: NotesSource, tag: TagRecord): number {
  const commit = tag.sha === null ? undefined : source.commit(tag.sha);
  const tagged =
    tag.sha === null ? [] : pullsOf(source, tag.sha, commit).pulls.filter((pull) => pull.mergeSha === tag.sha);
  const date = commit?.at ?? tag.date ?? tag.pushedAt;
  return Math.max(date, ...tagged.map((pull) => pull.mergedAt ?? 0));
}

/**
 * Returns the current name of the branch on which a tag was made. The branch is the one that the host names, else the
 * one to which the tag's commit was pushed, else the default branch.
 */
export function branchOf(source: NotesSource, tag: TagRecord): string | null {
  return branchNow(source, branchThen(source, tag), tag.pushedAt);
}

function branchThen(source: NotesSource, tag: TagRecord): string | null {
  if (tag.baseRef !== null) return tag.baseRef;
  const { defaultBranch } = source.repository;
  const pushes = tag.sha === null ? [] : (source.commit(tag.sha)?.pushes ?? []);
  const branches = pushes.map(([branch]) => branch).sort();
  if (defaultBranch !== null && branches.includes(defaultBranch)) return defaultBranch;
  const [merged] = tag.sha === null ? [] : source.pullsMergedAs(tag.sha);
  return merged?.baseRef ?? branches[0] ?? defaultBranch;
}
