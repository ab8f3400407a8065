/** The task that counts what was merged to a repository's default branch since its newest release. */
import { notFound } from '../../src/foundation/errors.ts';
import type { UnreleasedCount, UnreleasedCountTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { inFull, type Summaries } from './ledgers.ts';

/**
 * Returns the unreleased changes of a repository and the release that they begin with. Both are those of a preview of
 * the unreleased range (`range-preview.ts`).
 * @throws ServiceError `notFound` for a repository that has not sent an event yet
 */
export function countUnreleased(
  partition: Partition,
  { repoId }: UnreleasedCountTask,
  beforeRead: () => void,
  summaries: Summaries = inFull,
): UnreleasedCount {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) throw notFound('Repository', repoId);
  const summary = summaries.of(view, repoId, { type: 'UNRELEASED' });
  const { prCount: pulls, issueCount: issues, commitCount: commits, diagnostics, selection } = summary;
  const { changes, dependencyUpdates, unlabelled } = diagnostics;
  const tag = selection.ends?.from;
  return {
    lastTag: tag ? { name: tag.name, date: tag.date ?? tag.pushedAt } : null,
    unreleased: { pulls, issues, commits, changes, dependencyUpdates, unlabelled },
  };
}
