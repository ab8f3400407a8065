/**
 * Folds sweeps: counts what is older than a cut-off, then erases it, in pieces of bounded time. What is more than a share of
 * the partition waits for an operator's word, and nothing goes while the clock is in doubt (`docs/architecture.md`
 * decision 19). Which cut-off and when is decided by the keeper; the directory's part is in `organisations.ts`.
 */
import { dayOf } from '../../src/foundation/days.ts';
import { erasedRecords } from '../../src/foundation/metrics.ts';
import type { SweepRecord } from '../../src/protocol/journal.ts';
import type { RecordCounts, SweepBody } from '../../src/protocol/retention.ts';
import type { RepositoryRecord } from '../../src/protocol/stored.ts';
import { eraseMarked, eraseTraces, isErasing, markErasing, nextErasing } from '../../src/store/erasing/repository.ts';
import { countStale, eraseStale } from '../../src/store/erasing/stale.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { hasRanges, writeErasedRecount } from '../../src/store/tables/ranges.ts';
import { readRepository, removeRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import {
  countedRecords,
  isFreeShare,
  noCounts,
  noteErasure,
  readSweep,
  readTrustedTime,
  type Sweep,
  totalRecords,
  writeLastSweep,
  writeSweep,
} from '../../src/store/tables/retention.ts';
import { indexedAfter, indexedBefore, isStale, reindexSync } from '../../src/store/tables/syncs.ts';
import { isTrusted } from './erasing-guard.ts';
import { sweepOrganisations } from './organizations.ts';

/** Rows that one record counts or erases: ten milliseconds, at most fifteen (measured), so that others need not wait. */
const pieceRows = 1500;
/** Records are kept at least this many days, whatever a sweep says. */
const leastDays = 365;

/** Folds one sweep record. */
export function foldSweep(partition: Partition, { body, at }: SweepRecord): void {
  if (body.sweep !== 'more' && !isTrusted(partition, at)) return;
  if (body.sweep === 'organisations') return sweepOrganisations(partition, body, at);
  if (body.sweep === 'records') beginSweep(partition, body, at);
  goOn(partition, at);
}

function beginSweep(
  partition: Partition,
  { before, notesLosses }: Extract<SweepBody, { sweep: 'records' }>,
  at: number,
): void {
  if (before > dayOf(at) - leastDays) throw new Error(`A sweep on day ${dayOf(at)} may not go up to day ${before}.`);
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

/** One piece: repositories that must go first, then the sweep under way. */
function goOn(partition: Partition, at: number): void {
  let left = pieceRows;
  for (let repoId = nextErasing(partition); repoId && left > 0; repoId = nextErasing(partition)) {
    left -= eraseMarked(partition, repoId, left);
    noteErasure(partition);
  }
  const sweep = readSweep(partition);
  // By the trusted day: a piece that goes on may come from a clock that has jumped meanwhile.
  const today = dayOf(readTrustedTime(partition));
  if (sweep?.phase === 'counting') left -= bringBack(partition, today, left);
  if (sweep?.phase === 'counting' && left > 0) left = count(partition, sweep, today, left);
  if (sweep?.phase === 'erasing' && left > 0) erase(partition, sweep, { at, today, limit: left });
}

/** What was told of in the future, by a clock that ran ahead, is taken for today's; how many it were. */
function bringBack(partition: Partition, today: number, limit: number): number {
  // Tomorrow is no fault: a record can be a moment younger than the sweep.
  const keys = limit > 0 ? indexedAfter(partition, today + 1, limit) : [];
  for (const [, ...key] of keys) reindexSync(partition, key, today);
  return keys.length;
}

/** Counts on from where the last piece ended; index entries that only look old are moved on the way. What is left of `limit`. */
function count(partition: Partition, sweep: Sweep, today: number, limit: number): number {
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
  if (left > 0 && !hasMore(partition, sweep)) weigh(partition, sweep);
  writeSweep(partition, sweep);
  return left;
}

function hasMore(partition: Partition, { before, from }: Sweep): boolean {
  return indexedBefore(partition, before, from, 1).length > 0;
}

function weigh(partition: Partition, sweep: Sweep): void {
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
    // Told of since it was counted.
    if (!isStale(partition, key, sweep.before)) reindexSync(partition, key, today);
    else {
      const weight = weightOf(add(erased, eraseStale(partition, key)));
      if (weight > 0 && sweep.notesLosses) lessened.add(key[0]);
      left -= weight;
    }
    touched.add(key[0]);
  }
  settle(partition, erased, touched, lessened);
  add(sweep.erased, erased);
  const isDone = left > 0 && indexedBefore(partition, sweep.before, null, 1).length === 0;
  writeSweep(partition, isDone ? undefined : sweep);
  if (isDone) writeLastSweep(partition, { at, before: sweep.before, erased: sweep.erased });
}

/**
 * What erasing causes: the count of it, fresh counts of ranges, and files that are to be made anew.
 * @param lessened repositories whose ranges may have lost changes, which the fresh counts will say
 */
function settle(
  partition: Partition,
  erased: RecordCounts,
  touched: ReadonlySet<string>,
  lessened: ReadonlySet<string>,
): void {
  if (touched.size === 0) return;
  noteErasure(partition);
  for (const [kind, number] of Object.entries(erased)) erasedRecords.inc({ partition: partition.name, kind }, number);
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
 * Gives up a repository whose organisation was erased, or that was only claimed. It is unknown at once; its many rows go with
 * the next pieces.
 * @param claimedBy the organization whose claim ends: deliveries of others that wait or were set aside are none of it
 */
export function giveUpRepository(partition: Partition, repoId: string, claimedBy?: string): void {
  if (!readRepository(partition, repoId)) return;
  erasedRecords.inc({ partition: partition.name, kind: 'repositories' });
  removeRepository(partition, repoId);
  eraseTraces(partition, repoId, claimedBy);
  markErasing(partition, repoId);
}

/**
 * Erases everything of a repository but its notes on pages, and what it takes to show and delete them: its name, and the publications
 * that are on pages. Writes that are on their way to its former life do not reach what comes after it.
 */
export function keepPublishedNotes(partition: Partition, known: RepositoryRecord, at: number): void {
  const { id, revision } = known;
  finishErasing(partition, id);
  writeRepository(partition, { ...known, createdAt: at, revision: revision + 1 });
  eraseTraces(partition, id);
  markErasing(partition, id, 'keepPublished');
}

/** Ends the erasing of a repository at once, since it is met again: its new life begins with nothing of the old. */
export function finishErasing(partition: Partition, repoId: string): void {
  if (!isErasing(partition, repoId)) return;
  while (eraseMarked(partition, repoId, pieceRows) === pieceRows);
  noteErasure(partition);
}
