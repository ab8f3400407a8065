/**
 * Comparisons of two commits of a repository, as the host reported them, stored by the shas of both commits. A
 * comparison never changes or expires. It is removed only when the repository is removed.
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

/** Writes a comparison unless it is stored already. Returns whether the comparison was new. */
export function writeComparison(partition: Partition, repoId: string, comparison: ComparisonRecord): boolean {
  const key = [repoId, comparison.from, comparison.to];
  if (partition.tables.comparisons.get(key)) return false;
  partition.tables.comparisons.putSync(key, comparison);
  return true;
}
