/**
 * Asks the owners of all partitions what retention would erase now: stale records by repository, and, for organisations
 * whose time is over, what their repositories hold. Changes nothing.
 */
import { partitionOf, slotOfId } from '../foundation/ids.ts';
import type { Due, RepositoryCounts, Share } from '../protocol/retention.ts';
import type { DueTask } from '../protocol/tasks.ts';
import type { Journal } from './connect.ts';
import { ask } from './query.ts';
import { type PartitionName, partitionName } from './subjects.ts';

/** What one partition would lose. */
export interface PartitionDue extends Due {
  partition: PartitionName;
}

/**
 * Asks each partition of repositories.
 * @param before day before which a last sync is too old
 * @param repositories ids of those that would go as a whole
 * @throws ServiceError `unavailable` when an owner does not answer
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
      const mine = repositories.filter((id) => partitionOf(slotOfId(id) as number, partitions) === number);
      const task: DueTask = { task: 'due', before, repositories: mine };
      return { partition, ...(await ask<DueTask, Due>(journal, partition, task)) };
    }),
  );
}

/** Repositories that have notes on pages, of those that were asked for. */
export function withHostedNotes(due: readonly PartitionDue[]): Set<string> {
  return new Set(due.flatMap(({ whole }) => whole.flatMap((each) => (each.hostedNotes ? [each.repoId] : []))));
}

/** What would go of each partition with the repositories named, of how many records. */
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
