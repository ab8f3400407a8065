/**
 * The ingestion rates of an organisation by its tier, as the directory has it now.
 */
import { type TierSettings, tierNamed, tiersOf } from '../../config/tiers.ts';
import type { EventRecord } from '../protocol/journal.ts';
import type { Partition } from '../store/partition.ts';
import { readTier, standardTier, tierOfOwner } from '../store/tables/tiers.ts';
import type { IngestionRate } from './limit.ts';

/**
 * What the limit knows the organisation of an event by: its host's origin and the host's id of it, with a blank between. One that
 * only claims that id is limited apart, by its own id behind another blank: it must not use up what belongs to the owner.
 */
export function limitedAs({
  repository: { origin, owner },
  signedBy,
}: Pick<EventRecord, 'repository' | 'signedBy'>): string {
  const isClaim = signedBy != null && !signedBy.proved;
  return isClaim ? `${origin} ${owner.id} ${signedBy.org}` : `${origin} ${owner.id}`;
}

/**
 * Tells the rates of an organisation, named as `limitedAs` does.
 * @param read the directory as of now; undefined while it cannot be read
 */
export function createRates(
  settings: TierSettings,
  read: () => Partition | undefined,
): (organisation: string) => readonly IngestionRate[] {
  const tiers = tiersOf(settings);
  const rates = new Map<string, readonly IngestionRate[]>();
  for (const { name, webhooksPerMinute, webhooksPerHour } of tiers.values()) {
    const perHour = { count: webhooksPerHour, periodMs: 3_600_000 };
    rates.set(name, [{ count: webhooksPerMinute, periodMs: 60_000 }, perHour]);
  }
  return (organisation) => {
    const directory = read();
    const [origin = '', ownerId = '', claimant] = organisation.split(' ');
    const name = directory ? tierOf(directory, origin, ownerId, claimant) : standardTier;
    return rates.get(tierNamed(tiers, name).name) as readonly IngestionRate[];
  };
}

function tierOf(directory: Partition, origin: string, ownerId: string, claimant: string | undefined): string {
  return claimant === undefined ? tierOfOwner(directory, origin, ownerId) : readTier(directory, claimant);
}
