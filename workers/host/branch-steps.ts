/**
 * From the graph of commits to the steps of a branch: the line of first parents, and for each of its commits what became
 * reachable through it. Pure reading; a large graph is walked with pauses.
 */
import type { BranchStep } from '../../src/protocol/events.ts';

/** What the walk asks of a graph. Parents are undefined for a commit that is not known. */
export interface CommitGraph {
  parents: (sha: string) => readonly string[] | undefined;
  /** Milliseconds. */
  at: (sha: string) => number;
  /** Whether a step is known that ends here, so that everything below it is stepped already. */
  isStepped: (sha: string) => boolean;
}

/** Longest line, and most commits below a merge, that are walked: what is older stays without steps. */
export const mostCommits = 500_000;
/** Most commits that one step lists. */
const mostShas = 10_000;
/** Commits read in one turn of the event loop. */
const perTurn = 500;

/** The steps of a branch, oldest first, from above the first one that is known up to `head`. */
export async function* stepsOf(graph: CommitGraph, head: string): AsyncGenerator<BranchStep> {
  const turn = new Turns();
  const line: string[] = [];
  let below: string | undefined = head;
  while (below !== undefined && line.length < mostCommits && graph.parents(below) && !graph.isStepped(below)) {
    await turn.next();
    line.push(below);
    below = graph.parents(below)?.[0];
  }
  const reached = new Set<string>();
  // All that lies below matters to merges only, and can be the whole history; a line without them ends at one commit.
  const merges = line.some((sha) => (graph.parents(sha)?.length ?? 0) > 1);
  if (merges && below !== undefined) for await (const _ of reach(graph, below, reached, turn));
  else if (below !== undefined) reached.add(below);
  let at = 0;
  for (const after of line.reverse()) {
    const shas: string[] = [];
    for await (const sha of reach(graph, after, reached, turn)) shas.push(sha);
    at = Math.max(at, graph.at(after));
    const before = graph.parents(after)?.[0] ?? null;
    yield { before, after, shas: shas.slice(-mostShas), gap: shas.length > mostShas, at };
  }
}

/** What is reachable from a commit and was not reached before, parents before their children. */
async function* reach(graph: CommitGraph, from: string, reached: Set<string>, turn: Turns): AsyncGenerator<string> {
  const path: { sha: string; parents: readonly string[]; next: number }[] = [];
  const enter = (sha: string): void => {
    if (reached.has(sha) || reached.size >= mostCommits) return;
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

/** Lets others have the event loop now and then. */
class Turns {
  private count = 0;

  async next(): Promise<void> {
    this.count += 1;
    if (this.count % perTurn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
