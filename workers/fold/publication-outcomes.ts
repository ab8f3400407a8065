/**
 * Folds what a publisher tells of its attempts: one begins, arrived, or failed. An attempt is known by its number, so what
 * comes late or twice changes nothing (`docs/architecture.md` decision 24).
 */

import type { PublicationRecord } from '../../src/protocol/publications.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { Partition } from '../../src/store/partition.ts';
import { draftsOf } from '../../src/store/tables/drafts.ts';
import { writeHostedNote } from '../../src/store/tables/hosted-notes.ts';
import {
  hasEnded,
  listPublications,
  readPublication,
  rivals,
  writePublication,
  writeReference,
} from '../../src/store/tables/publications.ts';
import { readRange, writeRange } from '../../src/store/tables/ranges.ts';
import { noteReached, noteSending } from '../../src/store/tables/recipients.ts';
import { eventFor } from '../partition/event.ts';
import { countFor } from './directory-relays.ts';

type Outcome<Name extends ResultBody['result']> = Extract<ResultBody, { result: Name }>;

/** Attempts that a record tells of. */
const attemptsTold = 20;
const interrupted = 'The service was ended during this attempt.';

/** An attempt begins. It ends one that an earlier life of the worker has left open. */
export function publicationSending(partition: Partition, outcome: Outcome<'publicationSending'>, at: number): void {
  const { publicationId, attempt, by, recipients } = outcome;
  const before = readPublication(partition, publicationId);
  if (!before || hasEnded(before) || attempt !== before.attempted + 1) return;
  const attempts = [...endLast(before, at, interrupted), { at, endedAt: null, error: null }].slice(-attemptsTold);
  writePublication(partition, {
    ...before,
    status: 'processing',
    sending: { attempt, by, ...(recipients && { recipients }) },
    attempted: attempt,
    tries: before.tries + 1,
    attempts,
    nextAttemptAt: null,
    updatedAt: at,
  });
  if (recipients) noteSending(partition, before, recipients);
}

/** An attempt arrived; the first one that does is counted. */
export function published(partition: Partition, outcome: Outcome<'published'>, at: number): void {
  const before = readPublication(partition, outcome.publicationId);
  if (!before || before.sending?.attempt !== outcome.attempt) return;
  const { url, reference, counts, page } = outcome;
  const after: PublicationRecord = {
    ...before,
    ...{ status: 'completed', sending: null, nextAttemptAt: null, error: null, outcomeUnknown: false },
    attempts: endLast(before, at, null),
    url: url ?? before.url,
    counts,
    publishedAt: at,
    updatedAt: at,
  };
  writePublication(partition, after);
  if (outcome.reached) noteReached(partition, after, outcome.reached);
  if (reference !== null) writeReference(partition, after, reference);
  if (page) writeHostedNote(partition, { ...page, ...placeOf(after) }, at);
  tellOf(partition, after, at);
  if (before.publishedAt === null) countPublication(partition, after, outcome.countsRanges === true, at);
}

/** Counts a publication once, and with the first one of its range the release. Deleting either of them takes nothing back. */
function countPublication(
  partition: Partition,
  publication: PublicationRecord,
  countsRanges: boolean,
  at: number,
): void {
  const { repoId } = publication;
  if (!countsRanges) return countFor(partition, repoId, { counter: 'publishedReleases' }, at);
  const isFirst = markPublished(partition, publication, at);
  countFor(partition, repoId, { counter: 'publications', ...(isFirst && { isRelease: true }) }, at);
}

/** Notes on a range that it is published; whether it was not before. Earlier versions noted nothing: their publications tell. */
function markPublished(partition: Partition, { id, repoId, rangeId }: PublicationRecord, at: number): boolean {
  const range = readRange(partition, rangeId);
  if (!range || range.publishedAt !== undefined) return false;
  writeRange(partition, { ...range, publishedAt: at });
  const isEarlier = (other: PublicationRecord): boolean => other.id !== id && other.publishedAt !== null;
  return !draftsOf(rangeId).some((draft) => listPublications(partition, repoId, draft).some(isEarlier));
}

/** The page that a publication writes to. */
function placeOf({ id: publicationId, repoId, personaPath: path }: PublicationRecord) {
  return { repoId, publicationId, ...(path !== undefined && { path }) };
}

/** Whoever asks for a publication once more publishes once more, though it counts once. */
function tellOf(partition: Partition, publication: PublicationRecord, at: number): void {
  const { id: publicationId, repoId, draftId, persona, rangeId: releaseRangeId, channel, url } = publication;
  eventFor(partition, repoId, 'draft.published', at, { draftId, persona, releaseRangeId, channel, url, publicationId });
}

/** An attempt failed, or could not begin. One that would be made again gives way to a newer publication that waits. */
export function publishFailed(partition: Partition, outcome: Outcome<'publishFailed'>, at: number): void {
  const before = readPublication(partition, outcome.publicationId);
  if (!before || hasEnded(before) || outcome.attempt !== (before.sending?.attempt ?? 0)) return;
  const { retryAt, unknown, error } = outcome;
  const newer = retryAt === null ? undefined : rivals(partition, before).find(({ id }) => id > before.id);
  const goesOn = retryAt !== null && !newer;
  if (outcome.reached) noteReached(partition, before, outcome.reached);
  writePublication(partition, {
    ...before,
    status: goesOn ? before.status : 'failed',
    sending: null,
    attempts: endLast(before, at, error),
    error: newer ? `Publication ${newer.id} of the same draft took its place. ${error}` : error,
    nextAttemptAt: goesOn ? retryAt : null,
    outcomeUnknown: unknown,
    updatedAt: at,
  });
}

/** The attempts, the last one ended if it was open. */
function endLast({ attempts }: PublicationRecord, at: number, error: string | null): PublicationRecord['attempts'] {
  const last = attempts.at(-1);
  return last && last.endedAt === null ? [...attempts.slice(0, -1), { ...last, endedAt: at, error }] : attempts;
}
