/**
 * Folds the outcomes of effects: rendered and checked drafts, fresh counts, evaluations of rules, and relays that
 * arrived. Outcomes of publications are in a file of their own. The first outcome of a ticket counts. A late or
 * duplicate outcome, or an outcome of a row that was replaced, changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { nameIn, unreachable } from '../../src/foundation/unreachable.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { RangeRecord } from '../../src/protocol/stored.ts';
import type { WebhookData } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { removeEffect, removeRelays } from '../../src/store/tables/outbox.ts';
import { readErasedRecount, readRange, writeErasedRecount, writeRange } from '../../src/store/tables/ranges.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { writeRangeResponse } from '../../src/store/tables/responses.ts';
import { automated, requestRefresh } from './automation.ts';
import { eventFor } from './directory-relays.ts';
import { checked, requestCheck } from './draft-checks.ts';
import { rendered, renderFailed } from './drafts.ts';
import { noteChecked } from './note-checks.ts';
import { foldOwnerAnswer } from './owners.ts';
import { publicationSending, published, publishFailed } from './publication-outcomes.ts';
import { lossAfter } from './range-losses.ts';
import { reachTag } from './ranges.ts';
import { foldAttempted } from './webhook-deliveries.ts';

type Outcome<Name extends ResultBody['result']> = Extract<ResultBody, { result: Name }>;

/** Folds one outcome at time `at`. */
export function foldOutcome(partition: Partition, outcome: ResultBody, at: number): void {
  switch (outcome.result) {
    case 'relayed':
      return removeRelays(partition, outcome.target, outcome.row);
    case 'publicationSending':
      return publicationSending(partition, outcome, at);
    case 'published':
      return published(partition, outcome, at);
    case 'publishFailed':
      return publishFailed(partition, outcome, at);
    case 'webhookAttempted':
      return foldAttempted(partition, outcome, at);
    case 'ownerAnswered':
      return foldOwnerAnswer(partition, outcome, at);
    case 'rendered':
      removeEffect(partition, outcome.row);
      return rendered(partition, outcome, at);
    case 'renderFailed':
      removeEffect(partition, outcome.row);
      return renderFailed(partition, outcome, at);
    case 'recounted':
      removeEffect(partition, outcome.row);
      return recounted(partition, outcome, at);
    case 'checked':
      removeEffect(partition, outcome.row);
      return checked(partition, outcome, at);
    case 'automated':
      return automated(partition, outcome, at);
    case 'noteChecked':
      return noteChecked(partition, outcome, at);
    default:
      return unreachable(outcome, `Unknown kind of result: ${nameIn(outcome, 'result')}.`);
  }
}

function recounted(partition: Partition, outcome: Outcome<'recounted'>, at: number): void {
  const { repoId } = outcome;
  const url = readRepository(partition, repoId)?.url ?? '';
  for (const { rangeId, becomes, openEnds, ...numbers } of outcome.counts) {
    const stored = readRange(partition, rangeId);
    if (!stored) continue;
    const range = becomes ? reachTag(partition, stored, becomes, at) : stored;
    // A range that has reached its tag has no open ends any more. If a range begins elsewhere than at the last count,
    // lower counts do not mean that records were erased.
    const counts = range.openEnds && openEnds ? { ...numbers, openEnds } : numbers;
    const { lost: _, assumed, ...rest } = range;
    const isComparable = !becomes && range.openEnds?.fromTag === openEnds?.fromTag;
    const lost = isComparable ? lossAfter(partition, range, numbers, at) : range.lost;
    const fresh = { ...rest, ...counts, ...(lost && { lost }) };
    const sameCounts =
      range.prCount === counts.prCount &&
      range.issueCount === counts.issueCount &&
      range.resolution === counts.resolution &&
      assumed === counts.assumed;
    const same = sameCounts && range === stored && isDeepStrictEqual(range.openEnds, fresh.openEnds);
    // The reply for a range contains only the fields that `same` compares. A change of another field, such as `lost`,
    // does not require a new reply.
    if (same && fresh.commitCount === range.commitCount && lost === range.lost) continue;
    const written = same ? fresh : { ...fresh, updatedAt: at };
    writeRange(partition, written);
    if (same) continue;
    writeRangeResponse(partition, written, url);
    if (outcome.reports && !(sameCounts && range === stored)) reportChange(partition, stored, written, at);
  }
  if (outcome.checks) requestCheck(partition, repoId);
  // The branch has a new unreleased range as soon as the former one has reached its tag.
  if (outcome.counts.some(({ becomes }) => becomes)) requestRefresh(partition, repoId);
  const awaited = readErasedRecount(partition, repoId);
  // A failed recount returns no counts, so it cannot show which changes were lost. The recount that is due after a
  // sweep stays pending until a later recount succeeds.
  if (awaited > 0 && outcome.row >= awaited && outcome.counts.length > 0) writeErasedRecount(partition, repoId, 0);
}

/** Sends the event `range.changed` with the counts before and after a recount. */
function reportChange(partition: Partition, before: RangeRecord, after: RangeRecord, at: number): void {
  const { id: releaseRangeId, repoId } = before;
  const { span: _, ...bounds } = after.bounds;
  const counts = { before: countsOf(before), after: countsOf(after) };
  eventFor(partition, repoId, 'range.changed', at, { releaseRangeId, repoId, ...bounds, ...counts });
}

function countsOf({ prCount, issueCount, resolution, assumed }: RangeRecord): WebhookData['range.changed']['after'] {
  return { prCount, issueCount, resolution, ...(assumed && { assumed }) };
}
