/**
 * The changes task: one page of all that was looked at for a range, each with the reason why it is in the notes or not, and how well
 * all of it is labelled.
 */
import { notFound } from '../../src/foundation/errors.ts';
import { explain } from '../../src/notes/draft/explain.ts';
import type { Changes, ChangesTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readRange } from '../../src/store/tables/ranges.ts';

/**
 * Explains a range; only the page asked for crosses the border.
 * @throws ServiceError `notFound` when the range or its repository is gone
 */
export function changes(partition: Partition, task: ChangesTask, beforeRead: () => void): Changes {
  const { rangeId, offset, limit, included } = task;
  const range = readRange(partition, rangeId);
  const view = range && RepositoryView.of(partition, range.repoId, beforeRead);
  if (!view) throw notFound('Release range', rangeId);
  const { changes: all, diagnostics } = explain(view, range.bounds);
  const wanted = included === undefined ? all : all.filter((change) => change.included === included);
  return { changes: wanted.slice(offset, offset + limit), total: wanted.length, diagnostics };
}
