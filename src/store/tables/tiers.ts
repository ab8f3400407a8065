/**
 * Which tier of limits an organisation has. No row means the standard one.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { Partition } from '../partition.ts';
import type { OrganisationRecord } from './directory.ts';
import { readPolicy } from './policies.ts';
import { instanceUsage } from './usage.ts';

export const standardTier = 'standard';

export function readTier(partition: Partition, orgId: string): string {
  return partition.tables.tiers.get(orgId) ?? standardTier;
}

/** The tier that requests counted for `owner` are limited by: an organisation's own, or `instanceTier` for the instance. */
export function tierOfUsage(partition: Partition, owner: string, instanceTier: string): string {
  return owner === instanceUsage ? instanceTier : readTier(partition, owner);
}

/** The tier of whoever owns repositories, by the host's id of the owner. */
export function tierOfOwner(partition: Partition, origin: string, ownerId: string): string {
  const orgId: string | undefined = partition.tables.organisationsByOwner.get([origin, ownerId]);
  return orgId === undefined ? standardTier : readTier(partition, orgId);
}

/** An organisation as the API answers it. */
export function organisationResponse(partition: Partition, organisation: OrganisationRecord): Record<string, unknown> {
  const { id, origin, login, createdAt } = organisation;
  const tier = readTier(partition, id);
  return {
    ...{ id, login, host: origin, tier, ...readPolicy(partition, id) },
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** Validator of what `organisationResponse` tells; of a fixed list of fields, for replays by later versions. */
export function organisationDigest(partition: Partition, { id, login, origin, createdAt }: OrganisationRecord): string {
  const { refuseInternalOnPublicChannels, keepPublishedAfterUninstall } = readPolicy(partition, id);
  const tier = readTier(partition, id);
  const fields = [id, login, origin, tier, refuseInternalOnPublicChannels, createdAt];
  // The default has the digest of earlier versions.
  return digestOf(JSON.stringify(keepPublishedAfterUninstall ? fields : [...fields, false]));
}

export function writeTier(partition: Partition, orgId: string, tier: string): void {
  if (tier === standardTier) partition.tables.tiers.removeSync(orgId);
  else partition.tables.tiers.putSync(orgId, tier);
}
