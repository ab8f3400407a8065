/**
 * Asks the host to compare two commits. The commits between them are minimized and redacted like those of a backfill.
 * An incomplete answer is not used.
 */
import { listedCommit } from '../../src/intake/rest.ts';
import type { BackfilledBody, ListedCommit } from '../../src/protocol/events.ts';
import type { ComparisonRecord } from '../../src/protocol/stored.ts';
import { stepsOf } from './branch-steps.ts';
import { inBodies } from './commits.ts';
import { counted } from './counted.ts';
import { bodiesOf } from './lists.ts';
import type { Reached } from './repository-on-host.ts';

/**
 * Maximum number of commits in a comparison. A larger comparison is not used, so the record stays far below the maximum
 * record size.
 */
const maxCommits = 10_000;

/** How two commits are related, and the bodies that must be journaled for the comparison. */
export interface Compared {
  ancestry: ComparisonRecord['ancestry'];
  bodies: BackfilledBody[];
}

/**
 * Compares two commits. Returns undefined if the host's answer is incomplete or too large.
 * @throws ServiceError when the host does not know the commits, or does not answer
 */
export async function comparisonOf({ client, name }: Reached, from: string, to: string): Promise<Compared | undefined> {
  const items = await counted(client.compare(name, from, to, maxCommits));
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
 * Returns how `to` is related to `from`. The relation is derived from the commits of the comparison, because some hosts
 * do not return the relation.
 * - `behind`: the comparison has no commits, so `from` already contains `to`.
 * - `ahead`: one of the commits has `from` as a parent, so `from` is an ancestor of `to`.
 * - `diverged`: all other cases.
 */
function ancestryOf(commits: readonly ListedCommit[], from: string): ComparisonRecord['ancestry'] {
  if (commits.length === 0) return 'behind';
  return commits.some(({ parents }) => parents.includes(from)) ? 'ahead' : 'diverged';
}

/**
 * Returns one group for each commit of the first-parent line. The group contains the commits that became reachable
 * through that commit, oldest first. Each commit appears in one group only.
 */
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
