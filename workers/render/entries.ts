/** The entries task: returns one page of a draft's entries as data. */
import { notFound } from '../../src/foundation/errors.ts';
import { entriesOfDraft } from '../../src/notes/draft/data.ts';
import type { Entries, EntriesTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { readRange } from '../../src/store/tables/ranges.ts';

/**
 * Returns one page of the entries of a draft. The facts are those of the data that is captured now.
 * @throws ServiceError `notFound` when the draft, its range or its repository no longer exists
 */
export function entries(partition: Partition, task: EntriesTask, beforeRead: () => void): Entries {
  const { draftId, offset, limit } = task;
  const draft = readDraft(partition, draftId);
  const range = draft && readRange(partition, draft.rangeId);
  const view = range && RepositoryView.of(partition, range.repoId, beforeRead);
  if (!draft || !view) throw notFound('Draft', draftId);
  const all = entriesOfDraft(view, range.bounds, draft);
  return { entries: all.slice(offset, offset + limit), total: all.length };
}
