/**
 * Limits the ingestion of webhooks per organization, by default to 100 per minute and 1000 per hour (spec part 8). Each
 * rate is a token bucket, implemented with GCRA (generic cell rate algorithm). A delivery over the limit is accepted
 * with a due time. The delivery is not folded before this time. If the delay would exceed the maximum delay, the
 * delivery is refused (`docs/architecture.md` decision 16). The state is in memory. At start, the state is restored
 * from the deliveries that wait in the partitions. With several gateways, `homed-limit.ts` lets one of them count.
 */

/** One rate limit: `count` events per `periodMs`. */
export interface IngestionRate {
  count: number;
  periodMs: number;
}

/**
 * The decision on an event. An admitted event must not be folded before `due` (milliseconds since 1970). If `due` is
 * undefined, the event is not delayed. A refused event may be sent again after `retryAfterMs`.
 */
export type Admission = { admitted: true; due: number | undefined } | { admitted: false; retryAfterMs: number };

export class IngestionLimit {
  private readonly ratesOf: (organization: string) => readonly IngestionRate[];
  private readonly maxDelayMs: number;
  /** The theoretical arrival time (GCRA) of the next event, per organization and rate. */
  private readonly arrivals = new Map<string, number[]>();

  /**
   * @param ratesOf returns the rates of an organization. The number of rates is the same for every organization. A rate
   * with count 0 does not limit.
   */
  constructor(ratesOf: (organization: string) => readonly IngestionRate[], maxDelayMs: number) {
    this.ratesOf = ratesOf;
    this.maxDelayMs = maxDelayMs;
  }

  /**
   * Counts an event that an organization sends at `now` (milliseconds). If the limit would delay the event for longer
   * than the maximum, the event is refused and not counted.
   */
  admit(organization: string, now: number): Admission {
    const rates = this.ratesOf(organization);
    if (rates.every(({ count }) => count === 0)) return { admitted: true, due: undefined };
    const before = this.arrivals.get(organization);
    const after = rates.map(({ count, periodMs }, i) =>
      count === 0 ? 0 : Math.max(now, before?.[i] ?? 0) + periodMs / count,
    );
    const due = Math.ceil(Math.max(...rates.map((rate, i) => (after[i] as number) - rate.periodMs)));
    if (due - now > this.maxDelayMs) return { admitted: false, retryAfterMs: due - now - this.maxDelayMs };
    this.arrivals.set(organization, after);
    return { admitted: true, due: due > now ? due : undefined };
  }

  /** Whether an organization has no limit. */
  isUnlimited(organization: string): boolean {
    return this.ratesOf(organization).every(({ count }) => count === 0);
  }

  /**
   * Restores the state of an earlier process. Counts one event that the earlier process admitted for the organization,
   * with the due time `due`.
   */
  seed(organization: string, due: number): void {
    const known = this.arrivals.get(organization);
    const rates = this.ratesOf(organization);
    this.arrivals.set(
      organization,
      rates.map((rate, i) => Math.max(known?.[i] ?? 0, due + rate.periodMs)),
    );
  }

  /** Removes the state of organizations whose token buckets are full again. */
  sweep(now: number): void {
    for (const [organization, arrivals] of this.arrivals) {
      if (arrivals.every((arrival) => arrival <= now)) this.arrivals.delete(organization);
    }
  }
}
