/**
 * Counts deliveries towards the ingestion limit in one of several gateways, the home of their organization. A single
 * gateway counts directly. Without an answer of the home, a gateway counts by itself, so no delivery is lost.
 */
import type { Homes } from '../cluster/homes.ts';
import { type Countable, type Granted, HomedLimit, lentMs } from '../cluster/limits.ts';
import type { Admission, IngestionLimit } from './limit.ts';

/** The due times of the events that were admitted together, and the wait of the first one that was not. */
interface IngestionState {
  dues: (number | null)[];
  retryAfterMs: number;
}

export class HomedIngestionLimit {
  private readonly homes: Homes;
  private readonly limit: IngestionLimit;
  private readonly homed: HomedLimit<string, IngestionState, Admission>;

  /** @param begin called before this gateway begins to count for an organization */
  constructor(homes: Homes, limit: IngestionLimit, begin: () => void) {
    this.homes = homes;
    this.limit = limit;
    this.homed = new HomedLimit(homes, countable(limit, begin));
  }

  /**
   * Counts an event that an organization sends at `now` (milliseconds). The result is a promise only if another gateway
   * has to be asked.
   */
  admit(organization: string, now: number): Admission | Promise<Admission> {
    // Without a limit, there is nothing to ask the home about.
    if (this.homes.isSole || this.limit.isUnlimited(organization)) return this.limit.admit(organization, now);
    return this.homed.take(organization);
  }

  /** Removes the state of organizations whose token buckets are full again. */
  sweep(now: number): void {
    this.limit.sweep(now);
  }

  stop(): void {
    this.homed.stop();
  }
}

function countable(limit: IngestionLimit, begin: () => void): Countable<string, IngestionState, Admission> {
  return {
    name: 'ingestion',
    homeKey: (organization) => organization,
    loanKey: (organization) => organization,
    pack: (organization) => organization,
    unpack: (packed) => packed as string,
    take: (organization) => limit.admit(organization, Date.now()),
    fits: (organization, count) => limit.fits(organization, count, Date.now()),
    grant: (organization, count, lend) => {
      const { dues, spare, retryAfterMs, undo } = limit.grant(organization, count, lend, Date.now());
      const facts = { dues: dues.map((due) => due ?? null), retryAfterMs };
      return { granted: dues.length, spare, ms: lentMs, facts, undo };
    },
    answer: (_, { granted, facts }: Granted<IngestionState>, nth) => {
      if (nth >= granted) return { admitted: false, retryAfterMs: facts.retryAfterMs };
      return { admitted: true, due: facts.dues[nth] ?? undefined };
    },
    begin,
  };
}
