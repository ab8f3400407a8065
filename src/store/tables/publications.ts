/**
 * Publications, stored by id. There are four indexes: by repository and draft, by repository and state, by content, and an
 * index that lists only the publications under way (neither completed nor failed).
 *
 * Publications under way are not in the outbox. A publication can wait an hour for its next attempt, and must not delay
 * the renders in the outbox.
 *
 * When a publication creates an item at the receiver, the receiver gives this item an identifier. An additional table
 * stores this identifier per draft and receiver. It is called the reference.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { ChannelName } from '../../protocol/channels.ts';
import { maxOutdatedReasons, type PublicationOutdatedReason } from '../../protocol/outdated.ts';
import type { PublicationRecord } from '../../protocol/publications.ts';
import type { DraftRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';
import { readDraft } from './drafts.ts';
import { readDraftRevision } from './revisions.ts';

/** The fields that identify a publication: two publications with the same values are duplicates. */
export type PublishedContent = Pick<PublicationRecord, 'repoId' | 'draftId' | 'revision' | 'channel' | 'asDraft'> & {
  connection: Pick<PublicationRecord['connection'], 'receiver'>;
};

/** Whether a published text is outdated, and why. */
interface PublicationVerdict {
  outdated: boolean;
  outdatedBecause: PublicationOutdatedReason[];
}

const current: PublicationVerdict = { outdated: false, outdatedBecause: [] };

/** Maximum number of warnings that are stored with a publication. */
export const maxWarnings = 100;

/** A row in the index of publications under way. */
export interface UnderWay {
  repoId: string;
  channel: ChannelName;
  id: string;
}

export function readPublication(partition: Partition, id: string): PublicationRecord | undefined {
  return partition.tables.publications.get(id);
}

/** Writes a publication and its index rows. */
export function writePublication(partition: Partition, publication: PublicationRecord): void {
  const { id, repoId, draftId, channel } = publication;
  const { publications, publicationsByRepository, publicationsByContent, publicationsUnderWay } = partition.tables;
  const before = readPublication(partition, id);
  if (before && before.connection.receiver !== publication.connection.receiver)
    publicationsByContent.removeSync(contentKey(before));
  if (before && before.status !== publication.status) partition.tables.publicationsByState.removeSync(stateKey(before));
  publications.putSync(id, publication);
  indexState(partition, publication);
  publicationsByRepository.putSync([repoId, draftId, id], true);
  publicationsByContent.putSync(contentKey(publication), id);
  const place = [repoId, channel, id];
  if (!hasEnded(publication)) publicationsUnderWay.putSync(place, true);
  else if (publicationsUnderWay.get(place) !== undefined) publicationsUnderWay.removeSync(place);
  notePublication(partition, publication, publication.status);
}

/** Adds a publication to the index by state. Its former state must not be there any more. */
export function indexState(partition: Partition, publication: PublicationRecord): void {
  partition.tables.publicationsByState.putSync(stateKey(publication), true);
}

/** Notes the state of a publication for live events. */
export function notePublication(
  { changes }: Partition,
  { id: publicationId, repoId, draftId, channel }: PublicationRecord,
  status: PublicationRecord['status'] | 'deleted',
): void {
  changes?.note(publicationId, {
    event: 'publication.status',
    data: { repoId, draftId, publicationId, channel, status },
  });
}

/**
 * Removes a publication and its index rows. The reference to the item at the receiver is kept, so that a later
 * publication of the draft does not create a second item.
 */
export function removePublication(partition: Partition, publication: PublicationRecord): void {
  const { id, repoId, draftId, channel } = publication;
  const { publications, publicationsByRepository, publicationsByContent, publicationsUnderWay } = partition.tables;
  publications.removeSync(id);
  publicationsByRepository.removeSync([repoId, draftId, id]);
  publicationsUnderWay.removeSync([repoId, channel, id]);
  partition.tables.publicationsByState.removeSync(stateKey(publication));
  const content = contentKey(publication);
  if (publicationsByContent.get(content) === id) publicationsByContent.removeSync(content);
}

/** Whether a publication has ended. An ended publication changes only when a person acts. */
export function hasEnded({ status }: Pick<PublicationRecord, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

/** Returns the publication with this content, if it exists. */
export function publicationOf(partition: Partition, content: PublishedContent): PublicationRecord | undefined {
  const id: string | undefined = partition.tables.publicationsByContent.get(contentKey(content));
  return id === undefined ? undefined : readPublication(partition, id);
}

/** Returns the publications of a repository, or of one of its drafts, ordered by draft and then by time of creation. */
export function listPublications(partition: Partition, repoId: string, draftId?: string): PublicationRecord[] {
  const start = draftId === undefined ? [repoId] : [repoId, draftId];
  const keys = partition.tables.publicationsByRepository.getKeys({ start, end: [...start, '\u{10ffff}'] });
  return [...keys].flatMap((key) => readPublication(partition, (key as string[])[2] as string) ?? []);
}

/**
 * Returns the ids of up to `limit` publications of a repository in one state, newest first.
 * @param from the first of these ids, if there is such a publication; undefined for the newest one
 */
export function newestPublicationIds(
  partition: Partition,
  repoId: string,
  status: PublicationRecord['status'],
  limit: number,
  from = '\u{10ffff}',
): string[] {
  const within = { start: [repoId, status, from], end: [repoId, status], reverse: true, limit };
  const keys = partition.tables.publicationsByState.getKeys(within) as Iterable<[string, string, string]>;
  return [...keys].map((key) => key[2]);
}

/** Returns the newest publication of a draft; undefined if it has none. */
export function newestPublicationOf(
  partition: Partition,
  { id, repoId }: Pick<DraftRecord, 'id' | 'repoId'>,
): PublicationRecord | undefined {
  const within = { start: [repoId, id, '\u{10ffff}'], end: [repoId, id], reverse: true, limit: 1 };
  const [key] = partition.tables.publicationsByRepository.getKeys(within) as Iterable<[string, string, string]>;
  return key && readPublication(partition, key[2]);
}

/** Returns the publications that have not ended, ordered by repository, channel and time of creation. */
export function listUnderWay(partition: Partition, repoId?: string): UnderWay[] {
  const within = repoId === undefined ? {} : { start: [repoId], end: [repoId, '\u{10ffff}'] };
  return [...partition.tables.publicationsUnderWay.getKeys(within)].map((key) => {
    const [repo, channel, id] = key as [string, ChannelName, string];
    return { repoId: repo, channel, id };
  });
}

/**
 * Returns the rivals of a publication, oldest first. A rival is another publication that sends the same draft to the
 * same receiver and has not ended.
 */
export function rivals(partition: Partition, { id, repoId, channel, draftId, connection }: PublicationRecord) {
  return listUnderWay(partition, repoId)
    .filter((each) => each.channel === channel && each.id !== id)
    .flatMap((each) => readPublication(partition, each.id) ?? [])
    .filter((each) => each.draftId === draftId && each.connection.receiver === connection.receiver);
}

type Referring = Pick<PublishedContent, 'repoId' | 'channel' | 'draftId' | 'connection'>;

/** Returns the reference of a draft: the receiver's own identifier of the item that was created for the draft. */
export function readReference(partition: Partition, referring: Referring): string | undefined {
  return partition.tables.publicationReferences.get(referenceKey(referring));
}

export function writeReference(partition: Partition, referring: Referring, reference: string): void {
  partition.tables.publicationReferences.putSync(referenceKey(referring), reference);
}

/**
 * Removes up to `limit` publications of a repository.
 * @param kept ids of publications that are not removed
 * @returns how many publications were removed; a number below `limit` means that only publications in `kept` are left
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

/**
 * Removes all publications of a repository from the index of publications under way. After that, none of them is sent
 * any more.
 */
export function stopPublications(partition: Partition, repoId: string): void {
  for (const { channel, id } of listUnderWay(partition, repoId))
    partition.tables.publicationsUnderWay.removeSync([repoId, channel, id]);
}

/** Converts a publication to its form in API replies. */
export function publicationResponse(publication: PublicationRecord, verdict = current): Record<string, unknown> {
  const { id, status, url, publishedAt, draftId, revision, channel, asDraft } = publication;
  const { error, outcomeUnknown, attempts, nextAttemptAt, counts, warnings = [], createdAt, updatedAt } = publication;
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
    warnings,
    ...verdict,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}

/**
 * Returns whether the published text is outdated: the draft is outdated, or it was generated again with another text
 * since the published revision. An erased draft shows nothing.
 */
export function publicationVerdict(
  partition: Partition,
  { draftId, revision }: Pick<PublicationRecord, 'draftId' | 'revision'>,
  draft = generatedDraft(partition, draftId),
): PublicationVerdict {
  const base = draft && readDraftRevision(partition, draftId, revision)?.base;
  const isFormer = base !== undefined && base !== draft?.base;
  const former: PublicationVerdict['outdatedBecause'] = isFormer ? [{ what: 'generated' }] : [];
  const outdatedBecause = [...former, ...(draft?.outdatedBecause ?? [])].slice(0, maxOutdatedReasons);
  return { outdated: outdatedBecause.length > 0, outdatedBecause };
}

/**
 * Returns a function that does the same for the publications of a list. It reads each draft once, because a draft can
 * have many publications, and its text can be long.
 */
export function publicationVerdicts(partition: Partition): (publication: PublicationRecord) => PublicationVerdict {
  const drafts = new Map<string, GeneratedDraft | undefined>();
  return (publication) => {
    const { draftId } = publication;
    if (!drafts.has(draftId)) drafts.set(draftId, generatedDraft(partition, draftId));
    return publicationVerdict(partition, publication, drafts.get(draftId));
  };
}

/** The parts of a draft that a verdict needs: the digest of its generated text, and why it is outdated. */
type GeneratedDraft = Pick<DraftRecord, 'outdatedBecause'> & { base: string };

function generatedDraft(partition: Partition, draftId: string): GeneratedDraft | undefined {
  const draft = readDraft(partition, draftId);
  if (!draft) return undefined;
  const { generatedMd, outdatedBecause } = draft;
  return { base: digestOf(generatedMd), ...(outdatedBecause && { outdatedBecause }) };
}

function stateKey({ repoId, status, id }: Pick<PublicationRecord, 'repoId' | 'status' | 'id'>): string[] {
  return [repoId, status, id];
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
