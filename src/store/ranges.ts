/**
 * Release ranges: by id, and by repository in order of making.
 */
import type { RangeRecord } from '../protocol/stored.ts';
import type { Partition } from './partition.ts';

export function readRange(partition: Partition, id: string): RangeRecord | undefined {
  return partition.tables.ranges.get(id);
}

export function writeRange(partition: Partition, range: RangeRecord): void {
  partition.tables.ranges.putSync(range.id, range);
  partition.tables.rangesByRepository.putSync([range.repoId, range.createdAt, range.id], true);
}

/** Whether a repository has any range. */
export function hasRanges(partition: Partition, repoId: string): boolean {
  for (const _ of rangeKeys(partition, repoId, 1)) return true;
  return false;
}

/** All ranges of a repository, oldest first. */
export function listRanges(partition: Partition, repoId: string): RangeRecord[] {
  const found: RangeRecord[] = [];
  for (const key of rangeKeys(partition, repoId)) {
    const range = readRange(partition, key[2]);
    if (range) found.push(range);
  }
  return found;
}

function rangeKeys(partition: Partition, repoId: string, limit?: number): Iterable<[string, number, string]> {
  return partition.tables.rangesByRepository.getKeys({
    start: [repoId],
    end: [repoId, Number.MAX_VALUE],
    ...(limit && { limit }),
  }) as Iterable<[string, number, string]>;
}
