/**
 * Keeps the backfills of one partition running. Each backfill has a row in the outbox, and only a few backfills run at
 * a time per worker. The row is removed when the fold has recorded the end of the backfill. Until then this process or
 * its successor works on the backfill.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BackfillRecord } from '../../src/protocol/backfill.ts';
import { isUnderWay, readBackfill } from '../../src/store/tables/backfills.ts';
import { listEffects } from '../../src/store/tables/outbox.ts';
import { Backfill } from './backfill.ts';
import type { HostContext } from './context.ts';

/**
 * Number of backfills that one worker runs concurrently. A higher number would not help, because hosts require that
 * requests are sent one after the other.
 */
const concurrency = 2;
/**
 * Pause after a backfill that stopped because of a defect, in milliseconds. After the pause the backfill is started
 * again.
 */
const faultMs = 10_000;

/**
 * Limits the number of concurrent backfills. Each running backfill takes a slot. All partitions of a worker share the
 * slots.
 */
export class BackfillPlaces {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  /** Takes a slot. Returns false if no slot is free; in that case `later` is called as soon as a slot is free. */
  take(later: () => void): boolean {
    if (this.taken >= concurrency) {
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

  /**
   * Starts requested backfills that are not running, and aborts canceled ones. This function must be called after each
   * commit. It does nothing while this process does not lead the partition.
   */
  readonly kick = (): void => {
    if (this.stopped || !this.context.lead.acts) return;
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

  /** Whether this process is running a backfill of a repository. */
  isRunning(repoId: string): boolean {
    return this.running.has(repoId);
  }

  /** Aborts all running backfills. The next process continues them. */
  async close(): Promise<void> {
    this.stopped = true;
    for (const { abort } of this.running.values()) abort.abort(new Error('the worker stops'));
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private start(row: BackfillRecord): void {
    const abort = new AbortController();
    const { logger } = this.context;
    logger.info({ repo: row.repoId, backfill: row.id, phase: row.position.phase }, 'backfill is running');
    const done = runBackfill(this.context, row, abort.signal)
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

async function runBackfill(context: HostContext, row: BackfillRecord, signal: AbortSignal): Promise<void> {
  await new Backfill(context, row, signal).run();
}
