/**
 * Looks from time to time whether a repository's tags are what its host has: a push of more than three tags sends no event at
 * all, and a create event tells no commit. Tags that are gone there are left alone: a list is no proof of a deletion.
 */
import type { EventBody } from '../../src/protocol/events.ts';
import { isUnderWay, readBackfill, readTagSync } from '../../src/store/backfills.ts';
import { listRepositoryIds } from '../../src/store/repositories.ts';
import { counted, type HostContext, journalPage } from './context.ts';
import { mayAsk, reach } from './reach.ts';
import { unknownTag } from './tags.ts';

/** How often repositories are looked over for one whose turn has come, and how long one that failed is left alone. */
const lookMs = 5000;
const failedMs = 600_000;

export class TagSync {
  private readonly context: HostContext;
  private readonly everyMs: number;
  private readonly abort = new AbortController();
  private readonly failedUntil = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> | undefined;

  /** @param everyMs time between two looks at one repository */
  constructor(context: HostContext, everyMs: number) {
    this.context = context;
    this.everyMs = everyMs;
    this.timer = setInterval(() => this.look(), lookMs);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.abort.abort(new Error('the worker stops'));
    await this.looking;
  }

  private look(): void {
    this.looking ??= this.lookOver()
      .catch((error: Error) => {
        if (!this.abort.signal.aborted) this.context.logger.warn({ err: error }, 'tags could not be looked over');
      })
      .finally(() => {
        this.looking = undefined;
      });
  }

  private async lookOver(): Promise<void> {
    if (!this.context.caughtUp()) return;
    for (const repoId of listRepositoryIds(this.context.partition())) {
      if (this.abort.signal.aborted) return;
      if (this.isDue(repoId)) await this.synchronise(repoId);
    }
  }

  private isDue(repoId: string): boolean {
    if (!mayAsk(this.context, repoId)) return false;
    const partition = this.context.partition();
    const backfill = readBackfill(partition, repoId);
    if (backfill && isUnderWay(backfill)) return false;
    const last = readTagSync(partition, repoId)?.at ?? 0;
    return Date.now() >= Math.max(last + this.everyMs, this.failedUntil.get(repoId) ?? 0);
  }

  /** One that fails is tried again after the others. */
  private async synchronise(repoId: string): Promise<void> {
    try {
      await synchroniseTags(this.context, repoId, this.abort.signal);
      this.failedUntil.delete(repoId);
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.failedUntil.set(repoId, Date.now() + failedMs);
      this.context.logger.warn({ repo: repoId, err: error }, 'tags could not be synchronised');
    }
  }
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
      await journalPage(context, { job: null, repository, seenAt, bodies, ...(isLast && { tagSync }) }, signal);
    if (page.next === null) return;
    page = await counted(client.page(page.next, 'tags'));
  }
}
