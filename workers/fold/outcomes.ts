/**
 * Folds the outcomes of effects: rendered drafts, fresh counts, relays that arrived; those of publications in a
 * file of their own. The first outcome of a ticket wins; one
 * that comes late, twice or for a replaced row changes nothing.
 */
import type { ResultBody } from '../../src/protocol/results.ts';
import type { Partition } from '../../src/store/partition.ts';
import { removeEffect, removeRelays } from '../../src/store/tables/outbox.ts';
import { readErasedRecount, readRange, writeErasedRecount, writeRange } from '../../src/store/tables/ranges.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { writeRangeResponse } from '../../src/store/tables/responses.ts';
import { rendered, renderFailed } from './drafts.ts';
import { foldOwnerAnswer } from './owners.ts';
import { publicationSending, published, publishFailed } from './publication-outcomes.ts';
import { lossAfter } from './range-losses.ts';
import { foldAttempted } from './webhook-deliveries.ts';

type Outcome<Name extends ResultBody['result']> = Extract<ResultBody, { result: Name }>;

/** Folds one outcome at time `at`. */
export function foldOutcome(partition: Partition, outcome: ResultBody, at: number): void {
  if (outcome.result === 'relayed') return removeRelays(partition, outcome.target, outcome.row);
  if (outcome.result === 'publicationSending') return publicationSending(partition, outcome, at);
  if (outcome.result === 'published') return published(partition, outcome, at);
  if (outcome.result === 'publishFailed') return publishFailed(partition, outcome, at);
  if (outcome.result === 'webhookAttempted') return foldAttempted(partition, outcome, at);
  if (outcome.result === 'ownerAnswered') return foldOwnerAnswer(partition, outcome, at);
  removeEffect(partition, outcome.row);
  if (outcome.result === 'rendered') rendered(partition, outcome, at);
  else if (outcome.result === 'renderFailed') renderFailed(partition, outcome, at);
  else if (outcome.result === 'recounted') recounted(partition, outcome, at);
  else throw new Error(`There is no result ${JSON.stringify((outcome as { result: unknown }).result)}.`);
}

function recounted(partition: Partition, outcome: Outcome<'recounted'>, at: number): void {
  const { repoId } = outcome;
  const url = readRepository(partition, repoId)?.url ?? '';
  for (const { rangeId, ...counts } of outcome.counts) {
    const range = readRange(partition, rangeId);
    if (!range) continue;
    const { lost: _, ...rest } = range;
    const lost = lossAfter(partition, range, counts, at);
    const fresh = { ...rest, ...counts, ...(lost && { lost }) };
    const same =
      range.prCount === counts.prCount &&
      range.issueCount === counts.issueCount &&
      range.resolution === counts.resolution;
    // Responses do not show the other fields.
    if (same && fresh.commitCount === range.commitCount && lost === range.lost) continue;
    const written = same ? fresh : { ...fresh, updatedAt: at };
    writeRange(partition, written);
    if (!same) writeRangeResponse(partition, written, url);
  }
  const awaited = readErasedRecount(partition, repoId);
  // A recount that failed has no counts, and does not say what was lost.
  if (awaited > 0 && outcome.row >= awaited && outcome.counts.length > 0) writeErasedRecount(partition, repoId, 0);
}
