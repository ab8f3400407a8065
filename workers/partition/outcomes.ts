/**
 * Folds the outcomes of effects: rendered drafts, fresh counts, relays that arrived; those of publications in a
 * file of their own. The first outcome of a ticket wins; one
 * that comes late, twice or for a replaced row changes nothing.
 */
import type { ResultBody } from '../../src/protocol/results.ts';
import { removeEffect, removeRelays } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readRange, writeRange } from '../../src/store/ranges.ts';
import { readRepository } from '../../src/store/repositories.ts';
import { writeRangeResponse } from '../../src/store/responses.ts';
import { rendered, renderFailed } from './drafts.ts';
import { foldOwnerAnswer } from './owners.ts';
import { publicationSending, published, publishFailed } from './publication-outcomes.ts';
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
  const url = readRepository(partition, outcome.repoId)?.url ?? '';
  for (const { rangeId, ...counts } of outcome.counts) {
    const range = readRange(partition, rangeId);
    if (!range) continue;
    const same =
      range.prCount === counts.prCount &&
      range.issueCount === counts.issueCount &&
      range.resolution === counts.resolution;
    if (same) continue;
    const fresh = { ...range, ...counts, updatedAt: at };
    writeRange(partition, fresh);
    writeRangeResponse(partition, fresh, url);
  }
}
