/**
 * Unpacks a batch of journal messages and folds it in one transaction, completely or not at all. The partition's
 * owner (`owner.ts`) decides which batch comes next and whether the batch may be folded.
 */
import type { Logger } from '../../src/foundation/logger.ts';
import { recordsDeadLettered } from '../../src/foundation/metrics.ts';
import { unpackBatch, unpackMessage as unpackSlowly } from '../../src/journal/codec.ts';
import type { JournalMessage } from '../../src/journal/follow.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { Changes } from '../../src/store/changes.ts';
import type { Partition } from '../../src/store/partition.ts';
import type { RowBytes } from '../../src/store/recurring-texts.ts';
import { createRowDecoder } from '../../src/store/row-decoder.ts';
import { writeCursor } from '../../src/store/tables/meta.ts';
import { foldMessage, type Message, stopsPartition } from '../fold/fold.ts';
import { foldTogether } from '../fold/together.ts';
import type { Digests } from './digests.ts';
import type { TouchedRepositories } from './touched.ts';

export type { Message } from '../fold/fold.ts';

const decodeRow = createRowDecoder((bytes) => unpackSlowly(bytes));
const decode = (bytes: Uint8Array) => decodeRow(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) as RowBytes);

/**
 * A message whose records are unpacked each time they are read. The fold reads them once. If they were kept, all records
 * of the batch would live until its commit, and the garbage collector would copy them several times.
 *
 * A message that cannot be unpacked has no records, because it would otherwise block all later messages. Only this
 * service writes to the stream.
 */
export class PackedMessage implements Message {
  readonly seq: number;
  private readonly bytes: Uint8Array;
  private onUnreadable: ((error: unknown) => void) | undefined;

  /** @param onUnreadable called once if the message cannot be unpacked */
  constructor(seq: number, bytes: Uint8Array, onUnreadable: (error: unknown) => void) {
    this.seq = seq;
    this.bytes = bytes;
    this.onUnreadable = onUnreadable;
  }

  get records(): readonly JournalRecord[] {
    try {
      return unpackBatch(this.bytes, decode);
    } catch (error) {
      this.onUnreadable?.(error);
      this.onUnreadable = undefined;
      return [];
    }
  }
}

/** Returns the messages of a batch. Messages that cannot be unpacked are logged, counted and skipped. */
export function packedMessages(partition: string, batch: readonly JournalMessage[], logger: Logger): Message[] {
  return batch.map(({ seq, bytes }) => {
    const onUnreadable = (error: unknown): void => {
      logger.error({ partition, seq, err: error }, 'journal message cannot be read and is skipped');
      recordsDeadLettered.inc({ partition });
    };
    return new PackedMessage(seq, bytes, onUnreadable);
  });
}

/** What a folded batch contained. */
export interface FoldedBatch {
  /** Sequence number of the last message. */
  seq: number;
  /** Id and time of the last message's last record. If the message has no records, they are empty and 0. */
  recordId: string;
  at: number;
  /** Number of records of the batch. */
  records: number;
  /** Whether it is possible that a client waits for the batch. No client waits for events or for pages of a backfill. */
  isAwaited: boolean;
  /** What the batch has changed, for live events; undefined if the caller does not collect it. */
  changes: Changes | undefined;
  /** Term of the last claim or tick of a lead in the batch; undefined if there is none. */
  heardTerm: number | undefined;
  /** The last digest that a tick names for a position which this node knows; undefined if there is none. */
  named: NamedByLead | undefined;
}

/** The digest of the state of a lead, which the lead names in a tick. */
export interface NamedByLead {
  /** Term of the lead. */
  term: number;
  seq: number;
  value: number;
}

/** Options of the fold of a batch. */
export interface FoldOptions {
  /** Runs inside the transaction before anything is folded; if it throws, everything is rolled back. */
  check?: () => void;
  /** Whether the changes of the batch are collected for live events. */
  collects?: boolean;
  /** Gets the repositories that the records concern; undefined if no one needs them. */
  touched?: TouchedRepositories | undefined;
  /** Keeps the digests of the messages, and those at the positions that ticks name. */
  digests?: Digests | undefined;
}

const nothing: Readonly<FoldedBatch> = {
  ...{ seq: 0, recordId: '', at: 0, records: 0, isAwaited: false },
  ...{ changes: undefined, heardTerm: undefined, named: undefined },
};

/**
 * Folds messages in one transaction, so that effects, delivery ids and cursor are committed together or not at all.
 * Events are folded together. If one of the records cannot be folded, the whole batch is rolled back and folded again
 * record by record. Then only the records that cannot be folded become dead letters.
 */
export async function foldBatch(
  partition: Partition,
  batch: readonly Message[],
  options: FoldOptions = {},
): Promise<FoldedBatch> {
  let folded: FoldedBatch = nothing;
  if (batch.length === 0) return folded;
  let fault: unknown;
  await partition.write(() => {
    try {
      try {
        folded = attempt(partition, batch, options, foldTogether);
      } catch (error) {
        if (stopsPartition(error)) throw error;
        folded = attempt(partition, batch, options, foldSeparately);
      }
    } catch (error) {
      fault = error;
    }
  });
  if (fault !== undefined) throw fault;
  return folded;
}

/** Folds a batch and moves the cursor. If anything throws, no rows, counts or changes of the attempt remain. */
function attempt(
  partition: Partition,
  batch: readonly Message[],
  { check, collects, touched, digests }: FoldOptions,
  fold: (partition: Partition, batch: Iterable<Message>) => void,
): FoldedBatch {
  const changes = collects ? new Changes() : undefined;
  const folded = { ...nothing, changes };
  const counts: (() => void)[] = [];
  // If the callback of the outer transaction threw an error, LMDB would commit all rows written before the error. The
  // child transaction rolls these rows back.
  partition.root.childTransaction(() => {
    check?.();
    const onReleased = (repoId: string): void => touched?.add(repoId);
    const watched = digests && { onDigest: digests.note };
    fold({ ...partition, counts, changes, onReleased, ...watched }, readOnce(batch, folded, touched, digests));
    writeCursor(partition, { seq: folded.seq, recordId: folded.recordId });
  });
  for (const add of counts) add();
  return folded;
}

/** Yields the messages of a batch with unpacked records, and describes them in `folded`. */
function* readOnce(
  batch: readonly Message[],
  folded: FoldedBatch,
  touched: TouchedRepositories | undefined,
  digests: Digests | undefined,
): Generator<Message> {
  for (const message of batch) {
    const { seq, records } = message;
    const last = records[records.length - 1];
    folded.seq = seq;
    folded.recordId = last?.id ?? '';
    folded.at = last?.at ?? 0;
    folded.records += records.length;
    touched?.note(records);
    // Most messages contain only events.
    if (records.some(({ kind }) => kind !== 'event' && kind !== 'backfilled')) {
      folded.isAwaited = true;
      for (const record of records) noteLead(record, folded, digests);
    }
    yield { seq, records };
  }
}

/** Notes what a claim or a tick says about the lead. All messages before it are folded already. */
function noteLead(record: JournalRecord, folded: FoldedBatch, digests: Digests | undefined): void {
  if (record.kind !== 'claim' && record.kind !== 'tick') return;
  folded.heardTerm = record.term ?? folded.heardTerm;
  if (record.kind !== 'tick' || !record.digest) return;
  const { seq, value } = record.digest;
  if (digests?.nameAt(seq)) folded.named = { term: record.term ?? 0, seq, value };
}

function foldSeparately(partition: Partition, batch: Iterable<Message>): void {
  for (const { seq, records } of batch) foldMessage(partition, seq, records);
}
