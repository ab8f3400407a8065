/**
 * Stores the day on which the host last reported each record. This day is called the last sync. A pull request or issue
 * has one row under its number. A report about one of its comments also updates this row. A push or a commit has a row
 * under its own key.
 *
 * With the index `syncsByDay`, a sweep reads only old entries. A first report adds a row and an index entry with the
 * same day. A later report updates only the row, so a record that the host reports every day costs only one small write
 * per day. When a sweep reads an index entry, the sweep moves the entry to the day of the last sync.
 */
import { dayOf } from '../../foundation/days.ts';
import { addRow } from '../add-row.ts';
import type { Partition } from '../partition.ts';
import { correctedTime } from './retention.ts';

/**
 * The key of a sync. `number`: the sync of a pull request or issue. `push`: the sync of a push, identified by its
 * branch and head. `commit`: the sync of a commit.
 */
export type SyncKey =
  | readonly [repoId: string, kind: 'number', number: number]
  | readonly [repoId: string, kind: 'push', branch: string, after: string]
  | readonly [repoId: string, kind: 'commit', sha: string];

/** A key of the index: the day under which a sync is listed, and the key of the sync. */
export type IndexKey = readonly [day: number, ...key: SyncKey];

/** The day of the last sync, and the day under which the index lists the record. */
type Row = readonly [day: number, indexed: number];

/**
 * Stores the day on which the host reported the record with the key `key`. If reports arrive out of order, the latest
 * day is kept.
 * @param at time of the report
 * @param isLikelyFirst true if this is probably the first report; the first report then needs no lookup
 */
export function noteSync(partition: Partition, key: SyncKey, at: number, isLikelyFirst = false): void {
  const { syncs } = partition.tables;
  if (isLikelyFirst && addSync(partition, key, at)) return;
  const day = dayOf(at);
  const row: Row | undefined = syncs.get(key);
  if (!row) addSync(partition, key, at);
  else if (row[0] < day) syncs.putSync(key, [day, row[1]]);
}

/** Stores the first report about a record. Returns false if there was a report before. */
function addSync(partition: Partition, key: SyncKey, at: number): boolean {
  const { syncs, syncsByDay } = partition.tables;
  const first = dayOf(correctedTime(partition, at));
  if (!addRow(syncs, key, [first, first])) return false;
  syncsByDay.putSync([first, ...key], true);
  return true;
}

/** Whether the last sync was before the day `before`. The result is also true if there was no sync. */
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

/**
 * Returns up to `limit` keys whose day in the index is earlier than `before`, starting after the key `from`. Some of
 * these keys are not stale, because the host reported their records again after the day in the index.
 */
export function indexedBefore(partition: Partition, before: number, from: IndexKey | null, limit: number): IndexKey[] {
  const start = from ?? [Number.MIN_SAFE_INTEGER];
  const range = { start: [...start], end: [before], exclusiveStart: from !== null, limit };
  return [...partition.tables.syncsByDay.getKeys(range)] as unknown as IndexKey[];
}

/**
 * Returns up to `limit` keys that the index lists under a day after `today`. Such keys were written while a clock was
 * ahead.
 */
export function indexedAfter(partition: Partition, today: number, limit: number): IndexKey[] {
  const range = { start: [today + 1], end: [Number.MAX_SAFE_INTEGER], limit };
  return [...partition.tables.syncsByDay.getKeys(range)] as unknown as IndexKey[];
}

/**
 * Moves an index entry to the day of the last sync. If this day is after `today`, the entry is moved to `today`. A day
 * in the future was written while a clock was ahead.
 */
export function reindexSync(partition: Partition, key: SyncKey, today: number): void {
  const { syncs, syncsByDay } = partition.tables;
  const row: Row | undefined = syncs.get(key);
  if (!row) return;
  const day = Math.min(row[0], today);
  syncsByDay.removeSync([row[1], ...key]);
  syncsByDay.putSync([day, ...key], true);
  syncs.putSync(key, [day, day]);
}
