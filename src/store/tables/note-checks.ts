/**
 * Release note checks of pull requests: what the host shows, and the checks that wait for their due time. Both are
 * stored by the number of the pull request.
 */
import type { NoteCheckRecord, WaitingCheck } from '../../protocol/note-checks.ts';
import type { Partition } from '../partition.ts';

/** A waiting check and its pull request. */
export interface WaitingPull extends WaitingCheck {
  repoId: string;
  number: number;
}

export function readNoteCheck(partition: Partition, repoId: string, number: number): NoteCheckRecord | undefined {
  return partition.tables.noteChecks.get([repoId, number]);
}

export function writeNoteCheck(partition: Partition, repoId: string, number: number, check: NoteCheckRecord): void {
  partition.tables.noteChecks.putSync([repoId, number], check);
}

export function readWaitingCheck(partition: Partition, repoId: string, number: number): WaitingCheck | undefined {
  return partition.tables.noteChecksWaiting.get([repoId, number]);
}

export function writeWaitingCheck(partition: Partition, repoId: string, number: number, check: WaitingCheck): void {
  partition.tables.noteChecksWaiting.putSync([repoId, number], check);
}

export function removeWaitingCheck(partition: Partition, repoId: string, number: number): void {
  partition.tables.noteChecksWaiting.removeSync([repoId, number]);
}

/** Whether any check waits. */
export function hasWaitingChecks(partition: Partition): boolean {
  return partition.tables.noteChecksWaiting.getKeysCount({ limit: 1 }) > 0;
}

/** Returns all waiting checks, the one with the earliest due time first. */
export function listWaitingChecks(partition: Partition): WaitingPull[] {
  const rows = [...partition.tables.noteChecksWaiting.getRange({})];
  return rows
    .map(({ key, value }) => {
      const [repoId, number] = key as [string, number];
      return { repoId, number, ...(value as WaitingCheck) };
    })
    .sort((a, b) => a.due - b.due || a.row - b.row);
}

/** Removes everything about the check of a pull request. */
export function removeNoteCheck(partition: Partition, repoId: string, number: number): void {
  partition.tables.noteChecks.removeSync([repoId, number]);
  removeWaitingCheck(partition, repoId, number);
}
