/** Returns the ingestion rates of an organization. The rates depend on the current tier in the directory partition. */
import { type TierSettings, tierNamed, tiersOf } from '../../config/tiers.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { EventRecord } from '../protocol/journal.ts';
import type { EventRepository } from '../protocol/repository.ts';
import type { Partition } from '../store/partition.ts';
import type { CurrentState } from '../store/readers.ts';
import { Remembered } from '../store/remembered.ts';
import { readTier, standardTier, tierOfOwner } from '../store/tables/tiers.ts';
import type { IngestionRate } from './limit.ts';

/**
 * Returns the key under which the events of an organization are counted towards its limit. The key contains the origin
 * of the host and the owner's id on the host. If the organization has not proved this owner id, the key also contains
 * the organization's own id. So an organization without proof has a separate limit, and cannot use up the limit of the
 * real owner. Spaces separate the parts of the key.
 */
export function limitedAs({ origin, owner }: EventRepository, signedBy: EventRecord['signedBy']): string {
  const isClaim = signedBy != null && !signedBy.proved;
  return isClaim ? `${origin} ${owner.id} ${signedBy.org}` : `${origin} ${owner.id}`;
}

/** Makes the function that returns the rates of an organization. The function takes a key that `limitedAs` returned. */
export function createRates(
  settings: TierSettings,
  readers: CurrentState,
): (organization: string) => readonly IngestionRate[] {
  const tiers = tiersOf(settings);
  const rates = new Map<string, readonly IngestionRate[]>();
  for (const { name, webhooksPerMinute, webhooksPerHour } of tiers.values()) {
    const perHour = { count: webhooksPerHour, periodMs: 3_600_000 };
    rates.set(name, [{ count: webhooksPerMinute, periodMs: 60_000 }, perHour]);
  }
  const known = new Remembered<readonly IngestionRate[]>(readers, directoryName);
  return (organization) => {
    const directory = readers.current(directoryName);
    return known.get(organization) ?? known.set(organization, find(directory, organization));
  };

  function find(directory: Partition | undefined, organization: string): readonly IngestionRate[] {
    const [origin = '', ownerId = '', claimant] = organization.split(' ');
    const name = directory ? tierOf(directory, origin, ownerId, claimant) : standardTier;
    return rates.get(tierNamed(tiers, name).name) as readonly IngestionRate[];
  }
}

function tierOf(directory: Partition, origin: string, ownerId: string, claimant: string | undefined): string {
  return claimant === undefined ? tierOfOwner(directory, origin, ownerId) : readTier(directory, claimant);
}
