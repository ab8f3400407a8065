/**
 * Comments and reviews of a repository, stored under the number of their pull request or issue. Deleted comments are
 * kept as tombstones, so that a late delivery cannot bring them back. An index lists the few comments that may contain
 * commands, so that drafts need not read all comments.
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

/** Adds a comment to the index of comments that may contain commands, or removes it. */
export function indexCommand(partition: Partition, repoId: string, comment: CommentRecord, isListed: boolean): void {
  const { commandComments } = partition.tables;
  const key = [repoId, comment.number, comment.kind, comment.id];
  if (isListed) commandComments.putSync(key, true);
  else commandComments.removeSync(key);
}

/** Returns the numbers of the pull requests and issues with comments that may contain commands. */
export function commandedNumbers(partition: Partition, repoId: string): Set<number> {
  const numbers = new Set<number>();
  const range = { start: [repoId, 0], end: [repoId, Number.MAX_SAFE_INTEGER] };
  for (const key of partition.tables.commandComments.getKeys(range)) numbers.add((key as [string, number])[1]);
  return numbers;
}

/** Returns the comments of a pull request or issue that may contain commands, oldest first. */
export function commandComments(partition: Partition, repoId: string, number: number): CommentRecord[] {
  const range = { start: [repoId, number], end: [repoId, number + 1] };
  const found: CommentRecord[] = [];
  for (const key of partition.tables.commandComments.getKeys(range)) {
    const comment: CommentRecord | undefined = partition.tables.comments.get(key as string[]);
    if (comment && !comment.deleted) found.push(comment);
  }
  return found.sort(byTime);
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
  const { comments, commandComments } = partition.tables;
  const range = { start: [repoId, number], end: [repoId, number + 1] };
  for (const key of [...comments.getKeys(range)]) comments.removeSync(key);
  for (const key of [...commandComments.getKeys(range)]) commandComments.removeSync(key);
}
