/**
 * Finds repositories in the directory partition by their name or number on the host. The name is used if a payload
 * contains no number. The index by number is used for repositories that were known by name before their number arrived
 * (`docs/architecture.md` decision 12).
 */
import { isNumber, nameAsNumber, repositoryId } from '../../foundation/ids.ts';
import type { EventRepository } from '../../protocol/repository.ts';
import type { Partition } from '../partition.ts';
import { type DirectoryRepository, organizationOfOwner, readDirectoryRepository } from './directory.ts';
import { sameName } from './repository-index.ts';

/**
 * Identifies a repository. `id` is the repository's id in the store. `hostId` is the host's number for the repository,
 * or the repository's name if the number is not known.
 */
export type RepositoryIdentity = Pick<EventRepository, 'id' | 'hostId'>;

/** An identity, and whether the directory already lists the repository with this identity. */
export type FoundIdentity = RepositoryIdentity & { isListed: boolean };

/**
 * Returns the id of the repository with a given number. Usually the result is `id`. But a repository that was first
 * known only by its name keeps its former id when it adopts the number. In this case, the result is the former id.
 * @param id the id that is derived from the number
 */
export function idOfNumber({ tables }: Partition, id: string): string {
  return tables.repositoriesByNumber.get(id) ?? id;
}

/**
 * Returns the repository that is listed under a full name. If several repositories have this name, returns the one that
 * `isBetter` prefers.
 */
export function repositoryNamed(
  partition: Partition,
  origin: string,
  fullName: string,
): DirectoryRepository | undefined {
  const id: string | undefined = partition.tables.repositoriesByName.get([origin, fullName.toLowerCase()]);
  return id === undefined ? undefined : readDirectoryRepository(partition, id);
}

/**
 * Returns the repository that an organization has under a full name. Another organization can have a repository with
 * the same full name, for example if both organizations had the same login at different times. The repository of the
 * other organization is not returned.
 */
export function repositoryOf(
  partition: Partition,
  origin: string,
  fullName: string,
  orgId: string | undefined,
): DirectoryRepository | undefined {
  const named = repositoryNamed(partition, origin, fullName);
  if (named === undefined || named.orgId === orgId) return named;
  return readDirectoryRepository(partition, identityOfName(partition, origin, fullName, orgId).id);
}

/**
 * Returns the identity of a repository that is known only by its name. Usually its id is derived from the name. But
 * another repository may already have this id: a repository that had the name before and was renamed, or a repository
 * of another organization. The other repository then keeps the id, and this function returns a different id.
 * @param orgId the organization that has the repository; undefined if the organization is not known yet
 */
export function identityOfName(
  partition: Partition | undefined,
  origin: string,
  fullName: string,
  orgId: string | undefined,
): FoundIdentity {
  for (let nth = 1; ; nth++) {
    // From the second attempt on, the text contains a space. No host allows a space in a name, so a repository with
    // another name cannot have this id.
    const hostId = nth === 1 ? nameAsNumber(fullName) : `${nameAsNumber(fullName)} ${nth}`;
    const id = repositoryId(origin, hostId);
    const listed = partition && readDirectoryRepository(partition, id);
    if (!listed || (listed.orgId === orgId && sameName(listed.fullName, fullName)))
      return { id, hostId, isListed: listed?.hostId === hostId };
  }
}

/**
 * Returns the identity of a repository that the host itself describes, with a number. If the directory lists a
 * repository of the same owner under the same name but without a number, both are the same repository. The result then
 * contains the id of the listed repository and the number from the host. Do not call this function for repositories
 * that an organization only claims, because their numbers are not proved.
 */
export function identityOfProof(
  partition: Partition,
  {
    id: computed,
    origin,
    hostId,
    fullName,
    owner,
  }: Pick<EventRepository, 'id' | 'origin' | 'hostId' | 'fullName' | 'owner'>,
): FoundIdentity {
  const id = idOfNumber(partition, computed);
  const listed = readDirectoryRepository(partition, id);
  // If an organization only claims the listed repository with this number, the claim must not prevent the real
  // repository from getting the number.
  if (listed && !listed.claimed) return { id, hostId, isListed: listed.hostId === hostId };
  const named = repositoryOf(partition, origin, fullName, organizationOfOwner(partition, origin, owner, true)?.id);
  return { id: named && !isNumber(named.hostId) ? named.id : id, hostId, isListed: false };
}
