/**
 * Dead letters: records that could not be folded, each with the error that occurred. A record stays here until a person
 * replays or drops it. A dead letter contains only the data of the journal record, which is already minimal and
 * redacted.
 */
import type { JournalRecord } from '../../protocol/journal.ts';
import type { Partition } from '../partition.ts';

/** A record that could not be folded, and its first position in the journal (seq, index), which a replay does not change. */
export interface DeadLetter {
  seq: number;
  index: number;
  at: number;
  error: string;
  record: JournalRecord;
  /** How often the fold has tried the record. Dead letters of earlier versions do not have it. */
  attempts?: number;
}

/** Returns how often the fold has tried a record; 0 without a dead letter. */
export function attemptsOf(letter: DeadLetter | undefined): number {
  return letter ? (letter.attempts ?? 1) : 0;
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

export function readDeadLetter(partition: Partition, seq: number, index: number): DeadLetter | undefined {
  return partition.tables.deadLetters.get([seq, index]) as DeadLetter | undefined;
}

/** Returns the number of dead letters. It reads only their keys. */
export function countDeadLetters(partition: Partition): number {
  return partition.tables.deadLetters.getKeysCount({});
}

/** Returns one page of the dead letters, the newest first. It reads only the dead letters of the page. */
export function pageOfDeadLetters(partition: Partition, offset: number, limit: number): DeadLetter[] {
  return [...partition.tables.deadLetters.getRange({ reverse: true, offset, limit })].map(
    (row) => row.value as DeadLetter,
  );
}

/** Yields the dead letters after a journal position, in journal order. Each is read when it is asked for. */
export function* deadLettersAfter(
  partition: Partition,
  after: { seq: number; index: number } | undefined,
): Generator<DeadLetter> {
  const start = after && { start: [after.seq, after.index + 1] };
  for (const { value } of partition.tables.deadLetters.getRange(start ?? {})) yield value as DeadLetter;
}

/** Returns all dead letters in journal order. */
export function listDeadLetters(partition: Partition): DeadLetter[] {
  return [...partition.tables.deadLetters.getRange({})].map((row) => row.value as DeadLetter);
}
