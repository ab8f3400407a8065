/**
 * Folds the checks of drafts: requests a check after the data of a repository has changed, and stores which drafts are
 * outdated and why. Only a verdict about the current generated text counts.
 */
import { isDeepStrictEqual } from 'node:util';
import { digestOf } from '../../src/foundation/etag.ts';
import type { OutdatedReason } from '../../src/protocol/outdated.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { DraftRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { hasDraft, readDraft, writeDraft } from '../../src/store/tables/drafts.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { hasRanges, listRangeIds } from '../../src/store/tables/ranges.ts';
import { writeDraftResponse } from '../../src/store/tables/responses.ts';
import { requestRefresh } from './automation.ts';
import { eventFor } from './directory-relays.ts';

/** Requests a check of a repository's drafts, if it has any. A single check serves all requests before it runs. */
export function requestCheck(partition: Partition, repoId: string): void {
  if (!hasRanges(partition, repoId)) return;
  if (listRangeIds(partition, repoId).some((rangeId) => hasDraft(partition, rangeId)))
    writeEffect(partition, { effect: 'outdated', repoId }, `outdated ${repoId}`);
}

/** Stores the verdicts of a check. A draft that was being generated during the check is checked again. */
export function checked(
  partition: Partition,
  { repoId, drafts }: Extract<ResultBody, { result: 'checked' }>,
  at: number,
): void {
  let again = false;
  for (const { draftId, base, because } of drafts) {
    const draft = readDraft(partition, draftId);
    if (!draft) continue;
    if (draft.status === 'processing') {
      if (!draft.unchecked) writeDraft(partition, { ...draft, unchecked: true });
    } else if (base === null) again = true;
    else if (base === digestOf(draft.generatedMd)) {
      const { outdatedBecause: before = [], ...rest } = draft;
      if (isDeepStrictEqual(before, because)) continue;
      const saved = writeDraft(partition, { ...rest, ...(because.length > 0 && { outdatedBecause: because }) });
      writeDraftResponse(partition, saved);
      if (before.length === 0) reportOutdated(partition, saved, because, at);
    }
  }
  if (again) requestCheck(partition, repoId);
  if (drafts.some(({ because }) => because.length > 0)) requestRefresh(partition, repoId);
}

/** Sends the event `draft.outdated` for a draft that was not outdated before. */
function reportOutdated(
  partition: Partition,
  { id: draftId, persona, rangeId: releaseRangeId, repoId }: DraftRecord,
  because: OutdatedReason[],
  at: number,
): void {
  eventFor(partition, repoId, 'draft.outdated', at, { draftId, persona, releaseRangeId, because });
}
