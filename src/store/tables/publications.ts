/**
 * Publications: by id, by repository and draft, by what is published where, and those under way, which have a table of their
 * own: one that waits an hour for its next attempt must not stand before renders in the outbox. Beside them stands what an
 * earlier publication of a draft left at a receiver.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { ChannelName } from '../../protocol/channels.ts';
import type { PublicationRecord } from '../../protocol/publications.ts';
import type { Partition } from '../partition.ts';

/** What makes two publications the same one. */
export type PublishedContent = Pick<PublicationRecord, 'repoId' | 'draftId' | 'revision' | 'channel' | 'asDraft'> & {
  connection: Pick<PublicationRecord['connection'], 'receiver'>;
};

/** A publication under way, as its index names it. */
export interface UnderWay {
  repoId: string;
  channel: ChannelName;
  id: string;
}

export function readPublication(partition: Partition, id: string): PublicationRecord | undefined {
  return partition.tables.publications.get(id);
}

/** Writes a publication and its indexes. */
export function writePublication(partition: Partition, publication: PublicationRecord): void {
  const { id, repoId, draftId, channel } = publication;
  const { publications, publicationsByRepository, publicationsByContent, publicationsUnderWay } = partition.tables;
  const before = readPublication(partition, id);
  if (before && before.connection.receiver !== publication.connection.receiver)
    publicationsByContent.removeSync(contentKey(before));
  publications.putSync(id, publication);
  publicationsByRepository.putSync([repoId, draftId, id], true);
  publicationsByContent.putSync(contentKey(publication), id);
  const place = [repoId, channel, id];
  if (!hasEnded(publication)) publicationsUnderWay.putSync(place, true);
  else if (publicationsUnderWay.get(place) !== undefined) publicationsUnderWay.removeSync(place);
}

/** Removes a publication with its indexes; what it left at its receiver stays known, so that nothing is doubled there. */
export function removePublication(partition: Partition, publication: PublicationRecord): void {
  const { id, repoId, draftId, channel } = publication;
  const { publications, publicationsByRepository, publicationsByContent, publicationsUnderWay } = partition.tables;
  publications.removeSync(id);
  publicationsByRepository.removeSync([repoId, draftId, id]);
  publicationsUnderWay.removeSync([repoId, channel, id]);
  const content = contentKey(publication);
  if (publicationsByContent.get(content) === id) publicationsByContent.removeSync(content);
}

/** Whether nothing more happens to a publication by itself. */
export function hasEnded({ status }: Pick<PublicationRecord, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

/** The publication of just this, if there is one. */
export function publicationOf(partition: Partition, content: PublishedContent): PublicationRecord | undefined {
  const id: string | undefined = partition.tables.publicationsByContent.get(contentKey(content));
  return id === undefined ? undefined : readPublication(partition, id);
}

/** Publications of a repository, or of one of its drafts, in the order of their drafts and then of their making. */
export function listPublications(partition: Partition, repoId: string, draftId?: string): PublicationRecord[] {
  const start = draftId === undefined ? [repoId] : [repoId, draftId];
  const keys = partition.tables.publicationsByRepository.getKeys({ start, end: [...start, '\u{10ffff}'] });
  return [...keys].flatMap((key) => readPublication(partition, (key as string[])[2] as string) ?? []);
}

/** Publications that have not ended, by repository and channel, the oldest of each first. */
export function listUnderWay(partition: Partition, repoId?: string): UnderWay[] {
  const within = repoId === undefined ? {} : { start: [repoId], end: [repoId, '\u{10ffff}'] };
  return [...partition.tables.publicationsUnderWay.getKeys(within)].map((key) => {
    const [repo, channel, id] = key as [string, ChannelName, string];
    return { repoId: repo, channel, id };
  });
}

/** Publications that have not ended of the same draft at the same receiver, the oldest first. */
export function rivals(partition: Partition, { id, repoId, channel, draftId, connection }: PublicationRecord) {
  return listUnderWay(partition, repoId)
    .filter((each) => each.channel === channel && each.id !== id)
    .flatMap((each) => readPublication(partition, each.id) ?? [])
    .filter((each) => each.draftId === draftId && each.connection.receiver === connection.receiver);
}

type Referring = Pick<PublishedContent, 'repoId' | 'channel' | 'draftId' | 'connection'>;

/** What the last publication of a draft left at a receiver, in the receiver's own words. */
export function readReference(partition: Partition, referring: Referring): string | undefined {
  return partition.tables.publicationReferences.get(referenceKey(referring));
}

export function writeReference(partition: Partition, referring: Referring, reference: string): void {
  partition.tables.publicationReferences.putSync(referenceKey(referring), reference);
}

/**
 * Removes up to `limit` publications of a repository; how many it were. Fewer mean that none is left.
 * @param kept ids of those that stay
 */
export function removePublications(
  partition: Partition,
  repoId: string,
  limit: number,
  kept: ReadonlySet<string> = new Set(),
): number {
  if (limit <= 0) return 0;
  const within = { start: [repoId], end: [repoId, '\u{10ffff}'], limit: limit + kept.size };
  const found = [...partition.tables.publicationsByRepository.getKeys(within)] as [string, string, string][];
  const keys = found.filter(([, , id]) => !kept.has(id)).slice(0, limit);
  for (const key of keys) {
    const publication = readPublication(partition, key[2]);
    if (publication) removePublication(partition, publication);
    partition.tables.publicationsByRepository.removeSync(key);
  }
  return keys.length;
}

/** Forgets at once that anything of a repository is under way: nothing of it leaves any more. */
export function stopPublications(partition: Partition, repoId: string): void {
  for (const { channel, id } of listUnderWay(partition, repoId))
    partition.tables.publicationsUnderWay.removeSync([repoId, channel, id]);
}

/** A publication as the API answers it. */
export function publicationResponse(publication: PublicationRecord): Record<string, unknown> {
  const { id, status, url, publishedAt, draftId, revision, channel, asDraft } = publication;
  const { error, outcomeUnknown, attempts, nextAttemptAt, counts, createdAt, updatedAt } = publication;
  return {
    id,
    status,
    url,
    publishedAt: isoOrNull(publishedAt),
    draftId,
    revision,
    channel,
    draft: asDraft,
    error,
    outcomeUnknown,
    attempts: attempts.map(({ at, endedAt, error }) => ({ at: iso(at), endedAt: isoOrNull(endedAt), error })),
    nextAttemptAt: isoOrNull(nextAttemptAt),
    counts,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}

function contentKey({ repoId, draftId, revision, channel, asDraft, connection }: PublishedContent): string[] {
  return [repoId, digestOf(JSON.stringify([draftId, revision, channel, asDraft, connection.receiver]))];
}

function referenceKey({ repoId, channel, draftId, connection }: Referring): string[] {
  return [repoId, channel, draftId, connection.receiver];
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}
