/**
 * Packs records to bytes and unpacks them. The process that enqueues a record packs it once, and a batch copies the
 * packed bytes.
 */
import { Packr } from 'msgpackr';
import type { JournalRecord } from '../protocol/journal.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true });

/**
 * Packs one record. The bytes lie in a buffer of 8 KB that is shared with other packed values. A caller that keeps the
 * bytes of many records copies them, so that the garbage collector can free such buffers early.
 */
export function packRecord(record: JournalRecord): Buffer {
  return packr.pack(record) as Buffer;
}

/**
 * Unpacks the records of one journal message, in order.
 * @param decode decodes the bytes; a process that reads many messages passes a faster decoder than msgpackr
 * @throws if the message is not a batch of records; the fold checks the content of each record later
 */
export function unpackBatch(
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => unknown = unpackMessage,
): JournalRecord[] {
  const records = decode(bytes);
  if (!Array.isArray(records) || !records.every(isRecord)) throw new Error('the message is not a batch of records');
  return records as JournalRecord[];
}

function isRecord(value: unknown): boolean {
  const { id, at, kind } = (value ?? {}) as Partial<JournalRecord>;
  return typeof id === 'string' && Number.isSafeInteger(at) && typeof kind === 'string';
}

/**
 * Packs a message that one process sends to another, such as a signal or a query. Journal records are packed by
 * `packRecord`.
 */
export function packMessage(message: unknown): Buffer {
  return packr.pack(message) as Buffer;
}

export function unpackMessage<T>(bytes: Uint8Array): T {
  return packr.unpack(bytes) as T;
}
