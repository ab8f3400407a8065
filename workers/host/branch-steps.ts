/**
 * Derives the steps of a branch from a commit graph. Each step is one commit of the first-parent line, with the commits
 * that became reachable through it. This file writes nothing. The walk of a large graph pauses regularly.
 */
import type { BranchStep } from '../../src/protocol/events.ts';

/** The parts of a commit graph that the walk uses. `parents` returns undefined for an unknown commit. */
export interface CommitGraph {
  parents: (sha: string) => readonly string[] | undefined;
  /** Time of a commit, in milliseconds. */
  at: (sha: string) => number;
  /** Whether a known step ends at this commit, so that all commits below it already have steps. */
  isStepped: (sha: string) => boolean;
}

/**
 * Maximum number of commits that a walk visits. The limit applies once to the first-parent line, and once to all
 * reachable commits. Older commits get no steps.
 */
export const maxCommits = 500_000;
/** Maximum number of commits that one step lists. */
const maxShas = 10_000;
/** Number of commits that are read in one turn of the event loop. */
const perTurn = 500;

/**
 * Yields the steps of a branch, oldest first. The first step follows the newest known step, and the last step ends at
 * `head`.
 */
export async function* stepsOf(graph: CommitGraph, head: string): AsyncGenerator<BranchStep> {
  const turn = new Turns();
  const line: string[] = [];
  let below: string | undefined = head;
  while (below !== undefined && line.length < maxCommits && graph.parents(below) && !graph.isStepped(below)) {
    await turn.next();
    line.push(below);
    below = graph.parents(below)?.[0];
  }
  const reached = new Set<string>();
  // The ancestors of the commit `below` can be the whole history, so the ancestors are visited only if `line` contains
  // a merge. Without a merge, only the commit `below` itself matters.
  const merges = line.some((sha) => (graph.parents(sha)?.length ?? 0) > 1);
  if (merges && below !== undefined) for await (const _ of reach(graph, below, reached, turn));
  else if (below !== undefined) reached.add(below);
  let at = 0;
  for (const after of line.reverse()) {
    const shas: string[] = [];
    for await (const sha of reach(graph, after, reached, turn)) shas.push(sha);
    at = Math.max(at, graph.at(after));
    const before = graph.parents(after)?.[0] ?? null;
    yield { before, after, shas: shas.slice(-maxShas), gap: shas.length > maxShas, at };
  }
}

/**
 * Yields the commits that are reachable from a commit and were not reached before. Parents come before their children.
 */
async function* reach(graph: CommitGraph, from: string, reached: Set<string>, turn: Turns): AsyncGenerator<string> {
  const path: { sha: string; parents: readonly string[]; next: number }[] = [];
  const enter = (sha: string): void => {
    if (reached.has(sha) || reached.size >= maxCommits) return;
    const parents = graph.parents(sha);
    if (!parents) return;
    reached.add(sha);
    path.push({ sha, parents, next: 0 });
  };
  enter(from);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const parent = top.parents[top.next];
    top.next += 1;
    if (parent !== undefined) {
      enter(parent);
      continue;
    }
    path.pop();
    await turn.next();
    yield top.sha;
  }
}

/** Yields to the event loop at intervals. */
class Turns {
  private count = 0;

  async next(): Promise<void> {
    this.count += 1;
    if (this.count % perTurn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
