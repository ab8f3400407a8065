/**
 * Comments and reviews of a repository, stored under the number of their pull request or issue. Deleted comments are
 * kept as tombstones, so that a late delivery cannot bring them back.
 */
import type { CommentKind, CommentRecord } from '../../protocol/stored.ts';
import { addRow } from '../add-row.ts';
import type { Partition } from '../partition.ts';

export function readComment(
  partition: Partition,
  repoId: string,
  number: number,
  kind: CommentKind,
  id: string,
): CommentRecord | undefined {
  return partition.tables.comments.get([repoId, number, kind, id]);
}

export function writeComment(partition: Partition, repoId: string, comment: CommentRecord): void {
  partition.tables.comments.putSync([repoId, comment.number, comment.kind, comment.id], comment);
}

/** Writes a comment that is not stored yet. Returns false if it is already stored. */
export function addComment(partition: Partition, repoId: string, comment: CommentRecord): boolean {
  return addRow(partition.tables.comments, [repoId, comment.number, comment.kind, comment.id], comment);
}

/** Returns the comments of one pull request or issue, ordered by kind and id. Deleted comments are left out. */
export function listComments(partition: Partition, repoId: string, number: number): CommentRecord[] {
  const rows = partition.tables.comments.getRange({ start: [repoId, number], end: [repoId, number + 1] });
  return [...rows].map((row) => row.value as CommentRecord).filter((comment) => !comment.deleted);
}

/**
 * Returns the comments of one pull request or issue in the order in which they were written. Comments of the same time
 * are ordered by id: `9` comes before `10`. Deleted comments are left out.
 */
export function commentsInOrder(partition: Partition, repoId: string, number: number): CommentRecord[] {
  return listComments(partition, repoId, number).sort(byTime);
}

function byTime(a: CommentRecord, b: CommentRecord): number {
  const order = timeOf(a) - timeOf(b) || a.id.length - b.id.length;
  return order || (`${a.id} ${a.kind}` < `${b.id} ${b.kind}` ? -1 : 1);
}

function timeOf({ createdAt, updatedAt }: CommentRecord): number {
  return createdAt ?? updatedAt;
}

/** Whether a repository has stored comments. Many repositories send no events for comments. */
export function hasComments(partition: Partition, repoId: string): boolean {
  const range = { start: [repoId, 0], end: [repoId, Number.MAX_SAFE_INTEGER], limit: 1 };
  return [...partition.tables.comments.getKeys(range)].length > 0;
}

/** Removes all comments of a pull request or issue, including tombstones. */
export function removeComments(partition: Partition, repoId: string, number: number): void {
  const { comments } = partition.tables;
  const keys = [...comments.getKeys({ start: [repoId, number], end: [repoId, number + 1] })];
  for (const key of keys) comments.removeSync(key);
}
