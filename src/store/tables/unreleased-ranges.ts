/**
 * The unreleased range of each branch and pattern of a repository. There is at most one of each, and it ends when its
 * tag arrives.
 */
import type { RangeBounds } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** Returns the id of the unreleased range with these bounds; undefined if there is none. */
export function readUnreleased(partition: Partition, repoId: string, bounds: RangeBounds): string | undefined {
  return partition.tables.unreleasedRanges.get(keyOf(repoId, bounds));
}

export function writeUnreleased(partition: Partition, repoId: string, bounds: RangeBounds, rangeId: string): void {
  partition.tables.unreleasedRanges.putSync(keyOf(repoId, bounds), rangeId);
}

export function removeUnreleased(partition: Partition, repoId: string, bounds: RangeBounds): void {
  partition.tables.unreleasedRanges.removeSync(keyOf(repoId, bounds));
}

function keyOf(repoId: string, { branch = '', tagPattern = '', prereleases }: RangeBounds): [string, ...string[]] {
  return [repoId, branch, tagPattern, prereleases ? 'prereleases' : ''];
}
