/**
 * The range preview task: counts and explains a range that need not exist, and suggests a version for it. It writes
 * nothing.
 */
import { notFound } from '../../src/foundation/errors.ts';
import type { Selection } from '../../src/notes/range/select.ts';
import type { RangePreview, RangePreviewTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { pageOfChanges } from './changes.ts';
import { inFull, type Summaries } from './ledgers.ts';
import { checkBounds, openEndsOf } from './preview.ts';

/**
 * Previews a range.
 * @throws ServiceError `notFound` for an unknown repository; `invalid` as for a new range (`preview.ts`)
 */
export function previewRange(
  partition: Partition,
  task: RangePreviewTask,
  beforeRead: () => void,
  summaries: Summaries = inFull,
): RangePreview {
  const { repoId, bounds } = task;
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) throw notFound('Repository', repoId);
  checkBounds(view, bounds);
  const summary = summaries.of(view, repoId, bounds);
  const { selection, prCount, issueCount, commitCount, suggestedVersion, diagnostics } = summary;
  const { resolution, assumed } = selection;
  const openEnds = openEndsOf(view, bounds, selection);
  return {
    ...{ prCount, issueCount, resolution, ...(assumed && { assumed }), commitCount },
    ...(openEnds && { openEnds }),
    since: sinceOf(selection),
    suggestedVersion,
    ...pageOfChanges(summary.changes, task),
    diagnostics,
  };
}

function sinceOf({ ends }: Pick<Selection, 'ends'>): RangePreview['since'] {
  const from = ends?.from;
  return from ? { tag: from.name, sha: from.sha, date: from.date ?? from.pushedAt } : null;
}
