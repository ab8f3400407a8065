/**
 * Asks the owners of all partitions which records a retention sweep would erase now. The answers contain the stale
 * records, counted per repository, and the repositories that would be erased completely. A repository is erased
 * completely when the retention period of its organization has ended. Asking changes nothing.
 */
import { partitionOf, slotInside } from '../foundation/ids.ts';
import { type PartitionName, partitionName } from '../foundation/partition-names.ts';
import type { Due, RepositoryCounts, Share } from '../protocol/retention.ts';
import type { DueTask } from '../protocol/tasks.ts';
import type { Journal } from './connect.ts';
import { ask } from './query.ts';

/** The records that would be erased from one partition. */
export interface PartitionDue extends Due {
  partition: PartitionName;
}

/**
 * Asks the owner of each partition which records would be erased now.
 * @param before records are stale if their last sync was before this day
 * @param repositories ids of the repositories that would be erased completely
 * @throws ServiceError `unavailable` if an owner does not answer
 */
export function askDue(
  journal: Journal,
  partitions: number,
  before: number,
  repositories: readonly string[],
): Promise<PartitionDue[]> {
  return Promise.all(
    Array.from({ length: partitions }, async (_, number) => {
      const partition = partitionName(number);
      const mine = repositories.filter((id) => partitionOf(slotInside(id), partitions) === number);
      const task: DueTask = { task: 'due', before, repositories: mine };
      return { partition, ...(await ask<DueTask, Due>(journal, partition, task)) };
    }),
  );
}

/** Returns the ids of the repositories that would be erased completely and have notes on published pages. */
export function withHostedNotes(due: readonly PartitionDue[]): Set<string> {
  return new Set(due.flatMap(({ whole }) => whole.flatMap((each) => (each.hostedNotes ? [each.repoId] : []))));
}

/**
 * Returns two numbers for each partition: `total` counts all records, and `records` counts the records that would be
 * erased together with their whole repository. Partitions in which no whole repository would be erased are left out.
 */
export function sharesOf(due: readonly PartitionDue[]): Share[] {
  return due
    .filter(({ whole }) => whole.length > 0)
    .map(({ partition, whole, total }) => ({ partition, records: sum(whole), total }));
}

function sum(repositories: readonly RepositoryCounts[]): number {
  return repositories.reduce(
    (all, { counts }) => all + counts.pulls + counts.issues + counts.comments + counts.commits,
    0,
  );
}
