/** The note task: previews what the notes say about one pull request, and the verdict of the release note check. */
import { notFound } from '../../src/foundation/errors.ts';
import { previewEntry } from '../../src/notes/draft/preview-entry.ts';
import type { PullNote } from '../../src/protocol/pull-note.ts';
import type { PullNoteTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readNoteCheck } from '../../src/store/tables/note-checks.ts';

/**
 * Returns the preview of a pull request, and what its check has written to the host.
 * @throws ServiceError `notFound` for a number that is not captured, and for a repository that no longer exists
 */
export function pullNote(partition: Partition, { repoId, number }: PullNoteTask, beforeRead: () => void): PullNote {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  const note = view && previewEntry(view, number);
  if (!note) throw notFound('Pull request', String(number));
  const check = readNoteCheck(partition, repoId, number);
  return { ...note, onHost: check ? { headSha: check.headSha ?? null, error: check.error } : null };
}
