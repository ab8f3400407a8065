/**
 * Folds release ranges: their creation, and the arrival of the tag that an unreleased range was heading for. The range
 * and its drafts then belong to the tag, and edits of people are kept.
 */
import { ServiceError } from '../../src/foundation/errors.ts';
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { RangeRecord, ReachedBounds } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { draftsOf, readDraft } from '../../src/store/tables/drafts.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { countRanges, readRange, writeRange } from '../../src/store/tables/ranges.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { rangeResponse, writeRangeResponse } from '../../src/store/tables/responses.ts';
import { readUnreleased, removeUnreleased, writeUnreleased } from '../../src/store/tables/unreleased-ranges.ts';
import { noteReached } from './automation.ts';
import { eventFor } from './directory-relays.ts';
import { openTicket } from './drafts.ts';
import { missing, refused } from './refusals.ts';

/** Creates a range. Each branch and pattern has one unreleased range, so a second one is the first one. */
export function createRange(
  partition: Partition,
  command: Extract<Command, { name: 'createRange' }>,
  at: number,
): CommandResult {
  const repository = readRepository(partition, command.repoId);
  if (!repository) return missing('Repository', command.repoId);
  const { bounds, repoId, most: maxRanges, elsewhere = 0 } = command;
  const isOpen = bounds.type === 'UNRELEASED';
  const existing = isOpen && readRange(partition, readUnreleased(partition, repoId, bounds) ?? '');
  if (existing) return { ok: true, value: rangeResponse(existing, repository.url) };
  if (maxRanges && countRanges(partition, repoId) + elsewhere >= maxRanges) {
    return refused(
      new ServiceError('conflict', `An organization has at most ${maxRanges} release ranges (TIDINGS_MAX_RANGES).`),
    );
  }
  const { prCount, issueCount, resolution, assumed, openEnds } = command;
  const counts = { prCount, issueCount, resolution, ...(assumed && { assumed }), ...(openEnds && { openEnds }) };
  const range = { id: command.rangeId, repoId, bounds, ...counts, createdAt: at, updatedAt: at };
  writeRange(partition, range);
  if (isOpen) writeUnreleased(partition, repoId, bounds, range.id);
  writeRangeResponse(partition, range, repository.url);
  // The range was counted before this record was enqueued. Events folded since then may have changed the counts, so a
  // recount is requested.
  writeEffect(partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  const response = rangeResponse(range, repository.url);
  reportRange(partition, range, response.compareUrl as string | undefined, at);
  return { ok: true, value: response };
}

function reportRange(partition: Partition, range: RangeRecord, url: string | undefined, at: number): void {
  const { id, repoId, prCount, issueCount } = range;
  const { span: _, ...bounds } = range.bounds;
  const link = url === undefined ? {} : { compareUrl: url };
  eventFor(partition, repoId, 'range.created', at, {
    releaseRangeId: id,
    repoId,
    ...bounds,
    ...link,
    prCount,
    issueCount,
  });
}

/**
 * Turns an unreleased range into the range of its tag, and generates its drafts again. Returns the range that is
 * stored from now on. The range is unchanged if it is not unreleased any more, as after a repeated outcome.
 */
export function reachTag(partition: Partition, range: RangeRecord, becomes: ReachedBounds, at: number): RangeRecord {
  if (range.bounds.type !== 'UNRELEASED') return range;
  const { openEnds: _, ...rest } = range;
  const reached = { ...rest, bounds: becomes, updatedAt: at };
  removeUnreleased(partition, range.repoId, range.bounds);
  noteReached(partition, range.repoId, becomes.toTag, range.id);
  for (const id of draftsOf(range.id)) {
    const draft = readDraft(partition, id);
    // The ticket replaces one under way, because the render may have read the range before the tag arrived.
    if (draft) openTicket(partition, draft, `${range.id} ${becomes.toTag}`);
  }
  return reached;
}
