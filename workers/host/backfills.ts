/**
 * Keeps the backfills of one partition going: an outbox row for each, a few of all partitions of a worker at a time. A row
 * goes when the fold says that its backfill is over; until then this process or the next one works on it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BackfillRecord } from '../../src/protocol/backfill.ts';
import { isUnderWay, readBackfill } from '../../src/store/tables/backfills.ts';
import { listEffects } from '../../src/store/tables/outbox.ts';
import { Backfill } from './backfill.ts';
import type { HostContext } from './context.ts';

/** Backfills that one worker carries out at a time; the hosts want their requests one after the other anyway. */
const atOnce = 2;
/** A backfill that ended by a defect is not taken up again at once. */
const faultMs = 10_000;

/** The places that the partitions of a worker share. */
export class BackfillPlaces {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  /** Takes a place; false when there is none, and then `later` is called when one is free. */
  take(later: () => void): boolean {
    if (this.taken >= atOnce) {
      this.waiting.add(later);
      return false;
    }
    this.taken += 1;
    return true;
  }

  free(): void {
    this.taken -= 1;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const later of waiting) later();
  }
}

interface Running {
  id: string;
  abort: AbortController;
  done: Promise<void>;
}

export class Backfills {
  private readonly context: HostContext;
  private readonly places: BackfillPlaces;
  private readonly running = new Map<string, Running>();
  private stopped = false;

  constructor(context: HostContext, places: BackfillPlaces) {
    this.context = context;
    this.places = places;
  }

  /** Starts what is wanted and not under way, ends what was cancelled. Call it after each commit, once caught up. */
  readonly kick = (): void => {
    if (this.stopped || !this.context.caughtUp()) return;
    const partition = this.context.partition();
    for (const [repoId, { id, abort }] of this.running) {
      const row = readBackfill(partition, repoId);
      if (row?.id !== id || !isUnderWay(row)) abort.abort(new Error('the backfill was cancelled'));
    }
    for (const { effect } of listEffects(partition, 0, 1000)) {
      if (effect.effect !== 'backfill' || this.running.has(effect.repoId)) continue;
      const row = readBackfill(partition, effect.repoId);
      if (row?.id !== effect.backfillId || !isUnderWay(row)) continue;
      if (!this.places.take(this.kick)) return;
      this.start(row);
    }
  };

  /** Whether a repository's backfill is under way here. */
  isRunning(repoId: string): boolean {
    return this.running.has(repoId);
  }

  /** Ends what is under way; the next process goes on with it. */
  async close(): Promise<void> {
    this.stopped = true;
    for (const { abort } of this.running.values()) abort.abort(new Error('the worker stops'));
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private start(row: BackfillRecord): void {
    const abort = new AbortController();
    const { logger } = this.context;
    logger.info({ repo: row.repoId, backfill: row.id, phase: row.position.phase }, 'backfill goes on');
    const done = carryOut(this.context, row, abort.signal)
      .catch((error: Error) => {
        logger.error({ repo: row.repoId, err: error }, 'backfill stopped');
        return pause(faultMs, undefined, { signal: abort.signal, ref: false }).catch(() => {});
      })
      .finally(() => {
        this.running.delete(row.repoId);
        this.places.free();
        this.kick();
      });
    this.running.set(row.repoId, { id: row.id, abort, done });
  }
}

async function carryOut(context: HostContext, row: BackfillRecord, signal: AbortSignal): Promise<void> {
  await new Backfill(context, row, signal).run();
}
