/**
 * The ingestion rates of an organisation by its tier, as the directory has it now.
 */
import { type TierSettings, tierNamed, tiersOf } from '../../config/tiers.ts';
import type { Partition } from '../store/partition.ts';
import { standardTier, tierOfOwner } from '../store/tiers.ts';
import type { IngestionRate } from './limit.ts';

/**
 * Tells the rates of an organisation, named by its host's origin and the host's id of it, with a blank between.
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
    const blank = organisation.indexOf(' ');
    const name = directory
      ? tierOfOwner(directory, organisation.slice(0, blank), organisation.slice(blank + 1))
      : standardTier;
    return rates.get(tierNamed(tiers, name).name) as readonly IngestionRate[];
  };
}
