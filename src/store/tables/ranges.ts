/**
 * Release ranges, stored by id, with an index by repository in the order of creation.
 */
import type { RangeRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';
import { nextNumber, readCounter, writeCounter } from './meta.ts';

export function readRange(partition: Partition, id: string): RangeRecord | undefined {
  return partition.tables.ranges.get(id);
}

export function writeRange(partition: Partition, range: RangeRecord): void {
  if (!readRange(partition, range.id)) nextNumber(partition, rangesOf(range.repoId));
  partition.tables.ranges.putSync(range.id, range);
  partition.tables.rangesByRepository.putSync([range.repoId, range.createdAt, range.id], true);
  const { id: rangeId, repoId, prCount, issueCount, resolution } = range;
  const counts = { prCount, issueCount, resolution };
  partition.changes?.note(rangeId, { event: 'range.counts', data: { repoId, rangeId, counts } });
}

/**
 * Whether a repository has any range. This function is called for every event. So it reads a counter, which is faster
 * than opening a cursor.
 */
export function hasRanges(partition: Partition, repoId: string): boolean {
  return countRanges(partition, repoId) > 0;
}

/** Returns how many ranges a repository has, from its counter. */
export function countRanges(partition: Partition, repoId: string): number {
  return readCounter(partition, rangesOf(repoId));
}

/** Removes the range counter of a repository whose ranges are all erased. */
export function removeRangeCount(partition: Partition, repoId: string): void {
  partition.tables.meta.removeSync(rangesOf(repoId));
  writeErasedRecount(partition, repoId, 0);
}

/**
 * Returns the outbox number of the recount that a repository needs after a retention sweep; 0 if the repository needs
 * no recount. A sweep can erase changes of the repository's ranges. The recount determines which changes the ranges
 * have lost.
 */
export function readErasedRecount(partition: Partition, repoId: string): number {
  return readCounter(partition, erasedOf(repoId));
}

export function writeErasedRecount(partition: Partition, repoId: string, row: number): void {
  if (row > 0) writeCounter(partition, erasedOf(repoId), row);
  else partition.tables.meta.removeSync(erasedOf(repoId));
}

function erasedOf(repoId: string): string {
  return `erased ${repoId}`;
}

function rangesOf(repoId: string): string {
  return `ranges ${repoId}`;
}

/** Returns all ranges of a repository, oldest first. */
export function listRanges(partition: Partition, repoId: string): RangeRecord[] {
  const found: RangeRecord[] = [];
  for (const key of rangeKeys(partition, repoId)) {
    const range = readRange(partition, key[2]);
    if (range) found.push(range);
  }
  return found;
}

/** Returns the ids of all ranges of a repository, oldest first. */
export function listRangeIds(partition: Partition, repoId: string): string[] {
  return [...rangeKeys(partition, repoId)].map((key) => key[2]);
}

/** The position of a range in the order of creation. */
export type RangePlace = Pick<RangeRecord, 'id' | 'createdAt'>;

/**
 * Returns up to `limit` ranges of a repository, newest first.
 * @param from the first of these ranges, if the repository has it, or the place where it would be; undefined for the
 *   newest one
 */
export function newestRanges(partition: Partition, repoId: string, limit: number, from?: RangePlace): RangePlace[] {
  const start = from ? [repoId, from.createdAt, from.id] : [repoId, Number.MAX_VALUE];
  const keys = partition.tables.rangesByRepository.getKeys({ start, end: [repoId], reverse: true, limit });
  return [...(keys as Iterable<[string, number, string]>)].map(([, createdAt, id]) => ({ id, createdAt }));
}

function rangeKeys(partition: Partition, repoId: string): Iterable<[string, number, string]> {
  const keys = partition.tables.rangesByRepository.getKeys({ start: [repoId], end: [repoId, Number.MAX_VALUE] });
  return keys as Iterable<[string, number, string]>;
}
