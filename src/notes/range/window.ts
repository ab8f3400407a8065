/**
 * Finds the pull requests between two tags by merge date, on one branch. This method is the last resort, used if
 * captured pushes do not connect the tags. The tags' own pull requests are placed by their merge commit, never by date.
 */
import type { PullRecord, TagRecord } from '../../protocol/stored.ts';
import { attribute } from './attribute.ts';
import { branchNow } from './branches.ts';
import { cutOf, lineOf, type Segment, timeOf } from './cuts.ts';
import { type Ground, groundBelow } from './history.ts';
import type { NotesSource } from './source.ts';
import { stepsDown } from './ways-down.ts';

/** A half-open span of time in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** The beginning of a range that begins with the history: a tag that is older than every commit. */
export const beginning: TagRecord = {
  name: '',
  sha: null,
  tagObject: null,
  baseRef: null,
  date: 0,
  pushedAt: 0,
  deleted: false,
};

/** The facts that decide a range between two tags by date. */
export interface Window {
  /** The span of time between the two tags. */
  span: Span;
  /**
   * The branches whose changes the tag `to` contains, each with the time up to which it contains them. Empty if the
   * branch of the tag is not sure.
   */
  line: Segment[];
  /**
   * The beginning of the range on each branch of the line. It is the beginning of `span`, unless cuts show where the
   * lines of the two tags meet.
   */
  begins: Map<string, number>;
  /** The earliest beginning. */
  start: number;
}

/**
 * Returns the window between two tags. If cuts connect the lines of both tags, the range begins on their common branch
 * where the tag `from` left this branch, and has all changes of the branches that lead from there to the tag `to`.
 * Example: v1.9.3 is on a branch that was cut from main in May, and v2 is on main. The range has the changes on main
 * since May, even if v1.9.3 was made in July.
 */
export function windowBetween(source: NotesSource, from: TagRecord, to: TagRecord): Window {
  const span = spanBetween(source, from, to);
  const line = lineOf(source, sureBranchOf(source, to), span.to - 1);
  const begins = new Map(line.map(({ branch }) => [branch, span.from]));
  const other = lineOf(source, sureBranchOf(source, from), span.from - 1);
  const left = new Map(other.map(({ branch, until }) => [branch, until]));
  const common = line.findIndex(({ branch }) => left.has(branch));
  for (const [index, { branch }] of line.entries()) {
    if (index < common) begins.set(branch, line[index + 1]?.until ?? span.from);
    if (index === common) begins.set(branch, (left.get(branch) ?? span.from) + 1);
  }
  return { span, line, begins, start: Math.min(span.from, ...begins.values()) };
}

/**
 * Returns the merged pull requests between two tags. The pull request at the tag `from` is not included, and the pull
 * request at the tag `to` is included. For the time that captured pushes cover, the pushes show which pull requests
 * `to` contains. For the time before the oldest captured push, the merge dates on the branch decide. If no push is
 * captured, the merge dates decide for the whole span. If a push shows where the branch was cut, the merge dates on its
 * parent branch decide for the time before the cut.
 */
export function pullsInWindow(source: NotesSource, from: TagRecord, to: TagRecord): PullRecord[] {
  const { span, begins, start } = windowBetween(source, from, to);
  const beginOf = (branch: string | null): number => begins.get(branch ?? '') ?? start;
  const ground = groundOf(source, from, to, { start, end: span.to });
  const attributed = attribute(
    source,
    ground.pushes.map(({ shas }) => shas),
  );
  // A push can list commits that another branch had long before, so pull requests merged before the range are dropped. A
  // pull request that was found by a commit's subject stays, because it was cherry-picked after its merge.
  const late = attributed.pulls.filter((pull) => {
    const base = branchNow(source, pull.baseRef, pull.mergedAt ?? 0);
    return attributed.bySubject.has(pull.number) || (pull.mergedAt ?? 0) >= beginOf(base);
  });
  const found = new Map(late.map((pull) => [pull.number, pull]));
  for (const { branch, at } of ground.ends) {
    const wanted = branchNow(source, branch, at);
    for (const pull of source.pullsMergedBetween(beginOf(wanted), Math.min(at + 1, span.to))) {
      const base = branchNow(source, pull.baseRef, pull.mergedAt ?? 0);
      if (wanted === null || base === wanted) found.set(pull.number, pull);
    }
  }
  if (to.sha !== null) for (const pull of source.pullsMergedAs(to.sha)) found.set(pull.number, pull);
  if (from.sha !== null) for (const pull of source.pullsMergedAs(from.sha)) found.delete(pull.number);
  return [...found.values()].sort(byMerge);
}

/**
 * Returns the pushes that led to `to` and are newer than `start`. Commits that led to `from` are removed from these
 * pushes.
 */
function groundOf(
  source: NotesSource,
  from: TagRecord,
  to: TagRecord,
  { start, end }: { start: number; end: number },
): { pushes: Ground['pushes']; ends: { branch: string | null; at: number }[] } {
  const whole = to.sha === null ? { pushes: [], ends: [] } : groundBelow(source, to.sha, start);
  const hasPushes = whole.pushes.some(({ at }) => at >= start);
  const ends = hasPushes ? [...whole.ends] : [{ branch: branchOf(source, to), at: end - 1 }];
  const pushes = [...whole.pushes];
  // Where the captured history of a branch ends, it goes on at the cut of the branch.
  const seen = new Set<string>();
  for (const { branch, at } of ends) {
    const cut = branch === null || seen.has(branch) ? undefined : cutOf(source, branch, at);
    seen.add(branch ?? '');
    if (!cut || cut.at < start) continue;
    const below = groundBelow(source, cut.sha, start);
    pushes.push(...below.pushes);
    ends.push(...(below.pushes.length > 0 ? below.ends : [{ branch: cut.parent, at: cut.at }]));
  }
  const newer = pushes.filter(({ at }) => at >= start).sort((a, b) => b.at - a.at);
  const oldest = newer.at(-1)?.at ?? start;
  const known = from.sha === null ? [] : groundBelow(source, from.sha, oldest).pushes;
  const left = new Set(known.flatMap(({ shas }) => shas));
  return { pushes: newer.map(({ at, shas }) => ({ at, shas: shas.filter((sha) => !left.has(sha)) })), ends };
}

/** Returns the span of time after the tag `from`, up to and including the tag `to`. */
export function spanBetween(source: NotesSource, from: TagRecord, to: TagRecord): Span {
  return { from: boundary(source, from) + 1, to: boundary(source, to) + 1 };
}

/** Compares by merge time, then by number. */
export function byMerge(a: PullRecord, b: PullRecord): number {
  return (a.mergedAt ?? 0) - (b.mergedAt ?? 0) || a.number - b.number;
}

/** Returns the last moment of a range that ends at the given tag, in milliseconds. */
function boundary(source: NotesSource, tag: TagRecord): number {
  const { sha, date, pushedAt } = tag;
  const [commit, at = 0] = sha === null ? [] : [source.commit(sha), timeOf(source, sha)];
  return Math.max(commit?.at ?? date ?? pushedAt, at);
}

/**
 * Returns the current name of the branch on which a tag was made. The branch is the one that the host names, else the
 * one to which the tag's commit was pushed, else the default branch.
 */
export function branchOf(source: NotesSource, tag: TagRecord): string | null {
  return branchNow(source, branchThen(source, tag), tag.pushedAt);
}

/**
 * Like `branchOf`, but returns null if the branch is not sure. A push that may have merged the tag's commit does not show
 * the branch of the tag.
 */
function sureBranchOf(source: NotesSource, tag: TagRecord): string | null {
  const { defaultBranch } = source.repository;
  const branches = tag.sha === null ? [] : stepsDown(source, tag.sha).map(({ push }) => push.branch);
  const pushed = branches.find((branch) => branch === defaultBranch) ?? branches[0];
  const merged = tag.sha === null ? undefined : source.pullsMergedAs(tag.sha)[0]?.baseRef;
  return branchNow(source, tag.baseRef ?? pushed ?? merged ?? null, tag.pushedAt);
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
