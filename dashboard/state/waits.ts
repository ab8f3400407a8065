/** Counts the waits between readings of data that is known to change without an event. */

/** The first wait, and the longest one, in milliseconds. */
const [firstMs, maxMs] = [1_000, 30_000];

export class GrowingWait {
  private nextMs = firstMs;

  /** Returns the next wait in milliseconds. Each wait is twice as long as the one before, up to the longest one. */
  next(): number {
    const wait = this.nextMs;
    this.nextMs = Math.min(2 * wait, maxMs);
    return wait;
  }

  /** Begins again with the first wait. */
  reset(): void {
    this.nextMs = firstMs;
  }
}
