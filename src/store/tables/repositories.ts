/**
 * Repositories of a partition. `revisions` holds a repository's revision apart, small, because every read of a ready-made
 * response compares it.
 */
import type { EventRepository } from '../../protocol/repository.ts';
import type { RepositoryRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

export function readRepository(partition: Partition, id: string): RepositoryRecord | undefined {
  return partition.tables.repositories.get(id);
}

export function writeRepository(partition: Partition, repository: RepositoryRecord): void {
  partition.tables.repositories.putSync(repository.id, repository);
  partition.tables.revisions.putSync(repository.id, repository.revision);
}

/** Removes a repository itself; its pull requests and all the rest are rows of their own. */
export function removeRepository(partition: Partition, id: string): void {
  partition.tables.repositories.removeSync(id);
  partition.tables.revisions.removeSync(id);
}

/** Revision that ready-made responses of this repository must carry; 0 for an unknown one. */
export function readRevision(partition: Partition, id: string): number {
  return partition.tables.revisions.get(id) ?? 0;
}

/** A stored repository as an event tells of it. */
export function toEventRepository(record: RepositoryRecord): EventRepository {
  const { id, origin, hostId, fullName, defaultBranch, url, private: isPrivate, owner } = record;
  return { id, origin, hostId, fullName, defaultBranch, url, private: isPrivate, owner };
}

/** Ids of all repositories of a partition. */
export function listRepositoryIds(partition: Partition): string[] {
  return [...partition.tables.repositories.getKeys({})] as string[];
}
