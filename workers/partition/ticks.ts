/**
 * Drives the clock of a partition: the lead enqueues ticks at intervals, and more often while deliveries wait for their
 * due time.
 */
import { onInterval } from '../../src/foundation/intervals.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { countDelayed } from '../../src/store/tables/delayed.ts';
import type { Lead } from './lead.ts';
import type { PartitionOwner } from './owner.ts';

/** Interval between ticks while deliveries wait for their due time, in milliseconds. */
const delayedTickMs = 1000;

export class Ticker {
  private readonly owner: Pick<PartitionOwner, 'name' | 'partition' | 'seq'>;
  private readonly lead: Pick<Lead, 'tick'>;
  private readonly logger: Logger;
  private readonly tickMs: number;
  private readonly end: () => void;
  private lastTick = Number.NEGATIVE_INFINITY;
  /** Number of delayed deliveries in the state at `countedSeq`. */
  private delayed = 0;
  private countedSeq = -1;

  /** @param tickMs interval between ticks, in milliseconds */
  constructor(
    owner: Pick<PartitionOwner, 'name' | 'partition' | 'seq'>,
    lead: Pick<Lead, 'tick'>,
    { tickMs, logger }: { tickMs: number; logger: Logger },
  ) {
    this.owner = owner;
    this.lead = lead;
    this.logger = logger;
    this.tickMs = tickMs;
    this.end = onInterval(Math.min(delayedTickMs, tickMs), () => void this.tick());
  }

  close(): void {
    this.end();
  }

  private async tick(): Promise<void> {
    const now = performance.now();
    if (this.countDelayed() === 0 && now - this.lastTick < this.tickMs) return;
    this.lastTick = now;
    await this.lead.tick().catch((error: Error) => {
      this.logger.warn({ partition: this.owner.name, err: error }, 'tick was not enqueued');
    });
  }

  /** Returns the number of delayed deliveries. The store is read only if something was folded since the last call. */
  private countDelayed(): number {
    const { seq, partition } = this.owner;
    if (seq !== this.countedSeq) this.delayed = countDelayed(partition);
    this.countedSeq = seq;
    return this.delayed;
  }
}
