/**
 * Dead letters: records that could not be folded, each with the error that occurred. A record stays here until a person
 * replays or drops it. A dead letter contains only the data of the journal record, which is already minimal and
 * redacted.
 */
import type { JournalRecord } from '../../protocol/journal.ts';
import type { Partition } from '../partition.ts';

/** A record that could not be folded, and its position in the journal (seq, index). */
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

/** Removes the dead letter at a journal position. Returns false if there is none. */
export function removeDeadLetter(partition: Partition, seq: number, index: number): boolean {
  if (partition.tables.deadLetters.get([seq, index]) === undefined) return false;
  partition.tables.deadLetters.removeSync([seq, index]);
  return true;
}

/** Returns all dead letters in journal order. */
export function listDeadLetters(partition: Partition): DeadLetter[] {
  return [...partition.tables.deadLetters.getRange({})].map((row) => row.value as DeadLetter);
}
