/** The render task: composes a draft's text and flags from one repository view, range and persona. */
import { conflictsOf } from '../../src/foundation/conflicts.ts';
import { notFound } from '../../src/foundation/errors.ts';
import { draftId } from '../../src/foundation/ids.ts';
import { markedIn } from '../../src/foundation/markers.ts';
import { compose } from '../../src/notes/draft/compose.ts';
import type { Rendered, RenderTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { readRange } from '../../src/store/tables/ranges.ts';

/**
 * Composes the draft of a range.
 * @throws ServiceError `notFound` when the range or its repository no longer exists
 */
export function render(partition: Partition, task: RenderTask, beforeRead: () => void): Rendered {
  const range = readRange(partition, task.rangeId);
  const view = range && RepositoryView.of(partition, range.repoId, beforeRead);
  if (!view) throw notFound('Release range', task.rangeId);
  const { bodyMd, flags, absent } = compose(view, range.bounds, task.persona, namedByEdit(partition, task));
  return { bodyMd, flags, absent, inputSeq: readCursor(partition).seq };
}

/** Returns the ids of the changes that an edited draft names. The result is empty for a draft that no one has edited. */
function namedByEdit(partition: Partition, { rangeId, persona }: RenderTask): string[] {
  const draft = readDraft(partition, draftId(rangeId, persona));
  if (!draft || draft.bodyMd === draft.generatedMd) return [];
  return [...markedIn(draft.generatedMd), ...markedIn(draft.bodyMd), ...conflictsOf(draft.bodyMd).map(({ id }) => id)];
}
