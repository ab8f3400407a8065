/**
 * The changes task: returns one page of the changes that were considered for a range. For each change, it returns why
 * the notes contain the change or leave it out. For the whole range, it returns how well the changes are labeled.
 */
import { notFound } from '../../src/foundation/errors.ts';
import { explain } from '../../src/notes/draft/explain.ts';
import type { Change } from '../../src/protocol/notes.ts';
import type { Changes, ChangesTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readRange } from '../../src/store/tables/ranges.ts';

/**
 * Returns one page of a range's changes, with reasons. Only the requested page is sent from the thread.
 * @throws ServiceError `notFound` when the range or its repository no longer exists
 */
export function changes(partition: Partition, task: ChangesTask, beforeRead: () => void): Changes {
  const { rangeId } = task;
  const range = readRange(partition, rangeId);
  const view = range && RepositoryView.of(partition, range.repoId, beforeRead);
  if (!view) throw notFound('Release range', rangeId);
  const { changes: all, diagnostics } = explain(view, range.bounds);
  return { ...pageOfChanges([all], task), diagnostics };
}

/** Returns one page of the changes of several lists, and the number of the changes that the task asks for. */
export function pageOfChanges(
  lists: readonly (readonly Change[])[],
  { offset, limit, included }: Pick<ChangesTask, 'offset' | 'limit' | 'included'>,
): Pick<Changes, 'changes' | 'total'> {
  const changes: Change[] = [];
  let total = 0;
  for (const list of lists) {
    for (const change of list) {
      if (included !== undefined && change.included !== included) continue;
      if (total >= offset && changes.length < limit) changes.push(change);
      total += 1;
    }
  }
  return { changes, total };
}
