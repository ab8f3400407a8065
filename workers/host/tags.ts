/**
 * Reads tags and releases. A list of tags contains names and commits only, so each unknown or changed tag is requested
 * separately. Backfills use this code, and the synchronization of tags uses it too.
 */
import { ServiceError } from '../../src/foundation/errors.ts';
import type { HostClient, HostPage } from '../../src/host/client.ts';
import { type RestItem, shaOf, tagBody } from '../../src/intake/rest.ts';
import { name as storedName } from '../../src/intake/text.ts';
import type { EventBody } from '../../src/protocol/events.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readTag } from '../../src/store/tables/tags.ts';
import { counted } from './counted.ts';
import type { PhaseContext } from './phase-context.ts';

/** Maximum number of tags that are requested for one record. */
const perRecord = 20;

/** A repository whose tags are read: the client and the name for requests, and the partition with the stored tags. */
export interface TagSource {
  client: HostClient;
  name: { fullName: string };
  repoId: string;
  /** Time of the last push, in milliseconds, as the host reported it before the list was requested. */
  pushedAt: number;
  partition: () => Partition;
}

/** Reads the list of tags. A tag that is already stored with the same commit causes no request. */
export async function readTags(backfill: PhaseContext): Promise<void> {
  const known = backfill.progress.known('tags');
  for (;;) {
    const { next } = backfill.progress.position;
    const page = await pageOf(backfill, 'tags', next, known?.etag ?? null);
    if (page.notModified && known) return backfill.progress.endPhase([], { list: known });
    const bodies: EventBody[] = [];
    for (const item of page.items) {
      const body = await unknownTag(sourceOf(backfill), item);
      if (body) bodies.push(body);
      if (bodies.length < perRecord) continue;
      await backfill.progress.page(bodies.splice(0), { total: page.pages, counts: { tags: perRecord } });
    }
    const counts = { tags: bodies.length };
    const list = { since: null, etag: next === null && page.next === null ? page.etag : null, newest: null };
    if (page.next === null) return backfill.progress.endPhase(bodies, { counts, list });
    await backfill.progress.page(bodies, {
      position: { next: page.next },
      done: backfill.progress.phase.done + 1,
      total: page.pages,
      counts,
    });
  }
}

/** Reads releases. Only their tags are used: if a release names a tag that is not stored yet, the tag is requested. */
export async function readReleases(backfill: PhaseContext): Promise<void> {
  for (;;) {
    const page = await pageOf(backfill, 'releases', backfill.progress.position.next, null);
    const published = page.items.filter((item) => item.draft !== true && typeof item.tag_name === 'string');
    const bodies: EventBody[] = [];
    for (const { tag_name } of published) {
      const source = sourceOf(backfill);
      const stored = readTag(source.partition(), source.repoId, storedName(tag_name as string));
      const body = stored ? undefined : await askedTag(source, tag_name as string);
      if (body) bodies.push(body);
    }
    const counts = { releases: published.length };
    if (page.next === null) return backfill.progress.endPhase(bodies, { counts });
    await backfill.progress.page(bodies, {
      position: { next: page.next },
      done: backfill.progress.phase.done + 1,
      total: page.pages,
      counts,
    });
  }
}

/** Requests the details of a tag in a list. Returns undefined if the tag is already stored with the same commit. */
export async function unknownTag(source: TagSource, item: RestItem): Promise<EventBody | undefined> {
  const { name } = item;
  const sha = shaOf(item.commit);
  if (typeof name !== 'string' || sha === undefined) return undefined;
  const stored = readTag(source.partition(), source.repoId, storedName(name));
  const isKnown = stored && !stored.deleted && !stored.hint && stored.sha === sha && stored.date !== null;
  return isKnown ? undefined : askedTag(source, name);
}

/**
 * Requests a tag from the host and sets its time of change. The time orders the result among deliveries about the tag.
 * - A tag that is not stored gets its own date, so that any delivery about the tag takes precedence.
 * - A stored tag gets the time of the last push to the repository, because this push or an earlier push made the
 *   change.
 */
export async function askedTag(source: TagSource, name: string): Promise<EventBody | undefined> {
  const details = await counted(source.client.tagDetails(source.name, name)).catch((error: unknown) => {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  });
  if (!details) return undefined;
  const stored = readTag(source.partition(), source.repoId, storedName(name));
  // One second is subtracted, so that a delivery about the tag takes precedence even if the delivery and the last push
  // have the same second.
  const latest = Math.max(0, source.pushedAt - 1000);
  return tagBody(name, details, stored ? latest : Math.min(details.date ?? latest, latest));
}

function sourceOf({ client, name, row, pushedAt, context }: PhaseContext): TagSource {
  return { client, name, repoId: row.repoId, pushedAt, partition: context.partition };
}

function pageOf(
  { client, name }: PhaseContext,
  kind: 'tags' | 'releases',
  next: string | null,
  etag: string | null,
): Promise<HostPage> {
  if (next !== null) return counted(client.page(next, kind));
  return counted(client.first(name, { kind, ...(etag && { etag }) }));
}
