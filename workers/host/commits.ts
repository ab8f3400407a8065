/**
 * Reads the commits of the default branch and of release branches, with their parents, and derives the steps of each
 * branch. The commits of a branch are listed from the head that the branch had when the branches were listed, so that
 * pages do not shift. Later pushes arrive as deliveries.
 */
import type { HostPage } from '../../src/host/client.ts';
import { listedCommit, shaOf } from '../../src/intake/rest.ts';
import { name as storedName } from '../../src/intake/text.ts';
import type { BackfilledBody, BranchStep, ListedCommit } from '../../src/protocol/events.ts';
import type { CommitRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readCommit, readPush } from '../../src/store/tables/pushes.ts';
import { type CommitGraph, maxCommits, stepsOf } from './branch-steps.ts';
import { counted } from './counted.ts';
import { bodiesOf } from './lists.ts';
import type { PhaseContext } from './phase-context.ts';

/**
 * Matches the names of release branches, for example `release/2.1`, `release-1.x`, `stable-3`, `maintenance/1`, `v2`,
 * `1.x`, `3.14`, `REL_15_STABLE`.
 */
const releaseBranch =
  /^(?:(?:releases?|rel|stable|maint|maintenance|support|hotfix)[/_-].+|v?\d+(?:[._]\d+){0,3}(?:[._-](?:x|stable|release|maint))?)$/i;
/**
 * Maximum number of branches that are read besides the default branch. If a repository has more branches, those whose
 * names sort last are read, for example the branches of the highest versions.
 */
const maxBranches = 50;
/**
 * Limits of bodies and records, so that each body and each record is folded in a few milliseconds. `perBody` limits one
 * body: the characters of its commit messages, and the number of its commits. `perRecord` limits one record: the number
 * of its steps, and the number of commits that these steps list.
 */
const perBody = { characters: 65_536, commits: 100 };
const perRecord = { steps: 200, shas: 1000 };

/** Reads the commits of the default branch and the release branches. */
export async function readCommits(backfill: PhaseContext): Promise<void> {
  if (!backfill.progress.position.again) {
    const branches = await findBranches(backfill);
    await backfill.progress.page([], { position: { branches, again: true, next: null }, total: branches.length });
  }
  for (let [branch] = backfill.progress.position.branches; branch; [branch] = backfill.progress.position.branches) {
    if (!isDone(backfill, branch.head)) {
      if (!backfill.progress.position.listed) await listCommits(backfill, branch.head);
      await journalSteps(backfill, branch);
    }
    const branches = backfill.progress.position.branches.slice(1);
    await backfill.progress.page([], {
      position: { branches, next: null, listed: false },
      done: backfill.progress.phase.done + 1,
    });
  }
  await backfill.progress.endPhase([]);
}

/** Whether an earlier backfill has already reached the head of the branch. */
function isDone(backfill: PhaseContext, head: string): boolean {
  return (
    backfill.stepsReach &&
    backfill.progress.position.next === null &&
    isStepped(graphOf(backfill).commit(head), backfill)
  );
}

async function findBranches(backfill: PhaseContext): Promise<{ name: string; head: string }[]> {
  const { defaultBranch } = backfill.repository;
  const found: { name: string; head: string }[] = [];
  let page: HostPage = await counted(backfill.client.first(backfill.name, { kind: 'branches' }));
  for (;;) {
    for (const { name: givenName, commit } of page.items) {
      // Branch names are redacted as in deliveries, so that a branch has the same name in this list and in its pushes.
      const [name, head] = [storedName(String(givenName)), shaOf(commit)];
      const matters = name === defaultBranch || releaseBranch.test(name);
      if (matters && head !== undefined) found.push({ name, head });
    }
    if (page.next === null) break;
    page = await counted(backfill.client.page(page.next, 'branches'));
  }
  const others = found.filter(({ name }) => name !== defaultBranch);
  others.sort((a, b) => b.name.localeCompare(a.name, 'en', { numeric: true }));
  return [...found.filter(({ name }) => name === defaultBranch), ...others.slice(0, maxBranches)];
}

/**
 * Lists the commits reachable from a head. Stops when all further commits are already stored or older than the
 * requested time.
 */
async function listCommits(backfill: PhaseContext, head: string): Promise<void> {
  const frontier = new Frontier(backfill, head);
  await frontier.advance();
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
    await frontier.advance();
  }
}

/** Splits commits into bodies, each of which is folded in a few milliseconds. */
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

async function journalSteps(backfill: PhaseContext, { name, head }: { name: string; head: string }): Promise<void> {
  const graph = graphOf(backfill);
  let steps: BranchStep[] = [];
  let shas = 0;
  const journalPart = async (): Promise<void> => {
    if (steps.length > 0) await backfill.progress.page([{ event: 'steps', branch: name, steps }]);
    [steps, shas] = [[], 0];
  };
  for await (const step of stepsOf(graph, head)) {
    if (steps.length >= perRecord.steps || shas + step.shas.length > perRecord.shas) await journalPart();
    steps.push(step);
    shas += step.shas.length;
  }
  await journalPart();
}

/**
 * Returns the stored commits as a graph. If the stored steps do not cover the whole period that this backfill reads, no
 * commit counts as the end of a step.
 */
function graphOf(backfill: PhaseContext): CommitGraph & { commit: (sha: string) => CommitRecord | undefined } {
  const commit = (sha: string) => readCommit(backfill.context.partition(), backfill.row.repoId, sha);
  return {
    commit,
    parents: (sha) => commit(sha)?.parents,
    at: (sha) => commit(sha)?.at ?? 0,
    isStepped: (sha) => backfill.stepsReach && isStepped(commit(sha), backfill),
  };
}

/** Whether a backfill has recorded a step that ends at this commit. */
function isStepped(commit: CommitRecord | undefined, { context, row }: PhaseContext): boolean {
  return (commit?.pushes ?? []).some(
    ([branch, after]) => after === commit?.sha && isStep(context.partition(), row.repoId, branch, after),
  );
}

function isStep(partition: Partition, repoId: string, branch: string, after: string): boolean {
  return readPush(partition, repoId, branch, after)?.backfilled === true;
}

/**
 * The commits that are reachable from a head and not stored yet. When no such commit is left, no further page is
 * needed.
 */
class Frontier {
  private readonly backfill: PhaseContext;
  private readonly visited = new Set<string>();
  private open: Set<string>;

  constructor(backfill: PhaseContext, head: string) {
    this.backfill = backfill;
    this.open = new Set([head]);
  }

  get isClosed(): boolean {
    return this.open.size === 0 || this.visited.size >= maxCommits;
  }

  /** Continues the walk with the commits that were stored since the last call. */
  async advance(): Promise<void> {
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

  /** Whether a step lists the commit. If so, all commits below this commit are listed too. */
  private isListed({ pushes }: CommitRecord): boolean {
    const { context, row, stepsReach } = this.backfill;
    return stepsReach && pushes.some(([branch, after]) => isStep(context.partition(), row.repoId, branch, after));
  }
}
