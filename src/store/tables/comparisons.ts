/**
 * What the host said of two commits of a repository, by their shas. It can neither change nor grow old, and goes with the
 * repository alone.
 */
import type { ComparisonRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

export function readComparison(
  partition: Partition,
  repoId: string,
  from: string,
  to: string,
): ComparisonRecord | undefined {
  return partition.tables.comparisons.get([repoId, from, to]);
}

/** Writes a comparison unless it is known; whether it was new. */
export function writeComparison(partition: Partition, repoId: string, comparison: ComparisonRecord): boolean {
  const key = [repoId, comparison.from, comparison.to];
  if (partition.tables.comparisons.get(key)) return false;
  partition.tables.comparisons.putSync(key, comparison);
  return true;
}
