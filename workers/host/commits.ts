/**
 * Commits of the default branch and of release branches, with their parents, and then the steps that each branch took. A
 * branch is listed by the commit it stood at, so that pages hold still; what is pushed meanwhile comes as deliveries.
 */
import type { HostPage } from '../../src/host/client.ts';
import { listedCommit, shaOf } from '../../src/intake/rest.ts';
import { name as storedName } from '../../src/intake/text.ts';
import type { BackfilledBody, BranchStep, ListedCommit } from '../../src/protocol/events.ts';
import type { CommitRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readCommit, readPush } from '../../src/store/tables/pushes.ts';
import type { Backfill } from './backfill.ts';
import { type CommitGraph, mostCommits, stepsOf } from './branch-steps.ts';
import { counted } from './counted.ts';
import { bodiesOf } from './lists.ts';

/**
 * Branches that releases are made from, as projects call them: `release/2.1`, `release-1.x`, `stable-3`, `maintenance/1`,
 * `v2`, `1.x`, `3.14`, `REL_15_STABLE`.
 */
const releaseBranch =
  /^(?:(?:releases?|rel|stable|maint|maintenance|support|hotfix)[/_-].+|v?\d+(?:[._]\d+){0,3}(?:[._-](?:x|stable|release|maint))?)$/i;
/** Most branches besides the default one; the names that sort last come first. */
const mostBranches = 50;
/** Characters of messages in one body, and steps and their commits in one record: each is folded in a few milliseconds. */
const perBody = { characters: 65_536, commits: 100 };
const perRecord = { steps: 200, shas: 1000 };

/** Reads the commits of every branch that matters. */
export async function readCommits(backfill: Backfill): Promise<void> {
  if (!backfill.progress.position.again) {
    const branches = await findBranches(backfill);
    await backfill.progress.page([], { position: { branches, again: true, next: null }, total: branches.length });
  }
  for (let [branch] = backfill.progress.position.branches; branch; [branch] = backfill.progress.position.branches) {
    if (!isDone(backfill, branch.head)) {
      if (!backfill.progress.position.listed) await listCommits(backfill, branch.head);
      await tellSteps(backfill, branch);
    }
    const branches = backfill.progress.position.branches.slice(1);
    await backfill.progress.page([], {
      position: { branches, next: null, listed: false },
      done: backfill.progress.phase.done + 1,
    });
  }
  await backfill.progress.endPhase([]);
}

/** An earlier backfill came to where the branch still stands. */
function isDone(backfill: Backfill, head: string): boolean {
  return (
    backfill.stepsReach &&
    backfill.progress.position.next === null &&
    isStepped(graphOf(backfill).commit(head), backfill)
  );
}

async function findBranches(backfill: Backfill): Promise<{ name: string; head: string }[]> {
  const { defaultBranch } = backfill.repository;
  const found: { name: string; head: string }[] = [];
  let page: HostPage = await counted(backfill.client.first(backfill.name, { kind: 'branches' }));
  for (;;) {
    for (const { name: told, commit } of page.items) {
      // Redacted as in deliveries, whose pushes go by the same name.
      const [name, head] = [storedName(String(told)), shaOf(commit)];
      const matters = name === defaultBranch || releaseBranch.test(name);
      if (matters && head !== undefined) found.push({ name, head });
    }
    if (page.next === null) break;
    page = await counted(backfill.client.page(page.next, 'branches'));
  }
  const others = found.filter(({ name }) => name !== defaultBranch);
  others.sort((a, b) => b.name.localeCompare(a.name, 'en', { numeric: true }));
  return [...found.filter(({ name }) => name === defaultBranch), ...others.slice(0, mostBranches)];
}

/** Lists what is reachable from a head, down to where everything is known or wanted no more. */
async function listCommits(backfill: Backfill, head: string): Promise<void> {
  const frontier = new Frontier(backfill, head);
  await frontier.settle();
  const { since } = backfill.row;
  while (!frontier.isClosed && !backfill.progress.position.listed) {
    const { next } = backfill.progress.position;
    const page =
      next === null
        ? await counted(
            backfill.client.first(backfill.name, {
              kind: 'commits',
              branch: head,
              ...(since !== null && { since }),
            }),
          )
        : await counted(backfill.client.page(next, 'commits'));
    const commits = await bodiesOf(page.items, listedCommit);
    const graph = graphOf(backfill);
    const fresh = commits.filter(({ sha }) => !graph.parents(sha));
    await backfill.progress.page(inBodies(commits), {
      position: { next: page.next, listed: page.next === null },
      counts: { commits: fresh.length },
    });
    await frontier.settle();
  }
}

/** Commits in bodies that are folded in a few milliseconds each. */
export function inBodies(commits: readonly ListedCommit[]): BackfilledBody[] {
  const bodies: { event: 'commits'; commits: ListedCommit[] }[] = [];
  let characters = 0;
  for (const commit of commits) {
    const body = bodies.at(-1);
    characters += commit.message.length;
    if (body && characters <= perBody.characters && body.commits.length < perBody.commits) body.commits.push(commit);
    else {
      bodies.push({ event: 'commits', commits: [commit] });
      characters = commit.message.length;
    }
  }
  return bodies;
}

async function tellSteps(backfill: Backfill, { name, head }: { name: string; head: string }): Promise<void> {
  const graph = graphOf(backfill);
  let steps: BranchStep[] = [];
  let shas = 0;
  const tell = async (): Promise<void> => {
    if (steps.length > 0) await backfill.progress.page([{ event: 'steps', branch: name, steps }]);
    [steps, shas] = [[], 0];
  };
  for await (const step of stepsOf(graph, head)) {
    if (steps.length >= perRecord.steps || shas + step.shas.length > perRecord.shas) await tell();
    steps.push(step);
    shas += step.shas.length;
  }
  await tell();
}

/** The stored commits as a graph; where steps do not reach as deep as is wanted now, none of them ends a walk. */
function graphOf(backfill: Backfill): CommitGraph & { commit: (sha: string) => CommitRecord | undefined } {
  const commit = (sha: string) => readCommit(backfill.context.partition(), backfill.row.repoId, sha);
  return {
    commit,
    parents: (sha) => commit(sha)?.parents,
    at: (sha) => commit(sha)?.at ?? 0,
    isStepped: (sha) => backfill.stepsReach && isStepped(commit(sha), backfill),
  };
}

/** Whether a backfill has made a step that ends at the commit. */
function isStepped(commit: CommitRecord | undefined, { context, row }: Backfill): boolean {
  return (commit?.pushes ?? []).some(
    ([branch, after]) => after === commit?.sha && isStep(context.partition(), row.repoId, branch, after),
  );
}

function isStep(partition: Partition, repoId: string, branch: string, after: string): boolean {
  return readPush(partition, repoId, branch, after)?.backfilled === true;
}

/** What is reachable from a head and not read yet: when nothing is left, no further page is needed. */
class Frontier {
  private readonly backfill: Backfill;
  private readonly visited = new Set<string>();
  private open: Set<string>;

  constructor(backfill: Backfill, head: string) {
    this.backfill = backfill;
    this.open = new Set([head]);
  }

  get isClosed(): boolean {
    return this.open.size === 0 || this.visited.size >= mostCommits;
  }

  /** Goes on from what has been stored meanwhile. */
  async settle(): Promise<void> {
    const graph = graphOf(this.backfill);
    const path = [...this.open];
    this.open = new Set();
    for (let sha = path.pop(); sha !== undefined; sha = path.pop()) {
      if (this.visited.has(sha)) continue;
      const commit = graph.commit(sha);
      if (!commit?.parents) {
        this.open.add(sha);
        continue;
      }
      this.visited.add(sha);
      if (this.visited.size % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (!this.isListed(commit)) path.push(...commit.parents);
    }
  }

  /** Listed by a step, and so everything below it as well. */
  private isListed({ pushes }: CommitRecord): boolean {
    const { context, row, stepsReach } = this.backfill;
    return stepsReach && pushes.some(([branch, after]) => isStep(context.partition(), row.repoId, branch, after));
  }
}
