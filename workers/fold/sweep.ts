/**
 * Folds sweeps. A sweep counts the records that are older than a cut-off and then erases them, in pieces that each take
 * a limited time. If a sweep would erase more than a certain share of the partition, it waits for an operator's
 * approval. While the clock is in doubt, nothing is erased (`docs/architecture.md` decision 19). The sweeper chooses
 * the cut-off and the time. `organizations.ts` folds the sweeps of the directory.
 */

import { dayOf } from '../../src/foundation/days.ts';
import { erasedRecords } from '../../src/foundation/metrics.ts';
import { nameIn, unreachable } from '../../src/foundation/unreachable.ts';
import type { SweepRecord } from '../../src/protocol/journal.ts';
import type { RecordCounts, SweepBody } from '../../src/protocol/retention.ts';
import type { RepositoryRecord } from '../../src/protocol/stored.ts';
import { eraseMarked, eraseTraces, isErasing, markErasing, nextErasing } from '../../src/store/erasing/repository.ts';
import { countStale, eraseStale } from '../../src/store/erasing/stale.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readFoldVersion } from '../../src/store/tables/lead.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { hasRanges, writeErasedRecount } from '../../src/store/tables/ranges.ts';
import { readRepository, removeRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import {
  countedRecords,
  isFreeShare,
  noCounts,
  noteErasure,
  readLastSweep,
  readSweep,
  readTrustedTime,
  type Sweep,
  totalRecords,
  writeLastSweep,
  writeSweep,
} from '../../src/store/tables/retention.ts';
import { indexedAfter, indexedBefore, isStale, reindexSync } from '../../src/store/tables/syncs.ts';
import { count } from './counting.ts';
import { isTrusted } from './erasing-guard.ts';
import { sweepOrganizations } from './organizations.ts';

/**
 * Maximum number of rows that are counted or erased for one sweep record. The work takes ten milliseconds, at most
 * fifteen (measured). Other records wait no longer than that.
 */
const pieceRows = 1500;
/** Minimum age in days of records that a sweep may erase. A sweep that would erase younger records is rejected. */
const minDays = 365;

/** Folds one sweep record. */
export function foldSweep(partition: Partition, { body, at }: SweepRecord): void {
  if (body.sweep !== 'more' && !isTrusted(partition, at)) return;
  switch (body.sweep) {
    case 'organisations':
      return sweepOrganizations(partition, body, at);
    case 'records':
      beginSweep(partition, body, at);
      return continueSweep(partition, at);
    case 'more':
      return continueSweep(partition, at);
    default:
      return unreachable(body, `Unknown kind of sweep: ${nameIn(body, 'sweep')}.`);
  }
}

function beginSweep(
  partition: Partition,
  { before, notesLosses }: Extract<SweepBody, { sweep: 'records' }>,
  at: number,
): void {
  if (before > dayOf(at) - minDays)
    throw new Error(`A sweep on day ${dayOf(at)} must not erase records up to day ${before}: that day is too recent.`);
  // The journal may contain the record twice. A second sweep would find nothing, and would replace the counts of the
  // first one. Before fold version 1, it did.
  const last = readFoldVersion(partition) >= 1 ? readLastSweep(partition) : undefined;
  if (last?.at === at && last.before === before) return;
  const underWay = readSweep(partition);
  if (underWay && underWay.phase !== 'waiting') return;
  if (underWay && underWay.before >= before) return;
  writeSweep(partition, {
    before,
    phase: 'counting',
    from: null,
    counts: noCounts(),
    erased: noCounts(),
    records: 0,
    total: 0,
    ...(notesLosses && { notesLosses }),
  });
}

/** Folds one piece of work. Repositories that are marked for erasure come first, then the current sweep. */
function continueSweep(partition: Partition, at: number): void {
  let left = pieceRows;
  for (let repoId = nextErasing(partition); repoId && left > 0; repoId = nextErasing(partition)) {
    left -= eraseMarked(partition, repoId, left);
    noteErasure(partition);
  }
  const sweep = readSweep(partition);
  // `today` is the day of the trusted time, because the clock may have jumped since the sweep began.
  const today = dayOf(readTrustedTime(partition));
  if (sweep?.phase === 'counting') left -= moveFutureToToday(partition, today, left);
  if (sweep?.phase === 'counting' && left > 0) left = countPiece(partition, sweep, today, left);
  if (sweep?.phase === 'erasing' && left > 0) erase(partition, sweep, { at, today, limit: left });
}

/**
 * Finds index entries whose sync day is in the future, and changes their sync day to today. A clock that ran ahead has
 * written these entries. Returns the number of changed entries.
 */
function moveFutureToToday(partition: Partition, today: number, limit: number): number {
  // Entries of the day after today are not changed, because the time of a record can be slightly later than the trusted
  // time.
  const keys = limit > 0 ? indexedAfter(partition, today + 1, limit) : [];
  for (const [, ...key] of keys) reindexSync(partition, key, today);
  return keys.length;
}

/**
 * Continues counting where the previous piece of the sweep ended. If a record was synced after its index entry was
 * written, the entry is moved to the newer day. Returns how many rows of `limit` are left.
 */
function countPiece(partition: Partition, sweep: Sweep, today: number, limit: number): number {
  let left = limit;
  for (const index of indexedBefore(partition, sweep.before, sweep.from, limit)) {
    if (left <= 0) break;
    const [, ...key] = index;
    if (isStale(partition, key, sweep.before)) {
      const found = countStale(partition, key, sweep.before);
      add(sweep.counts, found);
      left -= weightOf(found);
      sweep.from = [...index];
    } else reindexSync(partition, key, today);
    left -= 1;
  }
  if (left > 0 && !hasMore(partition, sweep)) decidePhase(partition, sweep);
  writeSweep(partition, sweep);
  return left;
}

function hasMore(partition: Partition, { before, from }: Sweep): boolean {
  return indexedBefore(partition, before, from, 1).length > 0;
}

function decidePhase(partition: Partition, sweep: Sweep): void {
  sweep.records = countedRecords(sweep.counts);
  sweep.total = totalRecords(partition);
  sweep.phase = isFreeShare(sweep.records, sweep.total) ? 'erasing' : 'waiting';
}

function erase(
  partition: Partition,
  sweep: Sweep,
  { at, today, limit }: { at: number; today: number; limit: number },
): void {
  let left = limit;
  const keys = indexedBefore(partition, sweep.before, null, limit);
  const touched = new Set<string>();
  const lessened = new Set<string>();
  const erased = noCounts();
  for (const [, ...key] of keys) {
    if (left <= 0) break;
    left -= 1;
    // If the record was synced after it was counted, the record is kept and its index entry is moved to today.
    if (!isStale(partition, key, sweep.before)) reindexSync(partition, key, today);
    else {
      const weight = weightOf(add(erased, eraseStale(partition, key)));
      if (weight > 0 && sweep.notesLosses) lessened.add(key[0]);
      left -= weight;
    }
    touched.add(key[0]);
  }
  recordErased(partition, erased, touched, lessened);
  add(sweep.erased, erased);
  const isDone = left > 0 && indexedBefore(partition, sweep.before, null, 1).length === 0;
  writeSweep(partition, isDone ? undefined : sweep);
  if (isDone) writeLastSweep(partition, { at, before: sweep.before, erased: sweep.erased });
}

/**
 * Writes the consequences of an erasure: the erasure count, the metrics, and recounts of the ranges.
 * @param lessened repositories whose ranges may have lost changes; the recount shows whether changes were lost
 */
function recordErased(
  partition: Partition,
  erased: RecordCounts,
  touched: ReadonlySet<string>,
  lessened: ReadonlySet<string>,
): void {
  if (touched.size === 0) return;
  noteErasure(partition);
  for (const [kind, number] of Object.entries(erased))
    count(partition, erasedRecords, { partition: partition.name, kind }, number);
  for (const repoId of touched) {
    if (!hasRanges(partition, repoId)) continue;
    const row = writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
    if (lessened.has(repoId)) writeErasedRecount(partition, repoId, row);
  }
}

function weightOf({ pulls, issues, comments, pushes, commits }: RecordCounts): number {
  return pulls + issues + comments + pushes + commits;
}

function add(sum: RecordCounts, more: RecordCounts): RecordCounts {
  for (const kind of Object.keys(sum) as (keyof RecordCounts)[]) sum[kind] += more[kind];
  return more;
}

/**
 * Removes a repository whose organization was erased, or that was only claimed. From now on the repository is unknown.
 * Its rows are erased later, piece by piece.
 * @param claimedBy the organization whose claim ends. Waiting deliveries and dead letters of other organizations are
 * kept.
 */
export function giveUpRepository(partition: Partition, repoId: string, claimedBy?: string): void {
  if (!readRepository(partition, repoId)) return;
  count(partition, erasedRecords, { partition: partition.name, kind: 'repositories' });
  removeRepository(partition, repoId);
  eraseTraces(partition, repoId, claimedBy);
  markErasing(partition, repoId);
}

/**
 * Erases the data of a repository, but keeps its notes on pages. The repository's name and the publications on pages
 * are kept too, because they are needed to show and delete the notes. The new creation time begins a new incarnation,
 * so writes that are meant for the former incarnation are refused.
 */
export function keepPublishedNotes(partition: Partition, known: RepositoryRecord, at: number): void {
  const { id, revision } = known;
  finishErasing(partition, id);
  writeRepository(partition, { ...known, createdAt: at, revision: revision + 1 });
  eraseTraces(partition, id);
  markErasing(partition, id, 'keepPublished');
}

/**
 * Completes the erasure of a repository immediately, because the repository was added again. Its new incarnation must
 * begin without any rows of the old one.
 */
export function finishErasing(partition: Partition, repoId: string): void {
  if (!isErasing(partition, repoId)) return;
  while (eraseMarked(partition, repoId, pieceRows) === pieceRows);
  noteErasure(partition);
}
