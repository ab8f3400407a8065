/**
 * Recipients of mails, per revision of a draft. Each row contains the recipients who have received the text of the
 * revision, and the recipients who may have received it. Recipients are stored as digests of their addresses. The rows
 * are kept when a publication is removed or its list of recipients changes. So no recipient gets the same text twice.
 */
import type { Partition } from '../partition.ts';

/** Identifies the text that was sent. */
export interface SentText {
  repoId: string;
  draftId: string;
  revision: number;
}

/**
 * Digests of recipients. `taken`: these recipients have received the text. `doubtful`: these recipients may have
 * received the text, because it is being sent, or because the mail server did not answer.
 */
export interface Reached {
  taken: string[];
  doubtful: string[];
}

export function readReached(partition: Partition, text: SentText): Reached {
  return partition.tables.recipients.get(keyOf(text)) ?? { taken: [], doubtful: [] };
}

/** Stores the recipients of an attempt as `doubtful`. They are `doubtful` until the outcome of the attempt is known. */
export function noteSending(partition: Partition, text: SentText, recipients: readonly string[]): void {
  const { taken, doubtful } = readReached(partition, text);
  write(partition, text, { taken, doubtful: [...new Set([...doubtful, ...recipients])] });
}

/**
 * Stores the outcome of an attempt. `taken`: these recipients have received the text. `free`: these recipients have
 * certainly not received the text, so the text can be sent to them again.
 */
export function noteReached(
  partition: Partition,
  text: SentText,
  { taken, free }: { taken: readonly string[]; free: readonly string[] },
): void {
  const before = readReached(partition, text);
  const settled = new Set([...taken, ...free]);
  write(partition, text, {
    taken: [...new Set([...before.taken, ...taken])],
    doubtful: before.doubtful.filter((recipient) => !settled.has(recipient)),
  });
}

/** Allows sending again to the `doubtful` recipients, because a person requested it. */
export function clearDoubtful(partition: Partition, text: SentText): void {
  const { taken, doubtful } = readReached(partition, text);
  if (doubtful.length > 0) write(partition, text, { taken, doubtful: [] });
}

function write(partition: Partition, text: SentText, reached: Reached): void {
  partition.tables.recipients.putSync(keyOf(text), reached);
}

function keyOf({ repoId, draftId, revision }: SentText): [string, string, number] {
  return [repoId, draftId, revision];
}
