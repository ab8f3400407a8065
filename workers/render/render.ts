/** The render task: composes a draft's text and flags from one repository view, range and persona. */
import { notFound } from '../../src/foundation/errors.ts';
import { compose } from '../../src/notes/draft/compose.ts';
import type { Rendered, RenderTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
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
  const { bodyMd, flags } = compose(view, range.bounds, task.persona);
  return { bodyMd, flags, inputSeq: readCursor(partition).seq };
}
