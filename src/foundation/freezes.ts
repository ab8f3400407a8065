/**
 * Notices that this process was frozen, for example by SIGSTOP or a paused container. Data that waited in its sockets
 * meanwhile are old, although they arrive now.
 */
import { onInterval } from './intervals.ts';
import { machineNow } from './machine-clock.ts';

const beatMs = 500;
/** A process whose timers did not run for this long counts as frozen, in milliseconds. */
const frozenMs = 2000;

export class Freezes {
  private readonly now: () => number;
  private readonly onWake: () => void;
  private readonly end: () => void;
  private beatAt: number;
  private wokeAt = Number.NEGATIVE_INFINITY;

  /**
   * @param onWake called when a freeze is noticed
   * @param now monotonic clock in milliseconds
   */
  constructor(onWake: () => void, now = machineNow) {
    this.now = now;
    this.onWake = onWake;
    this.beatAt = now();
    this.end = onInterval(beatMs, () => this.beat());
  }

  /** Whether the process was frozen at any time since `at`. */
  since(at: number): boolean {
    this.beat();
    return at < this.wokeAt;
  }

  close(): void {
    this.end();
  }

  private beat(): void {
    const now = this.now();
    const isWaking = now - this.beatAt > frozenMs;
    this.beatAt = now;
    if (!isWaking) return;
    this.wokeAt = now;
    this.onWake();
  }
}
