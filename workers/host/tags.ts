/**
 * Tags and releases. A list of tags has names and commits only, so what is not known yet, or otherwise, is asked for one by
 * one. Also what the synchronisation of tags does, which backfills share.
 */
import { ServiceError } from '../../src/foundation/errors.ts';
import type { HostClient, HostPage } from '../../src/host/client.ts';
import { type RestItem, shaOf, tagBody } from '../../src/intake/rest.ts';
import { name as storedName } from '../../src/intake/text.ts';
import type { EventBody } from '../../src/protocol/events.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readTag } from '../../src/store/tables/tags.ts';
import type { Backfill } from './backfill.ts';
import { counted } from './counted.ts';

/** Tags asked for between two records. */
const perRecord = 20;

/** What tags are compared with and asked by. */
export interface TagSource {
  client: HostClient;
  name: { fullName: string };
  repoId: string;
  /** The host's time of the last push that was known before the list was asked for, in milliseconds. */
  pushedAt: number;
  partition: () => Partition;
}

/** Reads the list of tags; those that are known as it has them cost nothing. */
export async function readTags(backfill: Backfill): Promise<void> {
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

/** Releases bring nothing of their own; a tag that one of them names and the list did not have yet is asked for. */
export async function readReleases(backfill: Backfill): Promise<void> {
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

/** The tag of a list's item with its details; nothing when it is known already as the list has it. */
export async function unknownTag(source: TagSource, item: RestItem): Promise<EventBody | undefined> {
  const { name } = item;
  const sha = shaOf(item.commit);
  if (typeof name !== 'string' || sha === undefined) return undefined;
  const stored = readTag(source.partition(), source.repoId, storedName(name));
  const isKnown = stored && !stored.deleted && !stored.hint && stored.sha === sha && stored.date !== null;
  return isKnown ? undefined : askedTag(source, name);
}

/**
 * A tag asked for. A new one is as old as itself, so that whatever a delivery tells of it counts more; one that is known
 * otherwise was moved or made again before the last push that the host had seen.
 */
export async function askedTag(source: TagSource, name: string): Promise<EventBody | undefined> {
  const details = await counted(source.client.tagDetails(source.name, name)).catch((error: unknown) => {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  });
  if (!details) return undefined;
  const stored = readTag(source.partition(), source.repoId, storedName(name));
  // A second less: of two that the host's clock cannot tell apart the delivery counts.
  const latest = Math.max(0, source.pushedAt - 1000);
  return tagBody(name, details, stored ? latest : Math.min(details.date ?? latest, latest));
}

function sourceOf({ client, name, row, pushedAt, context }: Backfill): TagSource {
  return { client, name, repoId: row.repoId, pushedAt, partition: context.partition };
}

function pageOf(
  { client, name }: Backfill,
  kind: 'tags' | 'releases',
  next: string | null,
  etag: string | null,
): Promise<HostPage> {
  if (next !== null) return counted(client.page(next, kind));
  return counted(client.first(name, { kind, ...(etag && { etag }) }));
}
