/** Decides when the screens read their data again while events arrive. */

/** Wait between an event after a quiet time and the reading, so that the events of one change arrive together. */
const gatherMs = 200;
/**
 * Shortest and longest pause between two readings, in milliseconds. The pause doubles with each reading for as long as
 * events keep arriving. So a flood of events costs few requests, and single changes are seen at once.
 */
const [minPauseMs, maxPauseMs] = [2_000, 10_000];

export class Pace {
  private readonly run: (keys: ReadonlySet<string>) => void;
  private readonly now: () => number;
  private keys = new Set<string>();
  private ranAt = Number.NEGATIVE_INFINITY;
  private pauseMs = minPauseMs;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param run called with all keys that were noted since the last call
   * @param now milliseconds of a monotonic clock
   */
  constructor(run: (keys: ReadonlySet<string>) => void, now = () => performance.now()) {
    this.run = run;
    this.now = now;
  }

  /** Notes an event. */
  note(keys: readonly string[]): void {
    for (const key of keys) this.keys.add(key);
    if (this.timer !== undefined) return;
    const untilNext = this.ranAt + this.pauseMs - this.now();
    this.pauseMs = untilNext > 0 ? Math.min(2 * this.pauseMs, maxPauseMs) : minPauseMs;
    this.timer = setTimeout(
      () => {
        const noted = this.keys;
        this.stop();
        this.ranAt = this.now();
        this.run(noted);
      },
      Math.max(gatherMs, untilNext),
    );
  }

  /** Forgets what was noted and not reported yet. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.keys = new Set();
  }
}
