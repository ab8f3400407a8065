/**
 * Merges comment snapshots. The newest snapshot counts, and a deletion is final. The functions are pure, and the order
 * of arrival does not matter.
 */
import type { CommentSnapshot } from '../../src/protocol/events.ts';
import type { CommentRecord, Version } from '../../src/protocol/stored.ts';

/**
 * The rank of each action. The ranks decide which of two snapshots of the same second is kept. Data read over REST has
 * the lowest rank, so a delivery wins.
 */
const ranks: Record<string, number> = { backfilled: 0, created: 1, submitted: 1, reviewed: 1, edited: 2, dismissed: 3 };

/** Returns the comment to store for a snapshot, or `before` itself if the snapshot changes nothing. */
export function mergeComment(
  before: CommentRecord | undefined,
  snapshot: CommentSnapshot,
  action: string,
): CommentRecord {
  if (before?.deleted) return before;
  if (action === 'deleted') return tombstone(snapshot);
  const { kind, id, number, author, body, state, createdAt, updatedAt, association } = snapshot;
  const rank = ranks[action] ?? 1;
  const after: CommentRecord = { kind, id, number, author, body, state, createdAt, updatedAt, deleted: false, rank };
  if (association !== undefined) after.association = association;
  if (!before) return after;
  const newer = isNewer(after, before) ? after : before;
  return withAssociation(newer, later(before, after));
}

/** Returns the comment whose association counts: the newer one of those that have an association. */
function later(before: CommentRecord, after: CommentRecord): CommentRecord {
  const [a, b] = [before, after].map(versionOf) as [Version, Version];
  const order = b[0] - a[0] || b[1] - a[1];
  if (order !== 0) return order > 0 ? after : before;
  return (after.association ?? '') > (before.association ?? '') ? after : before;
}

/** Returns the version of a comment's association. If the host has not named it, the version is below all others. */
function versionOf({ association, associationAt, updatedAt, rank }: CommentRecord): Version {
  return association == null ? [-1, 0] : (associationAt ?? [updatedAt, rank]);
}

/**
 * Returns a comment with the association of another comment. Not every snapshot has one: lists of Gitea lack it, as do
 * records of earlier versions.
 */
function withAssociation(comment: CommentRecord, known: CommentRecord): CommentRecord {
  const { association } = known;
  if (association == null || comment === known) return comment;
  const [at, rank] = versionOf(known);
  const isOwn = at === comment.updatedAt && rank === comment.rank;
  const { associationAt: _, ...rest } = comment;
  return { ...rest, association, ...(!isOwn && { associationAt: [at, rank] }) };
}

/** Returns a deleted comment, without its text and author. */
function tombstone({ kind, id, number }: CommentSnapshot): CommentRecord {
  const author = { login: 'ghost', bot: false };
  return { kind, id, number, author, body: '', state: null, createdAt: null, updatedAt: 0, deleted: true, rank: 0 };
}

function isNewer(after: CommentRecord, before: CommentRecord): boolean {
  if (after.updatedAt !== before.updatedAt) return after.updatedAt > before.updatedAt;
  if (after.rank !== before.rank) return after.rank > before.rank;
  const [one, other] = [sortText(after), sortText(before)];
  if (one !== other) return one > other;
  // Records of earlier versions have no association. The same comment with null says that the host names none.
  return after.association !== undefined && before.association === undefined;
}

/** Returns what decides between two snapshots of the same version. An association may come from a third snapshot. */
function sortText({ association: _, associationAt: __, ...text }: CommentRecord): string {
  return JSON.stringify(text);
}
