/** The task that counts what was merged to a repository's default branch since its newest release. */
import { notFound } from '../../src/foundation/errors.ts';
import { diagnose } from '../../src/notes/draft/diagnose.ts';
import { gather } from '../../src/notes/draft/gather.ts';
import type { UnreleasedCount, UnreleasedCountTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { countsOf } from './preview.ts';

/**
 * Returns the unreleased changes of a repository and the release that they begin with. Both are those of a preview of
 * the unreleased range (`range-preview.ts`).
 * @throws ServiceError `notFound` for a repository that has not sent an event yet
 */
export function countUnreleased(
  partition: Partition,
  { repoId }: UnreleasedCountTask,
  beforeRead: () => void,
): UnreleasedCount {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) throw notFound('Repository', repoId);
  const notes = gather(view, { type: 'UNRELEASED' });
  const { prCount: pulls, issueCount: issues } = countsOf(notes.selection);
  const { changes, dependencyUpdates, unlabelled } = diagnose(notes);
  const tag = notes.selection.ends?.from;
  return {
    lastTag: tag ? { name: tag.name, date: tag.date ?? tag.pushedAt } : null,
    unreleased: {
      pulls,
      issues,
      commits: notes.selection.commitsWithoutPull.length,
      changes,
      dependencyUpdates,
      unlabelled,
    },
  };
}
