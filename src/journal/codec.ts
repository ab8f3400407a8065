/**
 * Packs records to bytes and unpacks them. The process that enqueues a record packs it once. A batch is an array header
 * followed by the packed records. So a group commit only copies bytes and does not pack any record again.
 */
import { Packr } from 'msgpackr';
import type { JournalRecord } from '../protocol/journal.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true });

/** Packs one record. */
export function packRecord(record: JournalRecord): Buffer {
  return packr.pack(record) as Buffer;
}

/** Joins packed records into the payload of one journal message. */
export function packBatch(records: readonly Uint8Array[]): Buffer {
  const header = Buffer.allocUnsafe(5);
  header[0] = 0xdd;
  header.writeUInt32BE(records.length, 1);
  return Buffer.concat([header, ...records]);
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
