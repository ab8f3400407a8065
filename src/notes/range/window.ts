/**
 * Tells pull requests between two tags by merge date alone, on one branch: the last resort where captured pushes do not
 * lead from one tag to the other. The tags' own pull requests are placed by their merge commit, never by date.
 */
import type { PullRecord, TagRecord } from '../../protocol/stored.ts';
import { attribute, pullsOf } from './attribute.ts';
import { branchNow } from './branches.ts';
import { type Ground, groundBelow } from './history.ts';
import type { NotesSource } from './source.ts';

/** Half-open span of time in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Merged pull requests after the one tagged `from` and up to the one tagged `to`: those that captured pushes show to be part of
 * `to`, and where these end, or where there are none, those merged into the branch in time.
 */
export function pullsInWindow(source: NotesSource, from: TagRecord, to: TagRecord): PullRecord[] {
  const span = spanBetween(source, from, to);
  const ground = groundOf(source, from, to, span);
  const ends = ground.pushes.length > 0 ? ground.ends : [{ branch: branchOf(source, to), at: span.to - 1 }];
  const told = attribute(
    source,
    ground.pushes.map(({ shas }) => shas),
  );
  // A push to one branch may list what another had long before; only what was picked comes later than it was merged.
  const late = told.pulls.filter((pull) => told.bySubject.has(pull.number) || (pull.mergedAt ?? 0) >= span.from);
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

/** Pushes that led to the one tag, later than the other, without what led to that. */
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

/** The branch a tag was made on, as it is called now: as the host hints, else where its commit was pushed, else the default one. */
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
