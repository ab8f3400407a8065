/**
 * Records that could not be folded, with the error, until a person replays or drops them. They are as minimal and redacted
 * as the journal's.
 */
import type { JournalRecord } from '../../protocol/journal.ts';
import type { Partition } from '../partition.ts';

/** A record set aside at journal position (seq, index). */
export interface DeadLetter {
  seq: number;
  index: number;
  at: number;
  error: string;
  record: JournalRecord;
}

export function writeDeadLetter(partition: Partition, letter: DeadLetter): void {
  partition.tables.deadLetters.putSync([letter.seq, letter.index], letter);
}

/** Removes the letter at a place; false when there is none any more. */
export function removeDeadLetter(partition: Partition, seq: number, index: number): boolean {
  if (partition.tables.deadLetters.get([seq, index]) === undefined) return false;
  partition.tables.deadLetters.removeSync([seq, index]);
  return true;
}

/** All dead letters in journal order. */
export function listDeadLetters(partition: Partition): DeadLetter[] {
  return [...partition.tables.deadLetters.getRange({})].map((row) => row.value as DeadLetter);
}
