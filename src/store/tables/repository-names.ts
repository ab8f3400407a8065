/**
 * Finds repositories of the directory by what a host calls them: by name, where a payload has no number, and by a number that was
 * told after the name (`docs/architecture.md` decision 12).
 */
import { isNumber, nameAsNumber, repositoryId } from '../../foundation/ids.ts';
import type { EventRepository } from '../../protocol/repository.ts';
import type { Partition } from '../partition.ts';
import { type DirectoryRepository, organisationOfOwner, readDirectoryRepository } from './directory.ts';
import { sameName } from './repository-index.ts';

/** What names a repository: its id, and the host's number for it or the name that stands for one. */
export type RepositoryIdentity = Pick<EventRepository, 'id' | 'hostId'>;

/** An identity, and whether the directory lists the repository with it. */
export type FoundIdentity = RepositoryIdentity & { isListed: boolean };

/**
 * The id of the repository that has a number: the one that adopted it, else the given one.
 * @param id the id that follows from the number
 */
export function idOfNumber({ tables }: Partition, id: string): string {
  return tables.repositoriesByNumber.get(id) ?? id;
}

/** The repository that is listed under a full name: of several, the one that `isBetter` prefers. */
export function repositoryNamed(
  partition: Partition,
  origin: string,
  fullName: string,
): DirectoryRepository | undefined {
  const id: string | undefined = partition.tables.repositoriesByName.get([origin, fullName.toLowerCase()]);
  return id === undefined ? undefined : readDirectoryRepository(partition, id);
}

/**
 * The repository that an organization has under a full name. A repository that is listed for another organization, such as a
 * former bearer of its login, is not returned.
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
 * The identity of a repository that is known by its name alone. One that bore the name before, and is called otherwise or is
 * another organization's, keeps its id; the new one gets another.
 * @param orgId the organization that has it; undefined for one that is not known yet
 */
export function identityOfName(
  partition: Partition | undefined,
  origin: string,
  fullName: string,
  orgId: string | undefined,
): FoundIdentity {
  for (let nth = 1; ; nth++) {
    // No host allows a blank in a name.
    const hostId = nth === 1 ? nameAsNumber(fullName) : `${nameAsNumber(fullName)} ${nth}`;
    const id = repositoryId(origin, hostId);
    const listed = partition && readDirectoryRepository(partition, id);
    if (!listed || (listed.orgId === orgId && sameName(listed.fullName, fullName)))
      return { id, hostId, isListed: listed?.hostId === hostId };
  }
}

/**
 * The identity of a repository as the host itself describes it, with a number: one that its owner has, and that is known by this
 * name alone, adopts the number. It is not for what an organization merely claims, whose numbers prove nothing.
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
  // What is merely claimed must not keep the number from its repository.
  if (listed && !listed.claimed) return { id, hostId, isListed: listed.hostId === hostId };
  const named = repositoryOf(partition, origin, fullName, organisationOfOwner(partition, origin, owner, true)?.id);
  return { id: named && !isNumber(named.hostId) ? named.id : id, hostId, isListed: false };
}
