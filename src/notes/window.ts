/**
 * Tells pull requests between two tags by merge date alone, on one branch: the last resort where captured pushes do not
 * lead from one tag to the other. The tags' own pull requests are placed by their merge commit, never by date.
 */
import type { PullRecord, TagRecord } from '../protocol/stored.ts';
import { pullsOf } from './attribute.ts';
import type { NotesSource } from './source.ts';

/** Half-open span of time in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** Merged pull requests of the branch of `to`, after the one tagged `from` and up to the one tagged `to`. */
export function pullsInWindow(source: NotesSource, from: TagRecord, to: TagRecord): PullRecord[] {
  const branch = branchOf(source, to);
  const span = spanBetween(source, from, to);
  const found = new Map<number, PullRecord>();
  for (const pull of source.pullsMergedBetween(span.from, span.to)) {
    if (branch === null || pull.baseRef === branch) found.set(pull.number, pull);
  }
  if (to.sha !== null) for (const pull of source.pullsMergedAs(to.sha)) found.set(pull.number, pull);
  if (from.sha !== null) for (const pull of source.pullsMergedAs(from.sha)) found.delete(pull.number);
  return [...found.values()].sort(byMerge);
}

/** Time after one tag up to and including the other. */
export function spanBetween(source: NotesSource, from: TagRecord, to: TagRecord): Span {
  return { from: boundary(source, from) + 1, to: boundary(source, to) + 1 };
}

/** Merge order; equal times by number. */
export function byMerge(a: PullRecord, b: PullRecord): number {
  return (a.mergedAt ?? 0) - (b.mergedAt ?? 0) || a.number - b.number;
}

/**
 * The last instant a tag covers. The host notes a merge a second or more after the merge commit's own date, so the tagged pull
 * request's merge time counts where it is later; any general slack would count others twice.
 */
function boundary(source: NotesSource, tag: TagRecord): number {
  const commit = tag.sha === null ? undefined : source.commit(tag.sha);
  const tagged =
    tag.sha === null ? [] : pullsOf(source, tag.sha, commit).pulls.filter((pull) => pull.mergeSha === tag.sha);
  const date = commit?.at ?? tag.date ?? tag.pushedAt;
  return Math.max(date, ...tagged.map((pull) => pull.mergedAt ?? 0));
}

/** The branch a tag was made on: as the host hints, else where its commit was pushed, else the default branch. */
export function branchOf(source: NotesSource, tag: TagRecord): string | null {
  if (tag.baseRef !== null) return tag.baseRef;
  const { defaultBranch } = source.repository;
  const pushes = tag.sha === null ? [] : (source.commit(tag.sha)?.pushes ?? []);
  const branches = pushes.map(([branch]) => branch).sort();
  if (branches.length === 0 || (defaultBranch !== null && branches.includes(defaultBranch))) return defaultBranch;
  const [merged] = tag.sha === null ? [] : source.pullsMergedAs(tag.sha);
  return merged?.baseRef ?? (branches[0] as string);
}
