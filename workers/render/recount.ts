/** The recount task: counts every range of a repository again after records of the repository changed. */

import type { RangeSummary } from '../../src/notes/draft/ledger.ts';
import { arrivedTag } from '../../src/notes/range/ends.ts';
import { type Selection, select } from '../../src/notes/range/select.ts';
import type { OpenEnds, RangeBounds, RangeRecord, ReachedBounds } from '../../src/protocol/stored.ts';
import type { RangeCount, RecountTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { listRanges } from '../../src/store/tables/ranges.ts';
import { inFull, type Summaries } from './ledgers.ts';
import { countsOf, openEndsOf } from './preview.ts';

/**
 * Returns the current counts of pull requests, issues and commits for each range of a repository. Returns an empty list
 * if the partition does not have the repository.
 */
export function recount(
  partition: Partition,
  { repoId }: RecountTask,
  beforeRead?: () => void,
  summaries = inFull,
): RangeCount[] {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) return [];
  return listRanges(partition, repoId).map((range) => countRange(view, range, summaries));
}

function countRange(
  view: RepositoryView,
  { id: rangeId, repoId, bounds, openEnds: known }: RangeRecord,
  summaries: Summaries,
): RangeCount {
  const becomes = known && reachedBounds(view, bounds, known);
  const { selection, counts } = counted(
    view,
    rangeId,
    becomes ?? bounds,
    summaries.known(view, repoId, becomes ?? bounds),
  );
  if (becomes) return { ...counts, becomes };
  const openEnds = known && openEndsOf(view, bounds, selection);
  return openEnds ? { ...counts, openEnds: { ...openEnds, begunAt: known.begunAt } } : counts;
}

/** Counts a range. A preview of the range may have counted it before (`ledgers.ts`). */
function counted(
  view: RepositoryView,
  rangeId: string,
  bounds: RangeBounds,
  known: RangeSummary | undefined,
): { selection: Pick<Selection, 'ends'>; counts: RangeCount } {
  if (known) {
    const { selection, prCount, issueCount, commitCount } = known;
    const { resolution, assumed } = selection;
    return {
      selection,
      counts: { rangeId, prCount, issueCount, resolution, ...(assumed && { assumed }), commitCount },
    };
  }
  const selection = select(view, bounds);
  return { selection, counts: { rangeId, ...countsOf(selection), commitCount: selection.commitsWithoutPull.length } };
}

/** Returns the bounds that an unreleased range gets by the arrival of its tag; undefined if no tag has arrived. */
export function reachedBounds(view: RepositoryView, bounds: RangeBounds, ends: OpenEnds): ReachedBounds | undefined {
  const toTag = arrivedTag(view, bounds, ends)?.name;
  if (toTag === undefined) return undefined;
  const { fromTag } = ends;
  return fromTag === null ? { type: 'FIRST_RELEASE', toTag } : { type: 'TAG_BASED', fromTag, toTag };
}
