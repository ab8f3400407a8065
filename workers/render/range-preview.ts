/**
 * The range preview task: counts and explains a range that need not exist, and suggests a version for it. It writes
 * nothing.
 */
import { notFound } from '../../src/foundation/errors.ts';
import { explainNotes } from '../../src/notes/draft/explain.ts';
import { gather } from '../../src/notes/draft/gather.ts';
import { suggestVersion } from '../../src/notes/draft/suggested-version.ts';
import type { Selection } from '../../src/notes/range/select.ts';
import type { RangePreview, RangePreviewTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { pageOfChanges } from './changes.ts';
import { checkBounds, countsOf, openEndsOf } from './preview.ts';

/**
 * Previews a range.
 * @throws ServiceError `notFound` for an unknown repository; `invalid` as for a new range (`preview.ts`)
 */
export function previewRange(partition: Partition, task: RangePreviewTask, beforeRead: () => void): RangePreview {
  const { repoId, bounds } = task;
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) throw notFound('Repository', repoId);
  checkBounds(view, bounds);
  const notes = gather(view, bounds);
  const { selection } = notes;
  const openEnds = openEndsOf(view, bounds, selection);
  return {
    ...countsOf(selection),
    commitCount: selection.commitsWithoutPull.length,
    ...(openEnds && { openEnds }),
    since: sinceOf(selection),
    suggestedVersion: suggestVersion(notes),
    ...pageOfChanges(explainNotes(notes), task),
  };
}

function sinceOf({ ends }: Selection): RangePreview['since'] {
  const from = ends?.from;
  return from ? { tag: from.name, sha: from.sha, date: from.date ?? from.pushedAt } : null;
}
