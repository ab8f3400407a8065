/**
 * Checks that a process still owns its partition. The check runs inside each write transaction, so that two processes
 * never write to one partition in turns.
 */
import type { Partition } from '../../src/store/partition.ts';
import { readCursor, readOwner } from '../../src/store/tables/meta.ts';

/** Thrown when another process has written to the partition. This process must then stop writing. */
export class NotOwnerError extends Error {}

/**
 * Throws an error unless the partition has this owner and its cursor is at sequence `seq`.
 * @throws NotOwnerError
 */
export function assertOwned(partition: Partition, id: string, seq: number): void {
  const owner = readOwner(partition);
  const cursor = readCursor(partition);
  if (owner === id && cursor.seq === seq) return;
  throw new NotOwnerError(
    `Partition ${partition.name} was written by another process: found owner ${owner} at sequence ${cursor.seq}, expected owner ${id} at sequence ${seq}.`,
  );
}
