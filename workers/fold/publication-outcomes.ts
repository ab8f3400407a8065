/**
 * Folds the reports of a publisher about its attempts: started, succeeded, or failed. Each attempt has a number, so a
 * late or duplicate report changes nothing (`docs/architecture.md` decision 24).
 */

import { publicationsDoubled } from '../../src/foundation/metrics.ts';
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { Partition } from '../../src/store/partition.ts';
import { draftsOf } from '../../src/store/tables/drafts.ts';
import { writeHostedNote } from '../../src/store/tables/hosted-notes.ts';
import { readFoldVersion } from '../../src/store/tables/lead.ts';
import { countPublicationWaits } from '../../src/store/tables/publication-waits.ts';
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
import { count } from './counting.ts';
import { countFor } from './directory-relays.ts';
import { reportFailed, reportPublished } from './publication-events.ts';

type Outcome<Name extends ResultBody['result']> = Extract<ResultBody, { result: Name }>;

/** Maximum number of attempts that are listed in a publication. */
const maxListedAttempts = 20;
const interrupted = 'The service stopped during this attempt.';

/**
 * Stores the beginning of an attempt. If an earlier run of the worker left an attempt open, this function ends that
 * attempt.
 */
export function publicationSending(partition: Partition, outcome: Outcome<'publicationSending'>, at: number): void {
  const { publicationId, attempt, by, recipients } = outcome;
  const before = readPublication(partition, publicationId);
  if (!before || hasEnded(before) || attempt !== before.attempted + 1) return;
  const attempts = [...endLast(before, at, interrupted), { at, endedAt: null, error: null }].slice(-maxListedAttempts);
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

/**
 * Records the success of an attempt. Only the first success of a publication is counted in the statistics. A process that
 * was frozen can report its success after another process has ended its attempt as unknown. The item exists then, so the
 * publication is completed after all.
 */
export function published(partition: Partition, outcome: Outcome<'published'>, at: number): void {
  const before = readPublication(partition, outcome.publicationId);
  if (!before) return;
  if (before.sending?.attempt !== outcome.attempt && !isLateSuccess(partition, before, outcome.attempt)) {
    if (isSecondItem(before, outcome)) count(partition, publicationsDoubled, { channel: before.channel });
    return;
  }
  const { url, reference, counts, page } = outcome;
  const after: PublicationRecord = {
    ...before,
    ...{ status: 'completed', sending: null, nextAttemptAt: null, error: null, outcomeUnknown: false },
    attempts: succeededLast(before, at),
    url: url ?? before.url,
    counts,
    publishedAt: at,
    updatedAt: at,
  };
  writePublication(partition, after);
  if (outcome.reached) noteReached(partition, after, outcome.reached);
  if (reference !== null) writeReference(partition, after, reference);
  if (page) writeHostedNote(partition, { ...page, ...placeOf(after) }, at);
  reportPublished(partition, after, at);
  if (before.publishedAt !== null) return;
  countPublicationWaits(partition, after, at);
  countPublication(partition, after, outcome.countsRanges === true, at);
}

/** Whether an attempt has succeeded that another process had ended as unknown. */
function isLateSuccess(partition: Partition, before: PublicationRecord, attempt: number): boolean {
  if (readFoldVersion(partition) < 1) return false;
  return before.status === 'failed' && before.outcomeUnknown && before.attempted === attempt;
}

/** Whether an older attempt has created an item besides the item of a later attempt. */
function isSecondItem(before: PublicationRecord, { attempt, url }: Outcome<'published'>): boolean {
  return before.status === 'completed' && attempt < before.attempted && url !== null && url !== before.url;
}

/**
 * Counts a publication once. The first publication of a range also counts as a release. Deleting the publication or the
 * range does not lower the counts.
 */
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

/**
 * Marks a range as published. Returns whether the range was not published before. Earlier versions of Tidings did not
 * mark ranges, so the publications of the range are checked too.
 */
function markPublished(partition: Partition, { id, repoId, rangeId }: PublicationRecord, at: number): boolean {
  const range = readRange(partition, rangeId);
  if (!range || range.publishedAt !== undefined) return false;
  writeRange(partition, { ...range, publishedAt: at });
  const isEarlier = (other: PublicationRecord): boolean => other.id !== id && other.publishedAt !== null;
  return !draftsOf(rangeId).some((draft) => listPublications(partition, repoId, draft).some(isEarlier));
}

/** Returns the page that a publication writes to. */
function placeOf({ id: publicationId, repoId, personaPath: path }: PublicationRecord) {
  return { repoId, publicationId, ...(path !== undefined && { path }) };
}

/**
 * Stores that an attempt failed or could not begin. If a newer publication of the same draft to the same receiver is
 * under way, the failed publication is not tried again.
 */
export function publishFailed(partition: Partition, outcome: Outcome<'publishFailed'>, at: number): void {
  const before = readPublication(partition, outcome.publicationId);
  if (!before || hasEnded(before) || outcome.attempt !== (before.sending?.attempt ?? 0)) return;
  const { retryAt, unknown, error } = outcome;
  const newer = retryAt === null ? undefined : rivals(partition, before).find(({ id }) => id > before.id);
  const isRetried = retryAt !== null && !newer;
  if (outcome.reached) noteReached(partition, before, outcome.reached);
  const after: PublicationRecord = {
    ...before,
    status: isRetried ? before.status : 'failed',
    sending: null,
    attempts: endLast(before, at, error),
    error: newer ? `Publication ${newer.id} of the same draft replaced this one. ${error}` : error,
    nextAttemptAt: isRetried ? retryAt : null,
    outcomeUnknown: unknown,
    updatedAt: at,
  };
  writePublication(partition, after);
  if (!isRetried && outcome.reports) reportFailed(partition, after, at, newer?.id ?? null);
}

/** Returns the attempts. The last attempt has succeeded, even if it was ended as unknown before. */
function succeededLast({ attempts }: PublicationRecord, at: number): PublicationRecord['attempts'] {
  const last = attempts.at(-1);
  return last ? [...attempts.slice(0, -1), { ...last, endedAt: at, error: null }] : attempts;
}

/** Returns the attempts. If the last attempt is open, it is returned as ended. */
function endLast({ attempts }: PublicationRecord, at: number, error: string | null): PublicationRecord['attempts'] {
  const last = attempts.at(-1);
  return last && last.endedAt === null ? [...attempts.slice(0, -1), { ...last, endedAt: at, error }] : attempts;
}
