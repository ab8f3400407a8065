/**
 * The newest backfill of each repository, and the last sync of the repository's tags. The next backfill of a repository
 * starts from the data in the row of its previous backfill.
 */
import { type BackfillPhase, type BackfillRecord, backfillPhases, type TagSync } from '../../protocol/backfill.ts';
import type { Partition } from '../partition.ts';

export function readBackfill(partition: Partition, repoId: string): BackfillRecord | undefined {
  return partition.tables.backfills.get(repoId);
}

/** Writes a backfill. The percentage of a backfill never falls, even if a list on the host is longer than estimated. */
export function writeBackfill(partition: Partition, backfill: BackfillRecord): void {
  const percent = Math.max(backfill.percent, percentOf(backfill));
  partition.tables.backfills.putSync(backfill.repoId, { ...backfill, percent });
  const { id: backfillId, repoId, state, counts } = backfill;
  partition.changes?.note(backfillId, {
    event: 'backfill.progress',
    data: { repoId, backfillId, state, percent, counts },
  });
}

/** Whether a backfill is running, or waiting to continue. */
export function isUnderWay({ state }: Pick<BackfillRecord, 'state'>): boolean {
  return state === 'running' || state === 'waiting';
}

export function readTagSync(partition: Partition, repoId: string): TagSync | undefined {
  return partition.tables.tagSyncs.get(repoId);
}

export function writeTagSync(partition: Partition, repoId: string, sync: TagSync): void {
  partition.tables.tagSyncs.putSync(repoId, sync);
}

/** Returns a backfill as API replies contain it. */
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

/**
 * The usual share of each phase in the total duration of a backfill, in percent. The phase `reviews` takes longest,
 * because the reviews are requested for one pull request at a time.
 */
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

/** Returns the progress in whole percent. The progress is 100 only when the backfill is completed. */
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
