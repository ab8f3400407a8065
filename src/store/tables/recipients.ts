/**
 * Who was written to one by one: for each revision of a draft, digests of those who have it and of those who may have it. What
 * stays known when a publication is removed or its list of recipients changes, so that nobody gets the same text twice.
 */
import type { Partition } from '../partition.ts';

/** The text that was sent. */
export interface SentText {
  repoId: string;
  draftId: string;
  revision: number;
}

/** Digests of recipients; `doubtful` = being sent, or sent without an answer. */
export interface Reached {
  taken: string[];
  doubtful: string[];
}

export function readReached(partition: Partition, text: SentText): Reached {
  return partition.tables.recipients.get(keyOf(text)) ?? { taken: [], doubtful: [] };
}

/** Notes whom an attempt is about to send to: until its outcome is known they may have it. */
export function noteSending(partition: Partition, text: SentText, recipients: readonly string[]): void {
  const { taken, doubtful } = readReached(partition, text);
  write(partition, text, { taken, doubtful: [...new Set([...doubtful, ...recipients])] });
}

/** Notes who has it now, and who certainly has not and can be sent to again. */
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

/** Lets those who may have it be sent to again, because a person says so. */
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
