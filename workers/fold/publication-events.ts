/** Sends the events of publications to webhook endpoints: a publication was completed, or it ended as failed. */
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import type { Partition } from '../../src/store/partition.ts';
import { eventFor } from './directory-relays.ts';

/**
 * Sends the event `draft.published` to webhook endpoints. A publication that is sent again causes another event,
 * although it is counted only once.
 */
export function reportPublished(partition: Partition, publication: PublicationRecord, at: number): void {
  const { id: publicationId, repoId, draftId, persona, rangeId: releaseRangeId, channel, url } = publication;
  eventFor(partition, repoId, 'draft.published', at, { draftId, persona, releaseRangeId, channel, url, publicationId });
}

/**
 * Sends the event `publication.failed` to webhook endpoints. Attempts that are tried again cause no event.
 * @param replacedBy id of the newer publication because of which this one is not tried again
 */
export function reportFailed(
  partition: Partition,
  publication: PublicationRecord,
  at: number,
  replacedBy: string | null,
): void {
  const { id: publicationId, repoId, draftId, persona, rangeId: releaseRangeId, channel } = publication;
  const { error, outcomeUnknown, attempted: attempts } = publication;
  const what = { draftId, persona, releaseRangeId, repoId, publicationId, channel };
  eventFor(partition, repoId, 'publication.failed', at, {
    ...what,
    error: error ?? '',
    outcomeUnknown,
    attempts,
    replacedBy,
  });
}
