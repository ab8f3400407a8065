/** The recount task: counts every range of a repository again after records of the repository changed. */
import { select } from '../../src/notes/range/select.ts';
import type { RangeCount, RecountTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { listRanges } from '../../src/store/tables/ranges.ts';
import { countsOf } from './preview.ts';

/**
 * Returns the current counts of pull requests, issues and commits for each range of a repository. Returns an empty list
 * if the partition does not have the repository.
 */
export function recount(partition: Partition, { repoId }: RecountTask, beforeRead?: () => void): RangeCount[] {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) return [];
  return listRanges(partition, repoId).map(({ id: rangeId, bounds }) => {
    const selection = select(view, bounds);
    return { rangeId, ...countsOf(selection), commitCount: selection.commitsWithoutPull.length };
  });
}
