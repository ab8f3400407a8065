/**
 * The newest backfill of each repository, with what the next one can build on, and the last synchronisation of its tags.
 */
import { type BackfillPhase, type BackfillRecord, backfillPhases, type TagSync } from '../../protocol/backfill.ts';
import type { Partition } from '../partition.ts';

export function readBackfill(partition: Partition, repoId: string): BackfillRecord | undefined {
  return partition.tables.backfills.get(repoId);
}

/** Writes a backfill; its per cent never go back, though a list can turn out longer than it seemed. */
export function writeBackfill(partition: Partition, backfill: BackfillRecord): void {
  const percent = Math.max(backfill.percent, percentOf(backfill));
  partition.tables.backfills.putSync(backfill.repoId, { ...backfill, percent });
}

/** Whether a backfill is under way: its runner will go on with it. */
export function isUnderWay({ state }: Pick<BackfillRecord, 'state'>): boolean {
  return state === 'running' || state === 'waiting';
}

export function readTagSync(partition: Partition, repoId: string): TagSync | undefined {
  return partition.tables.tagSyncs.get(repoId);
}

export function writeTagSync(partition: Partition, repoId: string, sync: TagSync): void {
  partition.tables.tagSyncs.putSync(repoId, sync);
}

/** A backfill as the API answers it. */
export function backfillResponse(backfill: BackfillRecord): Record<string, unknown> {
  const { id, repoId, state, position, percent, since, counts, waits, error } = backfill;
  const { startedAt, updatedAt, finishedAt } = backfill;
  return {
    id,
    repoId,
    state,
    phase: finishedAt === null ? position.phase : null,
    percent,
    since: since === null ? null : iso(since).slice(0, 10),
    counts,
    waits: {
      count: waits.count,
      seconds: Math.round(waits.ms / 1000),
      until: waits.until === null ? null : iso(waits.until),
    },
    ...(error !== null && { error }),
    startedAt: iso(startedAt),
    updatedAt: iso(updatedAt),
    finishedAt: finishedAt === null ? null : iso(finishedAt),
  };
}

/** What a phase usually takes of the whole, in per cent: reviews are asked for one pull request at a time. */
const weights: Record<BackfillPhase, number> = {
  pulls: 15,
  issues: 12,
  tags: 8,
  releases: 2,
  commits: 18,
  issueComments: 10,
  reviewComments: 10,
  reviews: 25,
};

/** Whole per cent; a hundred only when it is done. */
function percentOf({ state, position, phases }: BackfillRecord): number {
  if (state === 'completed') return 100;
  let percent = 0;
  for (const phase of backfillPhases) {
    if (phase === position.phase) {
      const { done, total } = phases[phase] ?? { done: 0, total: null };
      return Math.floor(percent + weights[phase] * (total ? Math.min(1, done / total) : 0));
    }
    percent += weights[phase];
  }
  return percent;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
