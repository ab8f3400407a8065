/**
 * Decides whether an organization may see a partition's data about a repository. The directory can list a repository
 * for an organization that only claims to own it. When the host confirms the real owner, the directory and the
 * partition learn the owner at different times. Until the directory and the partition both know the owner, the claiming
 * organization must not see the data of the confirmed owner.
 */
import type { RepositoryRecord } from '../protocol/stored.ts';
import { isErasing } from './erasing/repository.ts';
import type { Partition } from './partition.ts';
import { type DirectoryRepository, readOrganization, sameLogin } from './tables/directory.ts';
import { readRepository } from './tables/repositories.ts';

/**
 * The directory lists each repository for one organization. Returns whether this organization may see the data in the
 * repository's partition.
 * @param partition the repository's partition; undefined if the partition cannot be read. The result is then true,
 *   because no data can be shown anyway
 */
export function belongsToListed(
  directory: Partition,
  listed: Pick<DirectoryRepository, 'id' | 'orgId' | 'claimed'>,
  partition: Partition | undefined,
): boolean {
  if (!listed.claimed || !partition) return true;
  const stored = readRepository(partition, listed.id);
  // The rows of an erased repository are removed in pieces. If an organization claims the repository before all rows
  // are removed, the organization must not see the remaining rows.
  if (!stored) return !isErasing(partition, listed.id);
  if (stored.claimedBy === listed.orgId) return true;
  if (stored.claimedBy !== undefined) return false;
  const organization = readOrganization(directory, listed.orgId);
  return organization?.ownerId === stored.owner.id && sameLogin(organization.login, stored.owner.login);
}

/**
 * Returns the incarnation of a repository, identified by its start time. When an erased repository is added again, a
 * new incarnation begins. A write for the earlier incarnation may still wait to be folded. So each write contains the
 * incarnation that it is intended for.
 * @returns undefined for a repository that is only claimed and has no event yet. Nothing may be written for such a
 *   repository, because the written row would remain after the claim has ended.
 */
export function incarnationOf(
  listed: Pick<DirectoryRepository, 'claimed'> | undefined,
  stored: Pick<RepositoryRecord, 'createdAt'> | undefined,
): { life?: number } | undefined {
  if (stored) return { life: stored.createdAt };
  return listed?.claimed ? undefined : {};
}
