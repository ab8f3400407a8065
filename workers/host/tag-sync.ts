/**
 * At intervals, compares a repository's tags with the tags on the host. This is needed because hosts send no event for
 * a push of more than three tags, and a `create` event names no commit. Stored tags that the host does not list are
 * kept, because a list does not prove a deletion.
 */
import type { EventBody } from '../../src/protocol/events.ts';
import { readTagSync } from '../../src/store/tables/backfills.ts';
import { type HostContext, journalPage } from './context.ts';
import { counted } from './counted.ts';
import { isBackfilling, mayAsk, reach } from './repository-on-host.ts';
import type { Round } from './rounds.ts';
import { unknownTag } from './tags.ts';

/**
 * Returns the round that synchronizes tags.
 * @param everyMs interval between two synchronizations of one repository, in milliseconds
 */
export function tagRound(context: HostContext, everyMs: number): Round {
  return {
    name: 'synchronizing tags',
    isDue: (repoId, now) =>
      mayAsk(context, repoId) &&
      !isBackfilling(context, repoId) &&
      now >= (readTagSync(context.partition(), repoId)?.at ?? 0) + everyMs,
    work: (repoId, signal) => synchroniseTags(context, repoId, signal),
  };
}

/** Journals the tags that differ from the stored ones, and the time of the check. */
async function synchroniseTags(context: HostContext, repoId: string, signal: AbortSignal): Promise<void> {
  const at = Date.now();
  const source = await reach(context, repoId, { signal });
  if (!source) return;
  const { client, name, repository, seenAt } = source;
  const etag = readTagSync(context.partition(), repoId)?.etag;
  let page = await counted(client.first(name, { kind: 'tags', ...(etag && { etag }) }));
  // The etag of the first page covers all tags only if there is no further page.
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
