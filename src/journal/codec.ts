/**
 * Records to bytes and back. A record is packed once, by whoever enqueues it; a batch is an array header before the
 * packed records, so that group commit copies bytes and encodes nothing again.
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
 * Reads the records of one journal message, in order.
 * @throws when the message is none of ours: what a record says is for the fold to judge, not that it is one
 */
export function unpackBatch(bytes: Uint8Array): JournalRecord[] {
  const records: unknown = packr.unpack(bytes);
  if (!Array.isArray(records) || !records.every(isRecord)) throw new Error('a journal message is no batch of records');
  return records as JournalRecord[];
}

function isRecord(value: unknown): boolean {
  const { id, at, kind } = (value ?? {}) as Partial<JournalRecord>;
  return typeof id === 'string' && Number.isSafeInteger(at) && typeof kind === 'string';
}

/** Packs a message between processes that is no record (signals, queries). */
export function packMessage(message: unknown): Buffer {
  return packr.pack(message) as Buffer;
}

export function unpackMessage<T>(bytes: Uint8Array): T {
  return packr.unpack(bytes) as T;
}
