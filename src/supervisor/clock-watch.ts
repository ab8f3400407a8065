/**
 * Compares the clock of a node with the clock of the NATS servers. The time of a partition is the highest time of its
 * records, so a clock that is ahead moves it on all nodes (`docs/architecture.md` decision 51).
 */
import { onInterval } from '../foundation/intervals.ts';
import type { Logger } from '../foundation/logger.ts';
import { clockOffsetSeconds } from '../foundation/metrics.ts';

/** Offsets beyond these are reported, or make the node unready. In milliseconds. */
const [warnMs, maxMs] = [2000, 30_000];
const everyMs = 60_000;

export class ClockWatch {
  private readonly measure: () => Promise<number | undefined>;
  private readonly logger: Pick<Logger, 'warn' | 'error'>;
  private off = false;
  private end: (() => void) | undefined;

  /** @param measure returns how far the own clock is ahead, in milliseconds; undefined if the servers do not answer */
  constructor(measure: () => Promise<number | undefined>, logger: Pick<Logger, 'warn' | 'error'>) {
    this.measure = measure;
    this.logger = logger;
  }

  /** Compares the clocks now, and then every minute. */
  start(): void {
    this.end = onInterval(everyMs, () => void this.check());
    void this.check();
  }

  /** Whether the clock is so far off that the node must not serve. */
  get isOff(): boolean {
    return this.off;
  }

  /** Compares the clocks and returns the offset. If the servers do not answer, the last result stays in force. */
  async check(): Promise<number | undefined> {
    const offsetMs = await this.measure();
    if (offsetMs === undefined) return undefined;
    const distance = Math.abs(offsetMs);
    this.off = distance > maxMs;
    clockOffsetSeconds.set(offsetMs / 1000);
    const facts = { offsetSeconds: offsetMs / 1000 };
    if (this.off) this.logger.error(facts, 'clock of this node is far off; it is not ready until the clock is right');
    else if (distance > warnMs) this.logger.warn(facts, 'clock of this node is off');
    return offsetMs;
  }

  stop(): void {
    this.end?.();
  }
}
