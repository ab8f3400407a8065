/**
 * Counts API requests in one of several gateways. All windows of a request are in the home of its organization, because
 * a request counts in all its windows or in none, and a key belongs to one organization. A single gateway counts
 * directly.
 */
import type { Tier } from '../../config/tiers.ts';
import type { Homes } from '../cluster/homes.ts';
import { type Countable, type Granted, HomedLimit, lentMs } from '../cluster/limits.ts';
import type { ApiLimit, Limited, LimitState, Taken } from './limit.ts';

/** A request as gateways send it. */
interface PackedLimited {
  keyId: string;
  organization: string;
  tier: string;
}

export interface HomedApiLimitOptions {
  /** Name of the limit among all limits that gateways ask each other about. */
  name: string;
  /** Returns the tier with a name. */
  tierOf: (name: string) => Tier;
  /** Called before this gateway begins to count for an organization. */
  begin?: (organization: string) => void;
}

export class HomedApiLimit {
  private readonly homes: Homes;
  private readonly limit: ApiLimit;
  private readonly homed: HomedLimit<Limited, LimitState, Taken>;

  constructor(homes: Homes, limit: ApiLimit, options: HomedApiLimitOptions) {
    this.homes = homes;
    this.limit = limit;
    this.homed = new HomedLimit(homes, countable(limit, options));
  }

  /**
   * Counts one request. The result is a promise only if another gateway has to be asked.
   *
   * Requests that other gateways have borrowed count as used. Requests that this gateway has borrowed count as left.
   * Therefore the headers never promise more than the key has.
   * @param now milliseconds of a monotonic clock
   * @throws LimitReachedError
   */
  take(limited: Limited, now: number, wallClock: number): Taken | Promise<Taken> {
    // Without a limit, there is nothing to ask the home about.
    if (this.homes.isSole || this.limit.isUnlimited(limited.tier)) return this.limit.take(limited, now, wallClock);
    return this.homed.take(limited);
  }

  /** Removes windows that have ended. */
  sweep(now: number): void {
    this.limit.sweep(now);
  }

  stop(): void {
    this.homed.stop();
  }
}

function countable(
  limit: ApiLimit,
  { name, tierOf, begin }: HomedApiLimitOptions,
): Countable<Limited, LimitState, Taken> {
  return {
    name,
    homeKey: ({ organization }) => organization,
    loanKey: ({ keyId, organization, tier }) => `${organization} ${keyId} ${tier.name}`,
    pack: ({ keyId, organization, tier }): PackedLimited => ({ keyId, organization, tier: tier.name }),
    unpack: (packed) => {
      const { keyId, organization, tier } = packed as PackedLimited;
      return { keyId, organization, tier: tierOf(tier) };
    },
    take: (limited) => limit.take(limited, performance.now(), Date.now()),
    fits: (limited, count) => limit.fits(limited, count, performance.now(), Date.now()),
    grant: (limited, count, lend) => {
      const granted = limit.grant(limited, count, lend, performance.now(), Date.now());
      // What is lent at the end of a window must not be used in the next one.
      return { ...granted, ms: Math.min(lentMs, granted.ms) };
    },
    answer: (limited, { granted, facts }: Granted<LimitState>, nth, unused, ageMs) => {
      const state = { ...facts, waitMs: facts.waitMs - ageMs, left: facts.left + unused };
      if (nth >= granted) throw limit.refusal(limited, state, Date.now());
      return limit.taken(limited, state, Date.now());
    },
    ...(begin && { begin }),
  };
}
