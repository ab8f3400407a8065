/**
 * Whose a render task is: the organisation that owns its repository, as the partition knows it. Nothing is allowed by it; it decides
 * about turns alone.
 */
import type { PoolTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';

/** The organisation of a repository; of one that is not known, none, which is one for all of them. */
export function organisationOf(partition: Partition, repoId: string): string {
  const repository = readRepository(partition, repoId);
  if (!repository) return '';
  const { origin, owner, claimedBy } = repository;
  // Whoever only claims the owner's number takes turns for itself.
  return claimedBy ?? `${origin} ${owner.id}`;
}

/** The organisation of a task; what no organisation asks for, such as a dry run of a sweep, is of none. */
export function organisationOfTask(partition: Partition, work: PoolTask['work']): string {
  if (work.task === 'due') return '';
  if ('repoId' in work) return organisationOf(partition, work.repoId);
  return organisationOf(partition, readRange(partition, work.rangeId)?.repoId ?? '');
}
