/**
 * The repositories of a partition. The table `revisions` contains only the revision of each repository. Its rows are
 * small, because each read of a ready-made response also reads a row of `revisions`.
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

/** Removes the repository's row and its revision. Rows of its pull requests and other records are not removed. */
export function removeRepository(partition: Partition, id: string): void {
  partition.tables.repositories.removeSync(id);
  partition.tables.revisions.removeSync(id);
}

/**
 * Returns the current revision of a repository; 0 for an unknown repository. A ready-made response with a different
 * revision is stale.
 */
export function readRevision(partition: Partition, id: string): number {
  return partition.tables.revisions.get(id) ?? 0;
}

/** Converts a stored repository to the form that events contain. */
export function toEventRepository(record: RepositoryRecord): EventRepository {
  const { id, origin, hostId, fullName, defaultBranch, url, private: isPrivate, owner } = record;
  return { id, origin, hostId, fullName, defaultBranch, url, private: isPrivate, owner };
}

/** Returns the ids of all repositories of a partition, in the order of the ids. */
export function listRepositoryIds(partition: Partition): string[] {
  return [...partition.tables.repositories.getKeys({})] as string[];
}
