/**
 * Two commits compared by the host: the commits between them, minimised and redacted as those of a backfill are, and how they
 * became reachable. What is not told whole is not used.
 */
import { listedCommit } from '../../src/intake/rest.ts';
import type { BackfilledBody, ListedCommit } from '../../src/protocol/events.ts';
import type { ComparisonRecord } from '../../src/protocol/stored.ts';
import { stepsOf } from './branch-steps.ts';
import { inBodies } from './commits.ts';
import { counted } from './counted.ts';
import { bodiesOf } from './lists.ts';
import type { Reached } from './repository-on-host.ts';

/** Most commits of a comparison that is used; its record is far below what a record may have then. */
const mostCommits = 10_000;

/** How two commits stand to each other, and the bodies that say so. */
export interface Compared {
  ancestry: ComparisonRecord['ancestry'];
  bodies: BackfilledBody[];
}

/**
 * Compares two commits; undefined where the host does not tell all, or too much.
 * @throws ServiceError when the host does not know them, or does not answer
 */
export async function comparisonOf({ client, name }: Reached, from: string, to: string): Promise<Compared | undefined> {
  const items = await counted(client.compare(name, from, to, mostCommits));
  if (!items) return undefined;
  const commits = await bodiesOf(items, listedCommit);
  const groups = await groupsOf(commits, to);
  if (groups.flat().length !== items.length) return undefined;
  const ancestry = ancestryOf(commits, from);
  return {
    ancestry,
    bodies: [...inBodies(commits), { event: 'comparison', comparison: { from, to, ancestry, groups } }],
  };
}

/**
 * Told by the commits themselves, as not every host says it: without any, `to` is part of `from`; and a way down from `to` to
 * `from` ends in a commit whose parent is `from`.
 */
function ancestryOf(commits: readonly ListedCommit[], from: string): ComparisonRecord['ancestry'] {
  if (commits.length === 0) return 'behind';
  return commits.some(({ parents }) => parents.includes(from)) ? 'ahead' : 'diverged';
}

/** What each commit of the line of first parents made reachable, oldest first; each commit once. */
async function groupsOf(commits: readonly ListedCommit[], to: string): Promise<string[][]> {
  const known = new Map(commits.map((commit) => [commit.sha, commit]));
  const graph = {
    parents: (sha: string) => known.get(sha)?.parents,
    at: (sha: string) => known.get(sha)?.at ?? 0,
    isStepped: () => false,
  };
  const groups: string[][] = [];
  for await (const { shas } of stepsOf(graph, to)) groups.push(shas);
  return groups;
}
