/**
 * Counts the claims of an organization in one of several gateways, the home of the organization. A single gateway counts
 * directly.
 */
import { type Homes, storedMs } from '../cluster/homes.ts';
import { ServiceError } from '../foundation/errors.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { Partition } from '../store/partition.ts';
import type { CurrentState } from '../store/readers.ts';
import { ClaimLimit } from './claims.ts';
import type { AdmittedClaim } from './ownership.ts';

/** Claims of an organization on repositories that the directory does not list yet. */
interface Claims {
  orgId: string;
  unlisted: readonly string[];
  now: number;
}

export class HomedClaims {
  private readonly max: number;
  private readonly homes: Homes;
  private readonly limit: ClaimLimit;
  private readonly admitAtHome: (orgId: string, claims: Claims) => boolean | Promise<boolean>;

  /**
   * @param max maximum number of claims of one organization; 0 = no limit
   * @param maxDelayMs maximum time that an admitted delivery waits before it is folded
   */
  constructor(max: number, maxDelayMs: number, homes: Homes, readers: CurrentState) {
    this.max = max;
    this.homes = homes;
    this.limit = new ClaimLimit(max, maxDelayMs);
    const admit = ({ orgId, unlisted, now }: Claims): boolean => {
      const directory = readers.current(directoryName);
      return directory === undefined || this.limit.admit(directory, orgId, unlisted, now);
    };
    this.admitAtHome = homes.at('claims', admit, storedMs);
  }

  /**
   * Counts the claims of a delivery.
   * @param directory the state of the directory partition with which the whole delivery is checked
   * @returns a promise only if another gateway counts the claims
   * @throws ServiceError `rateLimited` when the organization would exceed its maximum number of unproved claims
   */
  admit(directory: Partition | undefined, admitted: AdmittedClaim | undefined, now: number): Promise<void> | undefined {
    if (!directory || !admitted || admitted.unlisted.length === 0) return undefined;
    const { unlisted, signedBy } = admitted;
    const orgId = signedBy.org;
    if (this.homes.isHere(orgId)) {
      this.assert(this.limit.admit(directory, orgId, unlisted, now));
      return undefined;
    }
    return Promise.resolve(this.admitAtHome(orgId, { orgId, unlisted, now })).then((later) => this.assert(later));
  }

  private assert(isAdmitted: boolean): void {
    if (isAdmitted) return;
    throw new ServiceError(
      'rateLimited',
      `This organization may have at most ${this.max} repositories whose owner is not confirmed (TIDINGS_LIMIT_CLAIMED_REPOSITORIES). Ask the operator to confirm their owners.`,
      { retryAfter: 600 },
    );
  }
}
