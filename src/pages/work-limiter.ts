/** Limits how often costly work runs. Without this limit, any reader could start the work with each request. */
export class WorkLimiter {
  private readonly minPauseMs: number;
  private readonly restTimes: number;
  private nextAt = Number.NEGATIVE_INFINITY;

  /**
   * @param minPauseMs minimum pause between two runs
   * @param restTimes the pause is also at least this many times as long as the last run
   */
  constructor(minPauseMs: number, restTimes: number) {
    this.minPauseMs = minPauseMs;
    this.restTimes = restTimes;
  }

  /** Runs the work if the pause after the last run is over. Returns whether the work ran. */
  run(work: () => void): boolean {
    const began = performance.now();
    if (began < this.nextAt) return false;
    work();
    const ended = performance.now();
    this.nextAt = ended + Math.max(this.minPauseMs, (ended - began) * this.restTimes);
    return true;
  }
}
