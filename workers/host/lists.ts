/**
 * Reads the lists that a host sorts by time of change: pull requests, issues, comments. A list is read from its newest
 * item down to the oldest requested one. Items can move between pages while the list is read, so a second, short pass
 * reads the items that moved to the front meanwhile.
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
import type { BackfilledBody } from '../../src/protocol/events.ts';
import { counted } from './counted.ts';
import type { PhaseContext } from './phase-context.ts';

export type ListPhase = 'pulls' | 'issues' | 'issueComments' | 'reviewComments';

const readers: Record<ListPhase, (item: RestItem, context: RestContext) => BackfilledBody | undefined> = {
  pulls: pullBody,
  issues: issueBody,
  issueComments: issueCommentBody,
  reviewComments: reviewCommentBody,
};

/** For each list, the name of the counter to which the list's items are added. */
const counters: Record<ListPhase, string> = {
  pulls: 'pulls',
  issues: 'issues',
  issueComments: 'comments',
  reviewComments: 'comments',
};

/** Reads a list to its end, from the backfill's stored position. */
export async function readList(backfill: PhaseContext, phase: ListPhase): Promise<void> {
  while (backfill.progress.position.phase === phase) {
    const { next } = backfill.progress.position;
    if (next !== null) await takePage(backfill, phase, await counted(backfill.client.page(next, phase)), false);
    else await begin(backfill, phase);
  }
}

/** Reads the first page of a pass. If that page is unchanged since an earlier backfill, the whole list is unchanged. */
async function begin(backfill: PhaseContext, phase: ListPhase): Promise<void> {
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

async function takePage(backfill: PhaseContext, phase: ListPhase, page: HostPage, isFirst: boolean): Promise<void> {
  const { again } = backfill.progress.position;
  const cutoff = cutoffOf(backfill, phase);
  const wanted = page.items.filter((item) => (updatedAt(item) ?? Number.POSITIVE_INFINITY) >= cutoff);
  const bodies = await bodiesOf(wanted, (item) => readers[phase](item, backfill.reading));
  const noted = isFirst && !again ? noteFirst(backfill, phase, page) : {};
  const { etag, newest } = { ...backfill.progress.position, ...noted };
  // The second pass counts nothing, because the first pass has already counted these items. Pull requests in the list of
  // issues were counted in their own list.
  const ownItems = bodies.filter(({ event }) => event !== 'pull_reactions').length;
  const counts = again ? {} : { [counters[phase]]: ownItems };
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
  // If the list has only one page, no second pass is needed. An item can move only while several pages are read.
  const onePage = isFirst && !again;
  if (!onePage && !again)
    return backfill.progress.page(bodies, { position: { next: null, again: true }, done, counts });
  await backfill.progress.endPhase(bodies, { counts, list: { since, etag, newest } });
}

/**
 * Returns the newest time of change on the first page, and the etag of that page. The etag is null if the list can
 * change without a change of this page.
 */
function noteFirst(backfill: PhaseContext, phase: ListPhase, page: HostPage) {
  const times = page.items.flatMap((item) => updatedAt(item) ?? []);
  const newest = times.length > 0 ? Math.max(...times) : (backfill.progress.known(phase)?.newest ?? null);
  const coversAll = page.next === null || isNewestFirst(backfill, phase);
  return { newest, etag: coversAll ? page.etag : null };
}

/**
 * Returns the time of the oldest change that must be read. Items that changed before that time need not be read. Either
 * the backfill does not include them, or an earlier backfill or the first pass has already read them.
 */
function cutoffOf(backfill: PhaseContext, phase: ListPhase): number {
  const { again, newest } = backfill.progress.position;
  const known = again ? newest : backfill.progress.known(phase)?.newest;
  return Math.max(backfill.row.since ?? 0, known ?? 0);
}

/**
 * Whether the host sorts a list by time of change, with the newest change first. On Gitea, this is true only for the
 * list of pull requests.
 */
function isNewestFirst({ kind }: PhaseContext, phase: ListPhase): boolean {
  return kind === 'github' || phase === 'pulls';
}

/**
 * Reads the bodies of items. The function yields to the event loop after every four milliseconds, because redacting a
 * text can take several milliseconds.
 */
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
