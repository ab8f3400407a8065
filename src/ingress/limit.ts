/**
 * The ingestion limit: 100 webhooks a minute and 1000 an hour per organisation (spec part 8), as a token bucket each in its
 * GCRA form. What is over is not refused but given a due time; only past the longest delay is it refused (`docs/architecture.md`
 * decision 16). In memory; seeded at start from what waits in the partitions.
 */

/** One limit: `count` events per `periodMs`. */
export interface IngestionRate {
  count: number;
  periodMs: number;
}

/** What a limit says of an event. */
export type Admission = { admitted: true; due: number | undefined } | { admitted: false; retryAfterMs: number };

export class IngestionLimit {
  private readonly ratesOf: (organisation: string) => readonly IngestionRate[];
  private readonly maxDelayMs: number;
  /** Theoretical arrival time of the next event per rate, per organisation. */
  private readonly arrivals = new Map<string, number[]>();

  /** @param ratesOf the same number of rates for every organisation; those with count 0 do not limit */
  constructor(ratesOf: (organisation: string) => readonly IngestionRate[], maxDelayMs: number) {
    this.ratesOf = ratesOf;
    this.maxDelayMs = maxDelayMs;
  }

  /** Admits an event of an organisation at `now` (milliseconds), with the time from which it may be folded. */
  admit(organisation: string, now: number): Admission {
    const rates = this.ratesOf(organisation);
    if (rates.every(({ count }) => count === 0)) return { admitted: true, due: undefined };
    const before = this.arrivals.get(organisation);
    const after = rates.map(({ count, periodMs }, i) =>
      count === 0 ? 0 : Math.max(now, before?.[i] ?? 0) + periodMs / count,
    );
    const due = Math.ceil(Math.max(...rates.map((rate, i) => (after[i] as number) - rate.periodMs)));
    if (due - now > this.maxDelayMs) return { admitted: false, retryAfterMs: due - now - this.maxDelayMs };
    this.arrivals.set(organisation, after);
    return { admitted: true, due: due > now ? due : undefined };
  }

  /** Takes up where an earlier process left: an event of the organisation waits until `due`. */
  seed(organisation: string, due: number): void {
    const known = this.arrivals.get(organisation);
    const rates = this.ratesOf(organisation);
    this.arrivals.set(
      organisation,
      rates.map((rate, i) => Math.max(known?.[i] ?? 0, due + rate.periodMs)),
    );
  }

  /** Forgets organisations whose buckets are full again. */
  sweep(now: number): void {
    for (const [organisation, arrivals] of this.arrivals) {
      if (arrivals.every((arrival) => arrival <= now)) this.arrivals.delete(organisation);
    }
  }
}
