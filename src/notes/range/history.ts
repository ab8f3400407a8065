/**
 * Walks captured pushes backwards to tell which commits lie between two: reachable from one and not from the other.
 * Answers nothing when the captured history does not settle it; which pull requests the commits bring is left to others.
 *
 * A push says that what is reachable from its `after` is its own commits and what is reachable from its `before`. That is
 * exact where the commit asked for is the head of a push. Payloads carry no parents, so for a commit inside a push all
 * that stand before it there count as its ancestors; where a merge may follow it in the push that can be too many, and nothing
 * is claimed. A merge under words of its own, and a force push that the host does not flag, cannot be seen. The parts of a
 * long push are gone through by ends of their own: the commits they end at are heads of nothing.
 */
import type { NotesSource } from './source.ts';
import { ancestorsIn, type Step, stepsDown } from './ways-down.ts';

/** What lies between two commits. */
export interface Difference {
  /** Commits by push, oldest first; within a push in its own order. */
  pushes: string[][];
  /** Commits reachable from the commit counted from and not from the other, by push as well. */
  lost: string[][];
  /** The commit counted from is not an ancestor of the other. */
  diverged: boolean;
}

/** What captured pushes tell of the ancestors of a commit. */
export interface Ground {
  /** Pushes that led down, newest first, each with the commits of it that are ancestors. */
  pushes: { at: number; shas: string[] }[];
  /** Where the captured history ends: the oldest push of a branch that could be reached. */
  ends: { branch: string; at: number }[];
}

/** A commit reached and not yet gone down from, with the time of its newest push. */
interface Place {
  sha: string;
  at: number;
  steps: Step[];
}

interface Visit {
  from: string;
  step: Step;
}

/** Commits reachable from `to` and not from `from`; undefined when captured pushes do not lead to common ground. */
export function commitsBetween(source: NotesSource, from: string, to: string): Difference | undefined {
  const upper = new Walk(source, to);
  const lower = new Walk(source, from);
  const common = meet(upper, lower, from, to);
  if (common === undefined) return undefined;
  const gained = upper.pushesAbove(common);
  const left = lower.pushesAbove(common);
  const isAncestor = from === common || gained.some((shas) => shas.includes(from));
  return {
    pushes: withoutRepeats(gained, new Set(left.flat())),
    lost: isAncestor ? [] : withoutRepeats(left, new Set(gained.flat())),
    diverged: !isAncestor,
  };
}

/** What is captured of the ancestors of a commit, down to pushes that are not younger than `until`. */
export function groundBelow(source: NotesSource, sha: string, until: number): Ground {
  const walk = new Walk(source, sha);
  while ((walk.newest ?? until) > until) walk.descend();
  return walk.ground();
}

/** Goes down on whichever side stands at the newer push, as the ground they share is then met early. */
function meet(upper: Walk, lower: Walk, from: string, to: string): string | undefined {
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

/** The ground reached from one commit. */
class Walk {
  private readonly source: NotesSource;
  private readonly visits = new Map<string, Visit | null>();
  private readonly open: Place[] = [];

  constructor(source: NotesSource, start: string) {
    this.source = source;
    this.visits.set(start, null);
    this.openAt(start);
  }

  reached(sha: string): boolean {
    return this.visits.has(sha);
  }

  /** Time of the newest push not yet gone down; undefined when all ends are reached. */
  get newest(): number | undefined {
    if (this.open.length < 2) return this.open[0]?.at;
    return this.open.reduce<number | undefined>((newest, { at }) => Math.max(newest ?? at, at), undefined);
  }

  /** Goes down from the newest commit reached, by every push that leads on; returns what was newly reached. */
  descend(): string[] {
    const place = this.takeNewest();
    const fresh: string[] = [];
    if (!place) return fresh;
    for (const step of place.steps) {
      if (this.visits.has(step.below)) continue;
      this.visits.set(step.below, { from: place.sha, step });
      fresh.push(step.below);
      if (step.known) this.openAt(step.below, step.push.branch);
    }
    return fresh;
  }

  /** Commits passed on the way from a place reached to the start of the walk, oldest push first. */
  pushesAbove(sha: string): string[][] {
    const passed: string[][] = [];
    let visit = this.visits.get(sha);
    while (visit) {
      passed.push(ancestorsIn(visit.step));
      visit = this.visits.get(visit.from);
    }
    return passed;
  }

  /** All that was gone down, and where it went no further for want of captured pushes. */
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

  private openAt(sha: string, branch?: string): void {
    const steps = stepsDown(this.source, sha, branch);
    if (steps.length === 0) return;
    const at = steps.reduce((newest, { push }) => Math.max(newest, push.at), 0);
    this.open.push({ sha, at, steps });
  }
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
