/**
 * Tags of a repository, deleted ones kept as tombstones so that a late delivery cannot bring them back.
 */
import type { TagRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** A tag, its tombstone included. */
export function readTag(partition: Partition, repoId: string, name: string): TagRecord | undefined {
  return partition.tables.tags.get([repoId, name]);
}

export function writeTag(partition: Partition, repoId: string, tag: TagRecord): void {
  partition.tables.tags.putSync([repoId, tag.name], tag);
}

/** Tags that exist, by name. */
export function listTags(partition: Partition, repoId: string): TagRecord[] {
  const rows = partition.tables.tags.getRange({ start: [repoId], end: [repoId, '\u{10ffff}'] });
  return [...rows].map((row) => row.value as TagRecord).filter((tag) => !tag.deleted);
}
