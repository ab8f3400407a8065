/**
 * A batch of journal messages on its way into a partition: unpacked, then folded in one transaction, wholly or not at all.
 * Which batch it is, and who may fold it, is the owner's business.
 */
import { unpackBatch } from '../../src/journal/codec.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeCursor } from '../../src/store/tables/meta.ts';
import { foldMessage } from '../fold/fold.ts';

/** One journal message: its sequence and its records. */
export interface Message {
  seq: number;
  records: readonly JournalRecord[];
}

/**
 * Nobody but us writes to the stream: a message that is no batch is passed over, or it would stop all behind it.
 * @param onUnreadable told of such a message
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
 * Folds messages: effects, delivery ids and cursor stand or fall together.
 * @param check runs inside the transaction, before anything is folded; what it throws undoes all
 */
export async function foldBatch(partition: Partition, batch: readonly Message[], check = () => {}): Promise<void> {
  const last = batch[batch.length - 1];
  if (!last) return;
  let fault: unknown;
  await partition.write(() => {
    try {
      // A throw in the transaction itself would commit what was put before it; a child transaction rolls back.
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

/** Whether somebody may wait for a batch: events, and pages of a backfill, are nobody's answer. */
export function isAwaited(batch: readonly Message[]): boolean {
  return batch.some(({ records }) => records.some(({ kind }) => kind !== 'event' && kind !== 'backfilled'));
}
