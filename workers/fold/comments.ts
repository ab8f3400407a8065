/**
 * Merges comment snapshots. The newest snapshot counts, and a deletion is final. The functions are pure, and the order
 * of arrival does not matter.
 */
import type { CommentSnapshot } from '../../src/protocol/events.ts';
import type { CommentRecord } from '../../src/protocol/stored.ts';

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
  const { kind, id, number, author, body, state, createdAt, updatedAt } = snapshot;
  const rank = ranks[action] ?? 1;
  const after = { kind, id, number, author, body, state, createdAt, updatedAt, deleted: false, rank };
  return !before || isNewer(after, before) ? after : before;
}

/** Returns a deleted comment, without its text and author. */
function tombstone({ kind, id, number }: CommentSnapshot): CommentRecord {
  const author = { login: 'ghost', bot: false };
  return { kind, id, number, author, body: '', state: null, createdAt: null, updatedAt: 0, deleted: true, rank: 0 };
}

function isNewer(after: CommentRecord, before: CommentRecord): boolean {
  if (after.updatedAt !== before.updatedAt) return after.updatedAt > before.updatedAt;
  if (after.rank !== before.rank) return after.rank > before.rank;
  return JSON.stringify(after) > JSON.stringify(before);
}
