/**
 * The lists that the host keeps by time of change: pull requests, issues, comments. Read from the newest on, down to what
 * is wanted; what moves to the front meanwhile is read in a second, short pass, since pages shift under their reader.
 */
import type { HostPage } from '../../src/host/client.ts';
import {
  issueBody,
  issueCommentBody,
  pullBody,
  type RestContext,
  type RestItem,
  reviewCommentBody,
  updatedAt,
} from '../../src/intake/rest.ts';
import type { EventBody } from '../../src/protocol/events.ts';
import type { Backfill } from './backfill.ts';
import { counted } from './counted.ts';

export type ListPhase = 'pulls' | 'issues' | 'issueComments' | 'reviewComments';

const readers: Record<ListPhase, (item: RestItem, context: RestContext) => EventBody | undefined> = {
  pulls: pullBody,
  issues: issueBody,
  issueComments: issueCommentBody,
  reviewComments: reviewCommentBody,
};

/** What an item counts as. */
const counters: Record<ListPhase, string> = {
  pulls: 'pulls',
  issues: 'issues',
  issueComments: 'comments',
  reviewComments: 'comments',
};

/** Reads a list to its end, from wherever the backfill stands. */
export async function readList(backfill: Backfill, phase: ListPhase): Promise<void> {
  while (backfill.progress.position.phase === phase) {
    const { next } = backfill.progress.position;
    if (next !== null) await takePage(backfill, phase, await counted(backfill.client.page(next, phase)), false);
    else await begin(backfill, phase);
  }
}

/** The first page of a pass. One that has not changed since an earlier backfill says that nothing has. */
async function begin(backfill: Backfill, phase: ListPhase): Promise<void> {
  const { again, newest } = backfill.progress.position;
  const known = backfill.progress.known(phase);
  const since = again ? newest : backfill.row.since;
  const etag = again ? null : known?.etag;
  const page = await counted(
    backfill.client.first(backfill.name, {
      kind: phase,
      ...(since !== null && { since }),
      ...(etag && { etag }),
    }),
  );
  if (page.notModified && known) return backfill.progress.endPhase([], { list: known });
  await takePage(backfill, phase, page, true);
}

async function takePage(backfill: Backfill, phase: ListPhase, page: HostPage, isFirst: boolean): Promise<void> {
  const { again } = backfill.progress.position;
  const cutoff = cutoffOf(backfill, phase);
  const wanted = page.items.filter((item) => (updatedAt(item) ?? Number.POSITIVE_INFINITY) >= cutoff);
  const bodies = await bodiesOf(wanted, (item) => readers[phase](item, backfill.reading));
  const noted = isFirst && !again ? noteFirst(backfill, phase, page) : {};
  const { etag, newest } = { ...backfill.progress.position, ...noted };
  // The second pass shows again what the first has counted.
  const counts = again ? {} : { [counters[phase]]: bodies.length };
  const { since } = backfill.progress.known(phase) ?? backfill.row;
  const isLast = page.next === null || (isNewestFirst(backfill, phase) && wanted.length < page.items.length);
  const done = backfill.progress.phase.done + 1;
  if (!isLast)
    return backfill.progress.page(bodies, {
      position: { ...noted, next: page.next },
      done,
      total: page.pages,
      counts,
    });
  // Whoever has read one page has seen the list at one moment; only behind several can something have moved.
  const onePage = isFirst && !again;
  if (!onePage && !again)
    return backfill.progress.page(bodies, { position: { next: null, again: true }, done, counts });
  await backfill.progress.endPhase(bodies, { counts, list: { since, etag, newest } });
}

/** What the first page tells of the whole: how new its newest is, and by its etag whether it all is as it was. */
function noteFirst(backfill: Backfill, phase: ListPhase, page: HostPage) {
  const times = page.items.flatMap((item) => updatedAt(item) ?? []);
  const newest = times.length > 0 ? Math.max(...times) : (backfill.progress.known(phase)?.newest ?? null);
  const tellsAll = page.next === null || isNewestFirst(backfill, phase);
  return { newest, etag: tellsAll ? page.etag : null };
}

/** What changed before is not wanted, or was read by an earlier backfill, or in the first pass. */
function cutoffOf(backfill: Backfill, phase: ListPhase): number {
  const { again, newest } = backfill.progress.position;
  const known = again ? newest : backfill.progress.known(phase)?.newest;
  return Math.max(backfill.row.since ?? 0, known ?? 0);
}

/** Gitea sorts pull requests alone by time of change. */
function isNewestFirst({ kind }: Backfill, phase: ListPhase): boolean {
  return kind === 'github' || phase === 'pulls';
}

/** Bodies of items, with pauses: a text can take some milliseconds to be redacted. */
export async function bodiesOf<Item, Body>(
  items: readonly Item[],
  read: (item: Item) => Body | undefined,
): Promise<Body[]> {
  const bodies: Body[] = [];
  let since = performance.now();
  for (const item of items) {
    const body = read(item);
    if (body !== undefined) bodies.push(body);
    if (performance.now() - since < 4) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  return bodies;
}
