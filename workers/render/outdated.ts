/**
 * The outdated task: checks for each draft of a repository whether a generation would give another text now, and why.
 * Each range is gathered once for all its personas.
 */
import { digestOf } from '../../src/foundation/etag.ts';
import { textOf } from '../../src/notes/draft/compose.ts';
import { gather, type Notes } from '../../src/notes/draft/gather.ts';
import { outdatedBecause } from '../../src/notes/draft/outdated.ts';
import type { DraftVerdict } from '../../src/protocol/outdated.ts';
import type { DraftRecord, RangeRecord } from '../../src/protocol/stored.ts';
import type { OutdatedTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readFacts } from '../../src/store/tables/draft-facts.ts';
import { draftsOf, hasDraft, readDraft } from '../../src/store/tables/drafts.ts';
import { listRanges } from '../../src/store/tables/ranges.ts';

/**
 * Maximum number of ranges with drafts that a check reads, newest first. The drafts of older ranges keep their verdicts.
 * At 60 ms per range, a check of all of them ends within the time limit of a task.
 */
const maxRanges = 100;

/**
 * Returns the drafts whose verdict differs from the stored one, and those that are being generated. A range that has lost
 * changes to retention is left out, because its drafts cannot be generated without these changes.
 */
export function checkDrafts(partition: Partition, { repoId }: OutdatedTask, beforeRead: () => void): DraftVerdict[] {
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!view) return [];
  const ranges = listRanges(partition, repoId).filter(({ id, lost }) => !lost && hasDraft(partition, id));
  return ranges
    .reverse()
    .slice(0, maxRanges)
    .flatMap((range) => checkRange(partition, view, range));
}

function checkRange(partition: Partition, view: RepositoryView, { id, bounds }: RangeRecord): DraftVerdict[] {
  const drafts = draftsOf(id).flatMap((draftId) => readDraft(partition, draftId) ?? []);
  let gathered: Notes | undefined;
  return drafts.flatMap((draft): DraftVerdict[] => {
    if (draft.status === 'processing') return [{ draftId: draft.id, base: null, because: [] }];
    if (draft.status !== 'ready') return [];
    gathered ??= gather(view, bounds);
    const because = verdict(partition, gathered, draft);
    const isKnown = JSON.stringify(because) === JSON.stringify(draft.outdatedBecause ?? []);
    return isKnown ? [] : [{ draftId: draft.id, base: digestOf(draft.generatedMd), because }];
  });
}

function verdict(partition: Partition, notes: Notes, { id, persona, generatedMd }: DraftRecord) {
  const now = textOf(notes, persona);
  return outdatedBecause(notes, generatedMd, now, readFacts(partition, id, generatedMd));
}
