/**
 * Finds the organization of a render task: the owner of its repository, as stored in the partition. The organization is
 * used only to share the threads fairly. It grants no rights.
 */
import type { PoolTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';

/** Returns the organization of a repository. All unknown repositories share the empty string. */
export function organizationOf(partition: Partition, repoId: string): string {
  const repository = readRepository(partition, repoId);
  if (!repository) return '';
  const { origin, owner, claimedBy } = repository;
  // The tasks of a claimed repository count as tasks of the claimant. They do not count as tasks of the owner that the
  // claimant names, because a claim is not a proof.
  return claimedBy ?? `${origin} ${owner.id}`;
}

/**
 * Returns the organization for which a task runs. A task such as a dry run of a sweep runs for the service itself. For
 * such a task, the result is empty.
 */
export function organizationOfTask(partition: Partition, work: PoolTask['work']): string {
  if (work.task === 'due') return '';
  if ('repoId' in work) return organizationOf(partition, work.repoId);
  if (work.task === 'entries') return organizationOf(partition, readDraft(partition, work.draftId)?.repoId ?? '');
  return organizationOf(partition, readRange(partition, work.rangeId)?.repoId ?? '');
}
