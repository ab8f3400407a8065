/**
 * Looks from time to time whether a repository's tags are what its host has: a push of more than three tags sends no event at
 * all, and a create event tells no commit. Tags that are gone there are left alone: a list is no proof of a deletion.
 */
import type { EventBody } from '../../src/protocol/events.ts';
import { readTagSync } from '../../src/store/tables/backfills.ts';
import { type HostContext, journalPage } from './context.ts';
import { counted } from './counted.ts';
import { isBackfilling, mayAsk, reach } from './repository-on-host.ts';
import type { Round } from './rounds.ts';
import { unknownTag } from './tags.ts';

/**
 * The work of synchronising tags.
 * @param everyMs interval between two synchronisations of one repository
 */
export function tagRound(context: HostContext, everyMs: number): Round {
  return {
    name: 'synchronising tags',
    isDue: (repoId, now) =>
      mayAsk(context, repoId) &&
      !isBackfilling(context, repoId) &&
      now >= (readTagSync(context.partition(), repoId)?.at ?? 0) + everyMs,
    work: (repoId, signal) => synchroniseTags(context, repoId, signal),
  };
}

/** Journals the tags that the host has otherwise, and that it was asked. */
async function synchroniseTags(context: HostContext, repoId: string, signal: AbortSignal): Promise<void> {
  const at = Date.now();
  const source = await reach(context, repoId, { signal });
  if (!source) return;
  const { client, name, repository, seenAt } = source;
  const etag = readTagSync(context.partition(), repoId)?.etag;
  let page = await counted(client.first(name, { kind: 'tags', ...(etag && { etag }) }));
  // The first page speaks for all when it is the only one.
  const tagSync = { at, etag: page.next === null ? page.etag : null };
  for (;;) {
    const bodies: EventBody[] = [];
    for (const item of page.items) {
      const body = await unknownTag(source, item);
      if (body) bodies.push(body);
    }
    const isLast = page.next === null;
    if (bodies.length > 0 || isLast)
      await journalPage(
        context,
        { job: null, repository, confirmed: true, seenAt, bodies, ...(isLast && { tagSync }) },
        signal,
      );
    if (page.next === null) return;
    page = await counted(client.page(page.next, 'tags'));
  }
}
