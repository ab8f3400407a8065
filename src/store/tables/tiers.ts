/**
 * The tier of each organization, which determines the organization's limits. An organization without a row has the
 * standard tier.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { Partition } from '../partition.ts';
import type { OrganizationRecord } from './directory.ts';
import { readPolicy } from './policies.ts';
import { instanceUsage } from './usage.ts';

export const standardTier = 'standard';

export function readTier(partition: Partition, orgId: string): string {
  return partition.tables.tiers.get(orgId) ?? standardTier;
}

/**
 * Returns the tier that limits the requests of `owner`, which is an organization or the instance. For the instance, the
 * tier is `instanceTier`.
 */
export function tierOfUsage(partition: Partition, owner: string, instanceTier: string): string {
  return owner === instanceUsage ? instanceTier : readTier(partition, owner);
}

/**
 * Returns the tier of the organization that belongs to an owner on the host. `ownerId` is the host's id of the owner.
 */
export function tierOfOwner(partition: Partition, origin: string, ownerId: string): string {
  const orgId: string | undefined = partition.tables.organizationsByOwner.get([origin, ownerId]);
  return orgId === undefined ? standardTier : readTier(partition, orgId);
}

/** Returns the object that represents an organization in API replies. */
export function organizationResponse(partition: Partition, organization: OrganizationRecord): Record<string, unknown> {
  const { id, origin, login, createdAt } = organization;
  const tier = readTier(partition, id);
  return {
    ...{ id, login, host: origin, tier, ...readPolicy(partition, id) },
    createdAt: new Date(createdAt).toISOString(),
  };
}

/**
 * Returns the validator (ETag) of the content of `organizationResponse`. The list of fields is fixed, so that replays
 * by later versions of Tidings compute the same digests.
 */
export function organizationDigest(partition: Partition, { id, login, origin, createdAt }: OrganizationRecord): string {
  const { refuseInternalOnPublicChannels, keepPublishedAfterUninstall } = readPolicy(partition, id);
  const tier = readTier(partition, id);
  const fields = [id, login, origin, tier, refuseInternalOnPublicChannels, createdAt];
  // `keepPublishedAfterUninstall` is added only if its value is not the default (true). So the digest with the default
  // is the same as in earlier versions of Tidings.
  return digestOf(JSON.stringify(keepPublishedAfterUninstall ? fields : [...fields, false]));
}

export function writeTier(partition: Partition, orgId: string, tier: string): void {
  if (tier === standardTier) partition.tables.tiers.removeSync(orgId);
  else partition.tables.tiers.putSync(orgId, tier);
}
