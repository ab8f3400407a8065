/**
 * When each record was last told of, by day and apart from the records: a pull request or issue by its number, with all
 * that hangs on it, a push or a commit by its own key. `syncsByDay` lets a sweep look at old ones only.
 *
 * The index is lazy: it keeps the day a record was first met, and a sweep that comes upon it moves it to the day of the last
 * sync. So a record told of every day costs one small write a day and no moving of index entries.
 */
import { dayOf } from '../../foundation/days.ts';
import type { Partition } from '../partition.ts';
import { toldAt } from './retention.ts';

/** What a sync is of: `number` a pull request or issue, `push` a branch and its head, `commit` a sha. */
export type SyncKey =
  | readonly [repoId: string, kind: 'number', number: number]
  | readonly [repoId: string, kind: 'push', branch: string, after: string]
  | readonly [repoId: string, kind: 'commit', sha: string];

/** A row of the index: the day it stands under, and what it is of. */
export type IndexKey = readonly [day: number, ...key: SyncKey];

/** Day of the last sync, and the day under which the index has it. */
type Row = readonly [day: number, indexed: number];

/** Notes that a record of time `at` told of something. The highest day stays, whatever the order. */
export function noteSync(partition: Partition, key: SyncKey, at: number): void {
  const { syncs, syncsByDay } = partition.tables;
  const day = dayOf(at);
  const row: Row | undefined = syncs.get(key);
  if (row && row[0] >= day) return;
  if (row) return void syncs.putSync(key, [day, row[1]]);
  const first = dayOf(toldAt(partition, at));
  syncs.putSync(key, [first, first]);
  syncsByDay.putSync([first, ...key], true);
}

/** Whether something was last told of before day `before`, or never. */
export function isStale(partition: Partition, key: SyncKey, before: number): boolean {
  const row: Row | undefined = partition.tables.syncs.get(key);
  return row === undefined || row[0] < before;
}

export function hasSync(partition: Partition, key: SyncKey): boolean {
  return partition.tables.syncs.get(key) !== undefined;
}

export function removeSync(partition: Partition, key: SyncKey): void {
  const { syncs, syncsByDay } = partition.tables;
  const row: Row | undefined = syncs.get(key);
  if (!row) return;
  syncs.removeSync(key);
  syncsByDay.removeSync([row[1], ...key]);
}

/** Up to `limit` keys that the index has under a day before `before`, after `from`: stale ones, and some that only look so. */
export function indexedBefore(partition: Partition, before: number, from: IndexKey | null, limit: number): IndexKey[] {
  const start = from ?? [Number.MIN_SAFE_INTEGER];
  const range = { start: [...start], end: [before], exclusiveStart: from !== null, limit };
  return [...partition.tables.syncsByDay.getKeys(range)] as unknown as IndexKey[];
}

/** Up to `limit` keys that the index has under a day after `today`: a clock ran ahead when they were told of. */
export function indexedAfter(partition: Partition, today: number, limit: number): IndexKey[] {
  const range = { start: [today + 1], end: [Number.MAX_SAFE_INTEGER], limit };
  return [...partition.tables.syncsByDay.getKeys(range)] as unknown as IndexKey[];
}

/** Moves an index entry to the day of the last sync. One from a clock that ran ahead is taken for `today`'s. */
export function reindexSync(partition: Partition, key: SyncKey, today: number): void {
  const { syncs, syncsByDay } = partition.tables;
  const row: Row | undefined = syncs.get(key);
  if (!row) return;
  const day = Math.min(row[0], today);
  syncsByDay.removeSync([row[1], ...key]);
  syncsByDay.putSync([day, ...key], true);
  syncs.putSync(key, [day, day]);
}
