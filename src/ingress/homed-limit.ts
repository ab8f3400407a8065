/**
 * Counts deliveries towards the ingestion limit in one of several gateways, the home of their organization. A single
 * gateway counts directly. Without an answer of the home, a gateway counts by itself, so no delivery is lost.
 */
import type { Homes } from '../cluster/homes.ts';
import type { Admission, IngestionLimit } from './limit.ts';

export class HomedIngestionLimit {
  private readonly homes: Homes;
  private readonly limit: IngestionLimit;
  private readonly admitAtHome: (key: string, organization: string) => Admission | Promise<Admission>;

  /** @param begin called before this gateway counts for an organization for the first time since the gateways changed */
  constructor(homes: Homes, limit: IngestionLimit, begin: () => void) {
    this.homes = homes;
    this.limit = limit;
    let hasBegun = false;
    homes.onChange(() => {
      hasBegun = false;
    });
    this.admitAtHome = homes.at('ingestion', (organization: string) => {
      if (!hasBegun) begin();
      hasBegun = true;
      return limit.admit(organization, Date.now());
    });
  }

  /**
   * Counts an event that an organization sends at `now` (milliseconds). The result is a promise only if another gateway
   * has to be asked.
   */
  admit(organization: string, now: number): Admission | Promise<Admission> {
    // Without a limit, there is nothing to ask the home about.
    if (this.homes.isSole || this.limit.isUnlimited(organization)) return this.limit.admit(organization, now);
    return this.admitAtHome(organization, organization);
  }

  /** Removes the state of organizations whose token buckets are full again. */
  sweep(now: number): void {
    this.limit.sweep(now);
  }
}
