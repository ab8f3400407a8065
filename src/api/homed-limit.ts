/**
 * Counts API requests in one of several gateways. All windows of a request are in the home of its organization, because
 * a request counts in all its windows or in none, and a key belongs to one organization. A single gateway counts
 * directly.
 */
import type { Tier } from '../../config/tiers.ts';
import type { Homes } from '../cluster/homes.ts';
import type { ApiLimit, Counted, Limited, Taken } from './limit.ts';

/** A request as gateways send it. */
type PackedLimited = Omit<Limited, 'tier'> & { tier: string };

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
  private readonly countAtHome: (organization: string, request: PackedLimited) => Counted | Promise<Counted>;

  constructor(homes: Homes, limit: ApiLimit, { name, tierOf, begin = () => {} }: HomedApiLimitOptions) {
    this.homes = homes;
    this.limit = limit;
    const begun = new Set<string>();
    homes.onChange(() => begun.clear());
    this.countAtHome = homes.at(name, ({ keyId, organization, tier }: PackedLimited) => {
      if (!begun.has(organization)) {
        begun.add(organization);
        begin(organization);
      }
      return limit.count({ keyId, organization, tier: tierOf(tier) }, performance.now(), Date.now());
    });
  }

  /**
   * Counts one request. The result is a promise only if another gateway has to be asked.
   * @param now milliseconds of a monotonic clock
   * @throws LimitReachedError
   */
  take(limited: Limited, now: number, wallClock: number): Taken | Promise<Taken> {
    const { keyId, organization, tier } = limited;
    // Without a limit, there is nothing to ask the home about.
    if (this.homes.isSole || this.limit.isUnlimited(tier)) return this.limit.take(limited, now, wallClock);
    const counted = this.countAtHome(organization, { keyId, organization, tier: tier.name });
    if (!(counted instanceof Promise)) return this.limit.taken(limited, counted, wallClock);
    return counted.then((later) => this.limit.taken(limited, later, Date.now()));
  }

  /** Removes windows that have ended. */
  sweep(now: number): void {
    this.limit.sweep(now);
  }
}
