/**
 * What a partition knows of its retention: the time that erasing trusts, the sweep under way, what waits for an operator's
 * word, how often it has erased; and, of this machine, how far erased bytes are gone from its files.
 */
import { dayMs } from '../../foundation/days.ts';
import type {
  DueOrganisation,
  LastSweep,
  OrganisationsWait,
  RecordCounts,
  RetentionStatus,
  Wait,
} from '../../protocol/retention.ts';
import type { Partition } from '../partition.ts';
import { listOrganisations, readOrganisation } from './directory.ts';
import { readCounter, writeCounter } from './meta.ts';
import type { IndexKey } from './syncs.ts';

/** A clock more than a day off the trusted time, ahead or behind. `to` is what it said last. */
export interface Jump {
  from: number;
  to: number;
}

/** The sweep under way. While it counts, `from` is the last row counted; `records` and `total` are known once it has. */
export interface Sweep {
  before: number;
  phase: 'counting' | 'waiting' | 'erasing';
  from: IndexKey | null;
  counts: RecordCounts;
  erased: RecordCounts;
  records: number;
  total: number;
  /** Ranges note what they lose by it. */
  notesLosses?: true;
}

export function noCounts(): RecordCounts {
  return { pulls: 0, issues: 0, comments: 0, pushes: 0, commits: 0 };
}

/** What counts against the share that may go without a word: pushes are only lists of commits. */
export function countedRecords({ pulls, issues, comments, commits }: RecordCounts): number {
  return pulls + issues + comments + commits;
}

/** Share of a partition's records that a sweep may erase without a word, and the number below which it does not matter. */
const freeShare = 0.1;
const freeRecords = 100;

/** Everything of an organisation is kept this long after its app was removed, in milliseconds. */
export const organisationKeepingMs = 30 * dayMs;

/** Organisations of the directory whose time is over at `at`. */
export function dueOrganisations(partition: Partition, at: number): DueOrganisation[] {
  return listOrganisations(partition).flatMap(({ id, uninstalledAt }) =>
    uninstalledAt !== null && uninstalledAt <= at - organisationKeepingMs ? { id, uninstalledAt } : [],
  );
}

/** Whether the app of an organisation is still gone, and since the same time. */
export function isUninstalled(partition: Partition, { id, uninstalledAt }: DueOrganisation): boolean {
  return readOrganisation(partition, id)?.uninstalledAt === uninstalledAt;
}

/** Whether so many records of so many may go without an operator's word. */
export function isFreeShare(records: number, total: number): boolean {
  return records <= Math.max(freeRecords, Math.floor(total * freeShare));
}

/** How many records a partition holds, read off its tables: no counter is kept for it. */
export function totalRecords({ tables }: Partition): number {
  const count = (table: { getStats(): unknown }) => (table.getStats() as { entryCount: number }).entryCount;
  return count(tables.pulls) + count(tables.issues) + count(tables.comments) + count(tables.commits);
}

/** The time that erasing goes by, in milliseconds; 0 before the first tick. */
export function readTrustedTime(partition: Partition): number {
  return partition.tables.retention.get('time') ?? 0;
}

export function writeTrustedTime(partition: Partition, time: number): void {
  partition.tables.retention.putSync('time', time);
}

export function readJump(partition: Partition): Jump | undefined {
  return partition.tables.retention.get('jump');
}

/** Notes a jump, or, with undefined, that it is over. */
export function writeJump(partition: Partition, jump: Jump | undefined): void {
  write(partition, 'jump', jump);
}

/** The time that a record tells: its own, but never one of a clock that is known to be behind. */
export function toldAt(partition: Partition, at: number): number {
  const jump = readJump(partition);
  return jump && jump.to < jump.from ? Math.max(at, jump.from) : at;
}

export function readSweep(partition: Partition): Sweep | undefined {
  return partition.tables.retention.get('sweep');
}

export function writeSweep(partition: Partition, sweep: Sweep | undefined): void {
  write(partition, 'sweep', sweep);
}

export function writeLastSweep(partition: Partition, last: LastSweep): void {
  write(partition, 'last', last);
}

/** Organisations of the directory that wait to go. */
export function readWaitingOrganisations(partition: Partition): OrganisationsWait | undefined {
  return partition.tables.retention.get('organisations');
}

export function writeWaitingOrganisations(partition: Partition, wait: OrganisationsWait | undefined): void {
  write(partition, 'organisations', wait);
}

function write(partition: Partition, key: string, value: unknown): void {
  if (value !== undefined) partition.tables.retention.putSync(key, value);
  else if (partition.tables.retention.get(key) !== undefined) partition.tables.retention.removeSync(key);
}

/** What erasing waits for; empty when it may go on. */
export function listWaits(partition: Partition): Wait[] {
  const waits: Wait[] = [];
  const jump = readJump(partition);
  if (jump) waits.push({ cause: 'clock', ...jump });
  const sweep = readSweep(partition);
  if (sweep?.phase === 'waiting') {
    const { before, records, total } = sweep;
    waits.push({ cause: 'records', before, records, total });
  }
  const organisations = readWaitingOrganisations(partition);
  // Installed again since, they wait for nothing any more; the next sweep says so.
  if (organisations?.organisations.some((due) => isUninstalled(partition, due))) waits.push(organisations);
  return waits;
}

/** What a partition says of its retention. */
export function retentionStatus(partition: Partition): RetentionStatus {
  return {
    partition: partition.name,
    trustedTime: readTrustedTime(partition),
    lastSweep: partition.tables.retention.get('last') ?? null,
    waiting: listWaits(partition),
  };
}

/** Whether rows are left to erase or to count that wait for nobody. */
export function isSweeping(partition: Partition): boolean {
  const phase = readSweep(partition)?.phase;
  if (phase === 'counting' || phase === 'erasing') return true;
  return partition.tables.erasing.getKeysCount({ limit: 1 }) > 0;
}

const erasures = 'erasures';

/** How many folds have erased rows: what the files of this machine are compared with. */
export function countErasures(partition: Partition): number {
  return readCounter(partition, erasures);
}

export function noteErasure(partition: Partition): void {
  writeCounter(partition, erasures, countErasures(partition) + 1);
}

/** `renewed`: the store's file holds nothing of so many erasures; `purged`: snapshots and journal neither. */
export type Trace = 'renewed' | 'purged';

export function readTrace(partition: Partition, trace: Trace): number {
  return partition.tables.local.get(trace) ?? 0;
}

export function writeTrace(partition: Partition, trace: Trace, count: number): void {
  partition.tables.local.putSync(trace, count);
}
