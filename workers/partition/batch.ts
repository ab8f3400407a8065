/**
 * Unpacks a batch of journal messages and folds the batch in one transaction, completely or not at all. The partition's
 * owner (`owner.ts`) decides which batch comes next and whether the batch may be folded.
 */
import type { Logger } from '../../src/foundation/logger.ts';
import { recordsDeadLettered } from '../../src/foundation/metrics.ts';
import { unpackBatch, unpackMessage as unpackSlowly } from '../../src/journal/codec.ts';
import type { JournalMessage } from '../../src/journal/follow.ts';
import type { Partition } from '../../src/store/partition.ts';
import type { RowBytes } from '../../src/store/recurring-texts.ts';
import { createRowDecoder } from '../../src/store/row-decoder.ts';
import { writeCursor } from '../../src/store/tables/meta.ts';
import { foldMessage, isStoreFault, type Message } from '../fold/fold.ts';
import { foldTogether } from '../fold/together.ts';

export type { Message } from '../fold/fold.ts';

const decodeRow = createRowDecoder((bytes) => unpackSlowly(bytes));
const decode = (bytes: Uint8Array) => decodeRow(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) as RowBytes);

/**
 * Unpacks one message. A message that cannot be read is skipped, because it would otherwise block all later messages.
 * Only this service writes to the stream.
 * @param onUnreadable called if the message cannot be read
 */
export function unpackMessage(seq: number, bytes: Uint8Array, onUnreadable: (error: unknown) => void): Message {
  try {
    return { seq, records: unpackBatch(bytes, decode) };
  } catch (error) {
    onUnreadable(error);
    return { seq, records: [] };
  }
}

/** Unpacks the messages of a batch. Messages that cannot be read are logged, counted and skipped. */
export function unpackMessages(partition: string, batch: readonly JournalMessage[], logger: Logger): Message[] {
  return batch.map(({ seq, bytes }) =>
    unpackMessage(seq, bytes, (error) => {
      logger.error({ partition, seq, err: error }, 'journal message cannot be read and is skipped');
      recordsDeadLettered.inc({ partition });
    }),
  );
}

/**
 * Folds messages in one transaction, so that effects, delivery ids and cursor are committed together or not at all.
 * Events are folded together. If one of the records cannot be folded, the whole batch is rolled back and folded again
 * record by record. Then only the records that cannot be folded become dead letters.
 * @param check runs inside the transaction before anything is folded; if it throws, everything is rolled back
 */
export async function foldBatch(partition: Partition, batch: readonly Message[], check = () => {}): Promise<void> {
  if (batch.length === 0) return;
  let fault: unknown;
  await partition.write(() => {
    try {
      try {
        attempt(partition, batch, check, foldTogether);
      } catch (error) {
        if (isStoreFault(error)) throw error;
        attempt(partition, batch, check, foldSeparately);
      }
    } catch (error) {
      fault = error;
    }
  });
  if (fault !== undefined) throw fault;
}

/** Folds a batch and moves the cursor. If anything throws, neither rows nor counts of the attempt remain. */
function attempt(
  partition: Partition,
  batch: readonly Message[],
  check: () => void,
  fold: (partition: Partition, batch: readonly Message[]) => void,
): void {
  const last = batch[batch.length - 1] as Message;
  const counts: (() => void)[] = [];
  // If the callback of the outer transaction threw an error, LMDB would commit all rows written before the error. The
  // child transaction rolls these rows back.
  partition.root.childTransaction(() => {
    check();
    fold({ ...partition, counts }, batch);
    writeCursor(partition, { seq: last.seq, recordId: last.records[last.records.length - 1]?.id ?? '' });
  });
  for (const add of counts) add();
}

function foldSeparately(partition: Partition, batch: readonly Message[]): void {
  for (const { seq, records } of batch) foldMessage(partition, seq, records);
}

/** Whether it is possible that a client waits for a batch. No client waits for events or for pages of a backfill. */
export function isAwaited(batch: readonly Message[]): boolean {
  return batch.some(({ records }) => records.some(({ kind }) => kind !== 'event' && kind !== 'backfilled'));
}
