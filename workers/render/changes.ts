/**
 * The changes task: returns one page of the changes that were considered for a range. For each change, it returns why
 * the notes contain the change or leave it out. For the whole range, it returns how well the changes are labeled.
 */
import { notFound } from '../../src/foundation/errors.ts';
import { type Explanation, explain } from '../../src/notes/draft/explain.ts';
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
  return pageOfChanges(explain(view, range.bounds), task);
}

/** Returns one page of the changes of an explanation. */
function pageOfChanges(
  { changes: all, diagnostics }: Explanation,
  { offset, limit, included }: Pick<ChangesTask, 'offset' | 'limit' | 'included'>,
): Changes {
  const wanted = included === undefined ? all : all.filter((change) => change.included === included);
  return { changes: wanted.slice(offset, offset + limit), total: wanted.length, diagnostics };
}
