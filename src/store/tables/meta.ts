/**
 * Data of a partition about itself. The table `meta` contains the partition's cursor, time and counters. These are
 * folded from the journal. The table `local` contains the partition's owner on this machine, and the stream that the
 * partition follows. These are not folded.
 */
import type { Identity } from '../../protocol/identity.ts';
import type { Partition } from '../partition.ts';

/**
 * The sequence of the last folded journal message, and the id of this message's last record. The id makes it possible
 * to detect a replaced stream. In a replaced stream, the message with the same sequence contains other records.
 */
export interface Cursor {
  seq: number;
  recordId: string;
}

/**
 * The stream that a cursor belongs to. `epoch` increases by 1 each time the service finds that the stream was replaced
 * or cut.
 */
export interface StreamIdentity {
  created: string;
  epoch: number;
}

export function readCursor(partition: Partition): Cursor {
  return partition.tables.meta.get('cursor') ?? { seq: 0, recordId: '' };
}

export function writeCursor(partition: Partition, cursor: Cursor): void {
  partition.tables.meta.putSync('cursor', cursor);
}

/**
 * Returns the partition's time in milliseconds. This is the highest time of all folded records, unless a clock ran
 * ahead (see `workers/fold/fold.ts`).
 */
export function readTime(partition: Partition): number {
  return partition.tables.meta.get('time') ?? 0;
}

export function writeTime(partition: Partition, time: number): void {
  partition.tables.meta.putSync('time', time);
}

/** Returns the value of a counter of the partition; 0 if it has never been written. */
export function readCounter(partition: Partition, counter: string): number {
  return partition.tables.meta.get(counter) ?? 0;
}

export function writeCounter(partition: Partition, counter: string, value: number): void {
  partition.tables.meta.putSync(counter, value);
}

/** Increments a counter of the partition and returns its new value; the first value is 1. */
export function nextNumber(partition: Partition, counter: string): number {
  const next = readCounter(partition, counter) + 1;
  writeCounter(partition, counter, next);
  return next;
}

export function readOwner(partition: Partition): string | undefined {
  return partition.tables.local.get('owner');
}

export function writeOwner(partition: Partition, owner: string): void {
  partition.tables.local.putSync('owner', owner);
}

export function readStreamIdentity(partition: Partition): StreamIdentity | undefined {
  return partition.tables.local.get('stream');
}

export function writeStreamIdentity(partition: Partition, identity: StreamIdentity): void {
  partition.tables.local.putSync('stream', identity);
}

/** Returns what all nodes of the cluster have in common, from the directory partition; undefined on one machine. */
export function readIdentity(directory: Partition): Identity | undefined {
  return directory.tables.meta.get('identity');
}

export function writeIdentity(directory: Partition, identity: Identity): void {
  directory.tables.meta.putSync('identity', identity);
}
