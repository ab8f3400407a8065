/**
 * Unpacks a batch of journal messages and folds the batch in one transaction, completely or not at all. The partition's
 * owner (`owner.ts`) decides which batch comes next and whether the batch may be folded.
 */
import { unpackBatch } from '../../src/journal/codec.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeCursor } from '../../src/store/tables/meta.ts';
import { foldMessage } from '../fold/fold.ts';

/** One journal message: its sequence number and its records. */
export interface Message {
  seq: number;
  records: readonly JournalRecord[];
}

/**
 * Unpacks one message. A message that cannot be read is skipped, because it would otherwise block all later messages.
 * Only this service writes to the stream.
 * @param onUnreadable called if the message cannot be read
 */
export function unpackMessage(seq: number, bytes: Uint8Array, onUnreadable: (error: unknown) => void): Message {
  try {
    return { seq, records: unpackBatch(bytes) };
  } catch (error) {
    onUnreadable(error);
    return { seq, records: [] };
  }
}

/**
 * Folds messages in one transaction, so that effects, delivery ids and cursor are committed together or not at all.
 * @param check runs inside the transaction before anything is folded; if it throws, everything is rolled back
 */
export async function foldBatch(partition: Partition, batch: readonly Message[], check = () => {}): Promise<void> {
  const last = batch[batch.length - 1];
  if (!last) return;
  let fault: unknown;
  await partition.write(() => {
    try {
      // If the callback of the outer transaction threw an error, LMDB would commit all rows written before the error.
      // The child transaction rolls these rows back.
      partition.root.childTransaction(() => {
        check();
        for (const { seq, records } of batch) foldMessage(partition, seq, records);
        writeCursor(partition, { seq: last.seq, recordId: last.records[last.records.length - 1]?.id ?? '' });
      });
    } catch (error) {
      fault = error;
    }
  });
  if (fault !== undefined) throw fault;
}

/** Whether it is possible that a client waits for a batch. No client waits for events or for pages of a backfill. */
export function isAwaited(batch: readonly Message[]): boolean {
  return batch.some(({ records }) => records.some(({ kind }) => kind !== 'event' && kind !== 'backfilled'));
}
