/** Measures the longest time between two events of the same kind. */
export class Gaps {
  private readonly last = new Map<string, number>();
  private longest = new Map<string, number>();

  /** Notes an event of a kind. Its time is measured from the last event of the kind, or from now on. */
  note(kind: string): void {
    const now = performance.now();
    this.extend(kind, now - (this.last.get(kind) ?? now));
    this.last.set(kind, now);
  }

  /** Returns the longest times since the last call, in milliseconds. They contain the time since the last event. */
  take(): Map<string, number> {
    const now = performance.now();
    for (const [kind, at] of this.last) this.extend(kind, now - at);
    const { longest } = this;
    this.longest = new Map();
    return longest;
  }

  private extend(kind: string, ms: number): void {
    this.longest.set(kind, Math.max(ms, this.longest.get(kind) ?? 0));
  }
}
