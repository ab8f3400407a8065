/**
 * Whether what a partition holds of a repository belongs to the organization that the directory lists it for. The two hear of a
 * proof at different times; until both have, what is proved must not show to whoever has claimed it.
 */
import type { RepositoryRecord } from '../protocol/stored.ts';
import { isErasing } from './erasing/repository.ts';
import type { Partition } from './partition.ts';
import { type DirectoryRepository, readOrganisation, sameLogin } from './tables/directory.ts';
import { readRepository } from './tables/repositories.ts';

/**
 * Whether the organization that a repository is listed for may see what its partition holds.
 * @param partition that of the repository; undefined where none can be read, which shows nothing
 */
export function belongsToListed(
  directory: Partition,
  listed: Pick<DirectoryRepository, 'id' | 'orgId' | 'claimed'>,
  partition: Partition | undefined,
): boolean {
  if (!listed.claimed || !partition) return true;
  const stored = readRepository(partition, listed.id);
  // Rows of an erased life go piece by piece, and whoever claims the repository meanwhile has no part in them.
  if (!stored) return !isErasing(partition, listed.id);
  if (stored.claimedBy === listed.orgId) return true;
  if (stored.claimedBy !== undefined) return false;
  const organisation = readOrganisation(directory, listed.orgId);
  return organisation?.ownerId === stored.owner.id && sameLogin(organisation.login, stored.owner.login);
}

/**
 * The life of a repository that a write to it is meant for, by when it began: at the time of the fold another one may have begun.
 * @returns undefined for one that is merely claimed, and of which no event has told: what is written would outlive the claim
 */
export function lifeOf(
  listed: Pick<DirectoryRepository, 'claimed'> | undefined,
  stored: Pick<RepositoryRecord, 'createdAt'> | undefined,
): { life?: number } | undefined {
  if (stored) return { life: stored.createdAt };
  return listed?.claimed ? undefined : {};
}
