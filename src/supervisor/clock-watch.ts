/**
 * Watches the clock of a node of a cluster. A clock that is a little off is reported, and a node whose clock is far off
 * is not ready, so that a load balancer sends its requests to other nodes (`docs/architecture.md` decision 51).
 */
import type { Logger } from '../foundation/logger.ts';
import { clockOffsetSeconds } from '../foundation/metrics.ts';
import { clockOffset, maxClockOffset } from '../journal/clock.ts';

const checkMs = 60_000;
/** Offset from which a clock is reported, in seconds. */
const warnedSeconds = 2;

export class ClockWatch {
  private readonly serverTime: () => Promise<number>;
  private readonly logger: Pick<Logger, 'warn' | 'info'>;
  private readonly compare: typeof clockOffset;
  private offset = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param serverTime asks the NATS server for its time */
  constructor(serverTime: () => Promise<number>, logger: Pick<Logger, 'warn' | 'info'>, compare = clockOffset) {
    this.serverTime = serverTime;
    this.logger = logger;
    this.compare = compare;
  }

  /** Compares the clocks now and every minute. Resolves after the first comparison. */
  async start(): Promise<void> {
    this.timer = setInterval(() => void this.check(), checkMs).unref();
    await this.check();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** How far the clock was ahead at the last comparison, in milliseconds. */
  get offsetMs(): number {
    return Math.round(this.offset * 1000);
  }

  /** Why the node is not ready; undefined if its clock is right. */
  get fault(): string | undefined {
    return Math.abs(this.offset) > maxClockOffset ? `clock (${inWords(this.offset)})` : undefined;
  }

  /** Compares the clocks. If the server does not answer, the last comparison counts. */
  async check(): Promise<void> {
    const before = this.offset;
    try {
      this.offset = await this.compare(this.serverTime);
    } catch (error) {
      this.logger.warn({ err: error }, 'clock cannot be compared with the clock of the NATS server');
      return;
    }
    clockOffsetSeconds.set(this.offset);
    const [wasOff, isOff] = [before, this.offset].map((offset) => Math.abs(offset) > warnedSeconds);
    if (isOff)
      this.logger.warn({ offsetSeconds: this.offset }, `clock is ${inWords(this.offset)}: check its NTP service`);
    else if (wasOff) this.logger.info({ offsetSeconds: this.offset }, 'clock is right again');
  }
}

function inWords(offset: number): string {
  return `${Math.abs(offset).toFixed(1)} seconds ${offset > 0 ? 'ahead of' : 'behind'} the clock of the NATS server`;
}
