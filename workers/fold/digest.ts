/**
 * Computes the digest of a partition's state. All nodes fold the same messages, so equal positions must have equal
 * digests (`docs/architecture.md` decision 47). The digest detects faults, such as a record that one machine alone set
 * aside. It does not protect against an attacker.
 */
import { crc32 } from 'node:zlib';
import type { Partition } from '../../src/store/partition.ts';
import { readDigest, writeDigest } from '../../src/store/tables/lead.ts';
import { readCounter } from '../../src/store/tables/meta.ts';

/** What the fold of one journal message has contributed to the state. */
export interface FoldedMessage {
  seq: number;
  records: number;
  /** Identifies the records of the message that became dead letters; 0 = none. */
  setAside: number;
  /** The partition's time after the message. */
  time: number;
}

const bytes = Buffer.alloc(32);

/**
 * Returns the digest after a message. For the same message, different digests before it give different digests after
 * it. So a difference stays visible.
 */
export function digestAfter(digest: number, { seq, records, setAside, time }: FoldedMessage, effects: number): number {
  bytes.writeDoubleLE(seq, 0);
  bytes.writeDoubleLE(time, 8);
  bytes.writeDoubleLE(effects, 16);
  bytes.writeUInt32LE(records, 24);
  bytes.writeInt32LE(setAside, 28);
  return crc32(bytes, digest);
}

/** Adds a folded message to the partition's digest, if the partition has one. */
export function addToDigest(partition: Partition, message: FoldedMessage): void {
  const before = readDigest(partition);
  if (before === undefined) return;
  const after = digestAfter(before, message, readCounter(partition, 'outbox'));
  writeDigest(partition, after);
  partition.onDigest?.(message.seq, after);
}

/** Adds the record with index `index` to the records that were set aside. */
export function setAsideAfter(setAside: number, index: number): number {
  return (Math.imul(setAside, 31) + index + 1) | 0;
}
