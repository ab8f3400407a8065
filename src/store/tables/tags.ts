/**
 * Tags of a repository. Deleted tags are kept as tombstones, so that a late delivery cannot bring them back.
 */
import type { TagRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** Returns a tag, or its tombstone if the tag is deleted. */
export function readTag(partition: Partition, repoId: string, name: string): TagRecord | undefined {
  return partition.tables.tags.get([repoId, name]);
}

export function writeTag(partition: Partition, repoId: string, tag: TagRecord): void {
  partition.tables.tags.putSync([repoId, tag.name], tag);
}

/** Returns the tags that are not deleted, ordered by name. */
export function listTags(partition: Partition, repoId: string): TagRecord[] {
  return allTags(partition, repoId).filter((tag) => !tag.deleted);
}

/** Returns the newest host time at which a tag was pushed or deleted; 0 if no tag is known. */
export function newestTagTime(partition: Partition, repoId: string): number {
  return allTags(partition, repoId).reduce((newest, { pushedAt }) => Math.max(newest, pushedAt), 0);
}

function allTags(partition: Partition, repoId: string): TagRecord[] {
  const rows = partition.tables.tags.getRange({ start: [repoId], end: [repoId, '\u{10ffff}'] });
  return [...rows].map((row) => row.value as TagRecord);
}
