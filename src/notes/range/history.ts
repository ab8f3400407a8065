/**
 * Walks captured pushes backwards to find the commits that are reachable from one commit and not from another. Returns
 * nothing when the captured history does not show these commits. `attribute.ts` finds the pull requests that the
 * commits belong to.
 *
 * A push record names the head before the push (`before`), the head after the push (`after`) and the pushed commits.
 * The commits that are reachable from `after` are the pushed commits and all commits that are reachable from `before`.
 * This set is exact if the requested commit is the head of a push.
 *
 * Payloads do not contain the parents of a commit. So for a commit inside a push, all commits listed before it count as
 * its ancestors. This set can be too large if a later commit of the push may be a merge. In that case the push is not
 * used as evidence. The result can still be wrong in two cases, which are not recognized: a merge with an unusual
 * subject, and a force push that the host does not flag. If no evidence connects two commits, the caller can ask for an
 * assumption. The result then says that it is assumed.
 *
 * A long push is split into parts. Each part except the last ends at a special id such as `HEAD/1`, because the last
 * commit of such a part is not the head of a branch.
 */
import { dayMs } from '../../foundation/days.ts';
import type { NotesSource } from './source.ts';
import { ancestorsIn, assumedSteps, type Step, stepsDown } from './ways-down.ts';

/** The commits between two commits. */
export interface Difference {
  /** Commits by push, with the oldest push first. Within a push, commits keep the order of the push. */
  pushes: string[][];
  /**
   * Commits that the start of the range contains, but the end of the range does not contain. Their order and grouping
   * are the same as in `pushes`.
   */
  lost: string[][];
  /** True if the start of the range is not an ancestor of its end. */
  diverged: boolean;
  /** True if the ancestors of one of the two commits are only assumed (`assumedSteps` in `ways-down.ts`). */
  assumed?: true;
}

/** The ancestors of a commit, as far as captured pushes show them. */
export interface Ground {
  /**
   * Pushes on the walk, newest first. `shas` contains only those commits of a push that are ancestors of the start of
   * the walk.
   */
  pushes: { at: number; shas: string[] }[];
  /**
   * The places where the captured history ends. For each place, `branch` and `at` are the branch and the time of the
   * last push on the walk to this place.
   */
  ends: { branch: string; at: number }[];
}

/**
 * A commit that the walk has reached. The walk has not yet followed the commit's pushes. `at` is the time of the newest
 * of these pushes.
 */
interface Place {
  sha: string;
  at: number;
  steps: Step[];
}

interface Visit {
  from: string;
  step: Step;
}

/**
 * Returns the commits reachable from `to` and not from `from`. Returns undefined when captured pushes do not lead to a
 * common commit.
 * @param assume whether the ancestors of `from` and `to` may be assumed. Only these two commits: more assumptions in a
 *   row would be a guess
 */
export function commitsBetween(
  source: NotesSource,
  from: string,
  to: string,
  { assume = false } = {},
): Difference | undefined {
  const upper = new Walk(source, to, assume);
  const lower = new Walk(source, from, assume);
  if (assume && !upper.assumes && !lower.assumes) return undefined;
  const common = commonCommit(upper, lower, from, to);
  if (common === undefined) return undefined;
  const gained = upper.pushesAbove(common);
  const left = lower.pushesAbove(common);
  const isAncestor = from === common || gained.some((shas) => shas.includes(from));
  return {
    pushes: withoutRepeats(gained, new Set(left.flat())),
    lost: isAncestor ? [] : withoutRepeats(left, new Set(gained.flat())),
    diverged: !isAncestor,
    ...((upper.isAssumed(common) || lower.isAssumed(common)) && { assumed: true as const }),
  };
}

/**
 * Returns the captured ancestors of a commit. The walk goes down from push to push, the newest push first. It ends when
 * no remaining push is later than `until` (milliseconds).
 */
export function groundBelow(source: NotesSource, sha: string, until: number): Ground {
  const walk = new Walk(source, sha);
  while ((walk.newest ?? until) > until) walk.descend();
  return walk.ground();
}

/**
 * The commits that are reachable from a commit, if captured pushes show all of them. Returns undefined if the captured
 * history ends before its beginning. The order and grouping of the commits are the same as in `Difference`.
 */
export function commitsBelow(source: NotesSource, sha: string): string[][] | undefined {
  const walk = new Walk(source, sha);
  while (walk.newest !== undefined) walk.descend();
  return walk.isWhole() ? withoutRepeats(walk.pushesAboveAll(), new Set()) : undefined;
}

/** Answers which commits are ancestors of one commit. One walk serves all questions, and goes only as far as needed. */
export class Ancestors {
  private readonly walk: Walk;
  private readonly found: Set<string>;

  constructor(source: NotesSource, head: string) {
    this.walk = new Walk(source, head);
    this.found = new Set([head]);
  }

  /**
   * Whether captured pushes show that a commit is an ancestor of the head, or the head itself.
   * @param at time of the commit, in milliseconds. A push cannot list a commit that is made later. One day is added for
   *   clocks that differ
   */
  has(sha: string, at: number): boolean {
    while (!this.found.has(sha) && (this.walk.newest ?? Number.NEGATIVE_INFINITY) >= at - dayMs) {
      for (const below of this.walk.descend()) {
        this.found.add(below);
        for (const passed of this.walk.passedTo(below)) this.found.add(passed);
      }
    }
    return this.found.has(sha);
  }
}

/**
 * Walks down from both commits until the two walks share a commit, and returns that commit. Each step follows the side
 * with the newer push, because the shared commit is then found early.
 */
function commonCommit(upper: Walk, lower: Walk, from: string, to: string): string | undefined {
  if (from === to) return to;
  if (upper.reached(from) || lower.reached(to)) return upper.reached(from) ? from : to;
  for (;;) {
    const up = upper.newest;
    const down = lower.newest;
    if (up === undefined && down === undefined) return undefined;
    const side = up !== undefined && (down === undefined || up >= down) ? upper : lower;
    const other = side === upper ? lower : upper;
    const common = side.descend().find((sha) => other.reached(sha));
    if (common !== undefined) return common;
  }
}

/** A walk over the commits that can be reached from one commit. */
class Walk {
  private readonly source: NotesSource;
  private readonly visits = new Map<string, Visit | null>();
  private readonly open: Place[] = [];
  /** Whether the ancestors of the first commit are only assumed. */
  readonly assumes: boolean;

  constructor(source: NotesSource, start: string, assume = false) {
    this.source = source;
    this.visits.set(start, null);
    const steps = stepsDown(source, start);
    const assumed = assume && !steps.some(({ known }) => known) ? assumedSteps(source, start) : [];
    this.assumes = assumed.length > 0;
    this.openWith(start, [...steps, ...assumed]);
  }

  reached(sha: string): boolean {
    return this.visits.has(sha);
  }

  /** Time of the newest push that was not yet followed. Undefined when no push remains to be followed. */
  get newest(): number | undefined {
    if (this.open.length < 2) return this.open[0]?.at;
    return this.open.reduce<number | undefined>((newest, { at }) => Math.max(newest ?? at, at), undefined);
  }

  /**
   * Continues the walk from the reached commit whose push is the newest. Returns the older commits that this step
   * reaches for the first time.
   */
  descend(): string[] {
    const place = this.takeNewest();
    const fresh: string[] = [];
    if (!place) return fresh;
    for (const step of place.steps) {
      if (this.visits.has(step.below)) continue;
      this.visits.set(step.below, { from: place.sha, step });
      fresh.push(step.below);
      if (step.known) this.openWith(step.below, stepsDown(this.source, step.below, step.push.branch));
    }
    return fresh;
  }

  /** Returns the commits of the step that reached a commit, oldest first. */
  passedTo(sha: string): string[] {
    const visit = this.visits.get(sha);
    return visit ? ancestorsIn(visit.step) : [];
  }

  /** Returns the commits between a reached commit and the start of the walk, oldest push first. */
  pushesAbove(sha: string): string[][] {
    const passed: string[][] = [];
    let visit = this.visits.get(sha);
    while (visit) {
      passed.push(ancestorsIn(visit.step));
      visit = this.visits.get(visit.from);
    }
    return passed;
  }

  /** Returns all commits that the walk has passed, the oldest push first. */
  pushesAboveAll(): string[][] {
    const steps = [...this.visits.values()].flatMap((visit) => (visit ? [visit.step] : []));
    return steps.sort((a, b) => a.push.at - b.push.at).map(ancestorsIn);
  }

  /**
   * Whether the walk has come to the beginning of the history on every line: to a first commit without parents, or to
   * the push that created the default branch of a new repository.
   */
  isWhole(): boolean {
    const goneOn = new Set([...this.visits.values()].flatMap((visit) => visit?.from ?? []));
    const ends = [...this.visits.entries()].filter(([sha]) => !goneOn.has(sha));
    return ends.length > 0 && ends.every(([, visit]) => visit !== null && isBeginning(this.source, visit.step));
  }

  /** Whether an assumed step leads to a reached commit. */
  isAssumed(sha: string): boolean {
    let visit = this.visits.get(sha);
    while (visit) {
      if (visit.step.assumed) return true;
      visit = this.visits.get(visit.from);
    }
    return false;
  }

  /**
   * Returns all pushes that were followed, and the places where the walk ended because no further pushes are captured.
   */
  ground(): Ground {
    const goneOn = new Set([...this.visits.values()].flatMap((visit) => visit?.from ?? []));
    const waiting = new Set(this.open.map(({ sha }) => sha));
    const ground: Ground = { pushes: [], ends: [] };
    for (const [sha, visit] of this.visits) {
      if (!visit) continue;
      const { push } = visit.step;
      ground.pushes.push({ at: push.at, shas: ancestorsIn(visit.step) });
      if (!goneOn.has(sha) && !waiting.has(sha)) ground.ends.push({ branch: push.branch, at: push.at });
    }
    ground.pushes.sort((a, b) => b.at - a.at);
    return ground;
  }

  private takeNewest(): Place | undefined {
    if (this.open.length < 2) return this.open.pop();
    const at = this.newest;
    const index = this.open.findIndex((place) => place.at === at);
    return this.open.splice(index, 1)[0];
  }

  private openWith(sha: string, steps: Step[]): void {
    if (steps.length === 0) return;
    const at = steps.reduce((newest, { push }) => Math.max(newest, push.at), 0);
    this.open.push({ sha, at, steps });
  }
}

/** Whether a step ends at the beginning of the history. */
function isBeginning(source: NotesSource, { push }: Step): boolean {
  const { before, forced, gap, shas, branch, backfilled } = push;
  if (before !== null || forced || gap || shas.length === 0) return false;
  const parents = source.commit(shas[0] as string)?.parents;
  return parents ? parents.length === 0 : !backfilled && branch === source.repository.defaultBranch;
}

function withoutRepeats(pushes: string[][], excluded: ReadonlySet<string>): string[][] {
  const seen = new Set(excluded);
  const kept: string[][] = [];
  for (const shas of pushes) {
    const fresh = shas.some((sha) => seen.has(sha)) ? shas.filter((sha) => !seen.has(sha)) : shas;
    for (const sha of fresh) seen.add(sha);
    if (fresh.length > 0) kept.push(fresh);
  }
  return kept;
}
