/**
 * Folds batches as the owner of a partition. Each write transaction first checks that the partition still has this
 * owner, so that two processes never write to one partition in turns.
 */
import type { Logger } from '../../src/foundation/logger.ts';
import type { JournalMessage } from '../../src/journal/follow.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readCursor, readOwner } from '../../src/store/tables/meta.ts';
import { type FoldedBatch, type FoldOptions, foldBatch, packedMessages } from './batch.ts';

/** Thrown when another process has written to the partition. This process must then stop writing. */
export class NotOwnerError extends Error {}

/**
 * Folds a batch that has at least one message.
 * @param id identifies the owner
 * @param options as in `foldBatch`
 * @throws NotOwnerError if the partition has another owner, or if the batch does not follow the partition's cursor
 */
export function foldOwned(
  partition: Partition,
  id: string,
  batch: readonly JournalMessage[],
  logger: Logger,
  options: Omit<FoldOptions, 'check'> = {},
): Promise<FoldedBatch> {
  const messages = packedMessages(partition.name, batch, logger);
  const before = (batch[0] as JournalMessage).seq - 1;
  return foldBatch(partition, messages, { ...options, check: () => assertOwned(partition, id, before) });
}

function assertOwned(partition: Partition, id: string, seq: number): void {
  const owner = readOwner(partition);
  const cursor = readCursor(partition);
  if (owner === id && cursor.seq === seq) return;
  throw new NotOwnerError(
    `Partition ${partition.name} was written by another process: found owner ${owner} at sequence ${cursor.seq}, expected owner ${id} at sequence ${seq}.`,
  );
}
