/**
 * The retention state of a partition: the trusted time, the sweep under way, erasures that wait for an operator's
 * approval, and the number of erasures. Two additional counters apply to this machine only. They count the erasures
 * whose bytes have been removed from the files of this machine.
 */
import { dayMs } from '../../foundation/days.ts';
import type {
  DueOrganization,
  LastSweep,
  OrganizationsWait,
  RecordCounts,
  RetentionStatus,
  Wait,
} from '../../protocol/retention.ts';
import type { Partition } from '../partition.ts';
import { listOrganizations, readOrganization } from './directory.ts';
import { readCounter, writeCounter } from './meta.ts';
import type { IndexKey } from './syncs.ts';

/**
 * A jump of the clock: the clock is more than a day ahead of the trusted time, or more than a day behind it. `from` is
 * the trusted time, and `to` is the time of the clock at its last reading.
 */
export interface Jump {
  from: number;
  to: number;
}

/**
 * The sweep under way. `from` is the last index row that has been counted. `records` and `total` are set once counting
 * has ended.
 */
export interface Sweep {
  before: number;
  phase: 'counting' | 'waiting' | 'erasing';
  from: IndexKey | null;
  counts: RecordCounts;
  erased: RecordCounts;
  records: number;
  total: number;
  /** True if each range stores which of its changes the sweep erases. */
  notesLosses?: true;
}

export function noCounts(): RecordCounts {
  return { pulls: 0, issues: 0, comments: 0, pushes: 0, commits: 0 };
}

/**
 * Returns the sum of the counts without pushes. A sweep compares this sum with the total number of records. If the sum
 * is too large a share of the total, the sweep needs approval. Pushes are left out, because they only list commits.
 */
export function countedRecords({ pulls, issues, comments, commits }: RecordCounts): number {
  return pulls + issues + comments + commits;
}

/**
 * Without approval, a sweep may erase up to the fraction `freeShare` of a partition's records. In a small partition, a
 * sweep may erase up to `freeRecords` records without approval, even if this number is a greater fraction.
 */
const freeShare = 0.1;
const freeRecords = 100;

/** How long the data of an organization is kept after its app was removed, in milliseconds. */
export const organizationKeepingMs = 30 * dayMs;

/** Returns the organizations of the directory whose retention period has ended at time `at`. */
export function dueOrganizations(partition: Partition, at: number): DueOrganization[] {
  return listOrganizations(partition).flatMap(({ id, uninstalledAt }) =>
    uninstalledAt !== null && uninstalledAt <= at - organizationKeepingMs ? { id, uninstalledAt } : [],
  );
}

/**
 * Whether an organization is still without the app. The result is false if the app was installed again after
 * `uninstalledAt`.
 */
export function isUninstalled(partition: Partition, { id, uninstalledAt }: DueOrganization): boolean {
  return readOrganization(partition, id)?.uninstalledAt === uninstalledAt;
}

/** Whether `records` of the `total` records may be erased without an operator's approval. */
export function isFreeShare(records: number, total: number): boolean {
  return records <= Math.max(freeRecords, Math.floor(total * freeShare));
}

/**
 * Returns how many records a partition contains. LMDB knows the number of rows in each table, so no counter is needed.
 */
export function totalRecords({ tables }: Partition): number {
  const count = (table: { getStats(): unknown }) => (table.getStats() as { entryCount: number }).entryCount;
  return count(tables.pulls) + count(tables.issues) + count(tables.comments) + count(tables.commits);
}

/**
 * Returns the trusted time, in milliseconds; 0 before the first tick. Erasing uses the trusted time instead of the
 * clock.
 */
export function readTrustedTime(partition: Partition): number {
  return partition.tables.retention.get('time') ?? 0;
}

export function writeTrustedTime(partition: Partition, time: number): void {
  partition.tables.retention.putSync('time', time);
}

export function readJump(partition: Partition): Jump | undefined {
  return partition.tables.retention.get('jump');
}

/** Stores a jump of the clock. If `jump` is undefined, removes the stored jump, because the jump has ended. */
export function writeJump(partition: Partition, jump: Jump | undefined): void {
  write(partition, 'jump', jump);
}

/**
 * Returns the time to store for a record that was created at `at`. If the clock is more than a day behind the trusted
 * time (see `Jump`), the result is at least the trusted time.
 */
export function correctedTime(partition: Partition, at: number): number {
  const jump = readJump(partition);
  return jump && jump.to < jump.from ? Math.max(at, jump.from) : at;
}

export function readSweep(partition: Partition): Sweep | undefined {
  return partition.tables.retention.get('sweep');
}

export function writeSweep(partition: Partition, sweep: Sweep | undefined): void {
  write(partition, 'sweep', sweep);
}

export function readLastSweep(partition: Partition): LastSweep | undefined {
  return partition.tables.retention.get('last');
}

export function writeLastSweep(partition: Partition, last: LastSweep): void {
  write(partition, 'last', last);
}

/** Returns the organizations of the directory whose erasure waits for approval. */
export function readWaitingOrganizations(partition: Partition): OrganizationsWait | undefined {
  return partition.tables.retention.get('organisations');
}

export function writeWaitingOrganizations(partition: Partition, wait: OrganizationsWait | undefined): void {
  write(partition, 'organisations', wait);
}

function write(partition: Partition, key: string, value: unknown): void {
  if (value !== undefined) partition.tables.retention.putSync(key, value);
  else if (partition.tables.retention.get(key) !== undefined) partition.tables.retention.removeSync(key);
}

/** Returns the approvals that erasing waits for; the list is empty if erasing may continue. */
export function listWaits(partition: Partition): Wait[] {
  const waits: Wait[] = [];
  const jump = readJump(partition);
  if (jump) waits.push({ cause: 'clock', ...jump });
  const sweep = readSweep(partition);
  if (sweep?.phase === 'waiting') {
    const { before, records, total } = sweep;
    waits.push({ cause: 'records', before, records, total });
  }
  const organizations = readWaitingOrganizations(partition);
  // This wait is listed only if the app of at least one of its organizations is still removed. If the apps of all these
  // organizations are installed again, the next sweep removes the stored wait.
  if (organizations?.organisations.some((due) => isUninstalled(partition, due))) waits.push(organizations);
  return waits;
}

/** Returns the retention status of a partition, as commands and the API report it. */
export function retentionStatus(partition: Partition): RetentionStatus {
  return {
    partition: partition.name,
    trustedTime: readTrustedTime(partition),
    lastSweep: readLastSweep(partition) ?? null,
    waiting: listWaits(partition),
  };
}

/** Whether rows remain that can be counted or erased now. Rows whose erasure waits for an approval are ignored. */
export function isSweeping(partition: Partition): boolean {
  const phase = readSweep(partition)?.phase;
  if (phase === 'counting' || phase === 'erasing') return true;
  return partition.tables.erasing.getKeysCount({ limit: 1 }) > 0;
}

const erasures = 'erasures';

/**
 * Returns the number of folded records that caused an erasure of rows. The counter of each `Trace` is compared with
 * this number. A lower counter means that erased bytes remain on disk.
 */
export function countErasures(partition: Partition): number {
  return readCounter(partition, erasures);
}

export function noteErasure(partition: Partition): void {
  writeCounter(partition, erasures, countErasures(partition) + 1);
}

/**
 * The name of a counter of erasures. `renewed` counts the erasures whose bytes are no longer in the store's file.
 * `purged` counts the erasures whose bytes are also no longer in the snapshots and the journal. Both counters apply to
 * this machine only.
 */
export type Trace = 'renewed' | 'purged';

export function readTrace(partition: Partition, trace: Trace): number {
  return partition.tables.local.get(trace) ?? 0;
}

export function writeTrace(partition: Partition, trace: Trace, count: number): void {
  partition.tables.local.putSync(trace, count);
}

/**
 * The padding that was enqueued after an erasure on a cluster. When the stream begins behind `seq`, no block of the
 * journal contains the bytes of the first `erasures` erasures. `created` and `epoch` identify the stream.
 */
export interface JournalPadding {
  created: string;
  epoch: number;
  erasures: number;
  seq: number;
}

export function readPadding(partition: Partition): JournalPadding | undefined {
  return partition.tables.local.get('padded');
}

export function writePadding(partition: Partition, padding: JournalPadding): void {
  partition.tables.local.putSync('padded', padding);
}
