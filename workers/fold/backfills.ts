/**
 * Folds backfills: the commands that start and cancel a backfill, the pages that a backfill reads, and its progress.
 * The code in `workers/host/` sends the requests to the host.
 */
import { type BackfillProgress, type BackfillRecord, backfillPhases } from '../../src/protocol/backfill.ts';
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { BackfilledRecord } from '../../src/protocol/journal.ts';
import type { WebhookData } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  backfillResponse,
  isUnderWay,
  readBackfill,
  writeBackfill,
  writeTagSync,
} from '../../src/store/tables/backfills.ts';
import { removeEffect, writeEffect } from '../../src/store/tables/outbox.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { foldBodies } from './actor.ts';
import { eventFor } from './directory-relays.ts';
import { missing } from './refusals.ts';

/**
 * Folds a page of a backfill. A page of a finished backfill or of an erased repository changes nothing, because a page
 * that arrives late must not bring erased data back. A page that is a replayed dead letter is folded as long as its
 * repository exists, even if the backfill has ended.
 */
export function foldBackfilled(partition: Partition, record: BackfilledRecord): void {
  const { job, repository, seenAt, bodies, progress, tagSync } = record;
  const backfill = job === null ? undefined : readBackfill(partition, repository.id);
  const isFree = job === null || record.replayed !== undefined;
  if (isFree ? !readRepository(partition, repository.id) : !isOf(backfill, job)) return;
  foldBodies(partition, record, seenAt, bodies);
  if (isOf(backfill, job) && progress && progress.step > backfill.step) advance(partition, backfill, progress, record);
  if (tagSync) writeTagSync(partition, repository.id, tagSync);
}

function isOf(backfill: BackfillRecord | undefined, job: string | null): backfill is BackfillRecord {
  return backfill !== undefined && backfill.id === job && isUnderWay(backfill);
}

function advance(
  partition: Partition,
  backfill: BackfillRecord,
  progress: BackfillProgress,
  { at, reports }: Pick<BackfilledRecord, 'at' | 'reports'>,
): void {
  const after = { ...backfill, ...progress, updatedAt: at };
  if (isUnderWay(after)) return writeBackfill(partition, after);
  removeEffect(partition, backfill.row);
  // After a completed backfill, the store contains the steps of every branch from the time `since` on. A backfill that
  // failed or was canceled does not change `depth`.
  const depth = after.state === 'completed' ? after.since : after.depth;
  const ended = { ...after, depth, finishedAt: at };
  writeBackfill(partition, ended);
  if (reports) reportEnd(partition, ended, at);
}

/** Starts a backfill, or returns the one that is already running. */
export function startBackfill(
  partition: Partition,
  command: Extract<Command, { name: 'startBackfill' }>,
  at: number,
): CommandResult {
  const { backfillId: id, repository, since, installationId, confirmed } = command;
  const before = readBackfill(partition, repository.id);
  if (before && isUnderWay(before)) return { ok: true, value: backfillResponse(before) };
  const repoId = repository.id;
  // The command's data about the repository was read before the command was enqueued. If the repository is already
  // stored, the stored data is newer, and the command's data is not used.
  if (!readRepository(partition, repoId)) {
    // If `confirmed` is false, `repository` is a copy of a stored repository. The stored repository was erased after
    // the copy was made. Only the host knows the repository's current state, so the copy is not stored again.
    if (confirmed === false) return missing('Repository', repoId);
    foldBodies(partition, { at, repository, ...(confirmed && { confirmed }) }, 0, []);
  }
  const row = writeEffect(partition, { effect: 'backfill', repoId, backfillId: id }, `backfill ${repoId}`);
  const backfill: BackfillRecord = {
    ...fresh(),
    id,
    repoId,
    since,
    depth: before ? shallower(before.depth, since) : since,
    lists: before?.lists ?? {},
    installationId,
    percent: 0,
    startedAt: at,
    updatedAt: at,
    finishedAt: null,
    row,
  };
  writeBackfill(partition, backfill);
  return { ok: true, value: backfillResponse(backfill) };
}

/** Cancels the running backfill. The data that the backfill has read is kept. */
export function cancelBackfill(
  partition: Partition,
  { repoId, reports }: Extract<Command, { name: 'cancelBackfill' }>,
  at: number,
): CommandResult {
  const before = readBackfill(partition, repoId);
  if (!before) {
    const message = `Backfill of repository ${JSON.stringify(repoId)} is not found or not accessible.`;
    return { ok: false, kind: 'notFound', message };
  }
  if (!isUnderWay(before)) return { ok: true, value: backfillResponse(before) };
  const waits = { ...before.waits, until: null };
  const after: BackfillRecord = { ...before, waits, state: 'cancelled', updatedAt: at, finishedAt: at };
  removeEffect(partition, before.row);
  writeBackfill(partition, after);
  if (reports) reportEnd(partition, after, at);
  return { ok: true, value: backfillResponse(after) };
}

/** Sends the event `backfill.completed` about a backfill that has ended, however it ended. */
function reportEnd(
  partition: Partition,
  { id, repoId, state, since, counts, error }: BackfillRecord,
  at: number,
): void {
  const status = state as WebhookData['backfill.completed']['status'];
  const day = since === null ? null : new Date(since).toISOString().slice(0, 10);
  // While a backfill waits, its error is the reason of the wait. A backfill that was cancelled meanwhile has not failed.
  const fault = state === 'failed' ? error : null;
  const data = { repoId, backfillId: id, status, since: day, counts, error: fault };
  eventFor(partition, repoId, 'backfill.completed', at, data);
}

function fresh(): Omit<BackfillProgress, 'lists'> {
  const [phase] = backfillPhases;
  return {
    step: 0,
    state: 'running',
    position: { phase, next: null, again: false, etag: null, newest: null, branches: [], listed: false, number: 0 },
    phases: {},
    counts: {},
    waits: { count: 0, ms: 0, until: null },
    error: null,
  };
}

/** Returns the later of two lower time bounds. A bound of null is the beginning of the history. */
function shallower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
