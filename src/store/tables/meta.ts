/**
 * What a partition knows of itself: how far it has folded, its time, its counters (all folded), and, apart from that,
 * who owns it on this machine and which stream it follows (`local`).
 */
import type { Partition } from '../partition.ts';

/** The last journal message folded, and the id of its last record, which tells a reused sequence. */
export interface Cursor {
  seq: number;
  recordId: string;
}

/** The stream a cursor belongs to. `epoch` counts how often it was found replaced or cut. */
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

/** The partition's time: the highest time of a folded record, in milliseconds. */
export function readTime(partition: Partition): number {
  return partition.tables.meta.get('time') ?? 0;
}

export function writeTime(partition: Partition, time: number): void {
  partition.tables.meta.putSync('time', time);
}

/** A counter kept in the partition; 0 before it was first moved. */
export function readCounter(partition: Partition, counter: string): number {
  return partition.tables.meta.get(counter) ?? 0;
}

export function writeCounter(partition: Partition, counter: string, value: number): void {
  partition.tables.meta.putSync(counter, value);
}

/** The next number of a counter kept in the partition, from 1. */
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
