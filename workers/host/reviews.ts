/**
 * Reads reviews. Hosts list reviews per pull request only, so one request is needed for each captured pull request that
 * changed after the cutoff.
 */
import type { HostPage } from '../../src/host/client.ts';
import { reviewBody } from '../../src/intake/rest.ts';
import type { EventBody } from '../../src/protocol/events.ts';
import { pullsAfter } from '../../src/store/tables/pulls.ts';
import { counted } from './counted.ts';
import { bodiesOf } from './lists.ts';
import type { PhaseContext } from './phase-context.ts';

/** Number of pull requests that are read from the store at a time. */
const perReading = 200;
/**
 * Maximum number of pull requests and of bodies per record. After a kill, the backfill reads at most this much again.
 */
const perRecord = { pulls: 20, bodies: 50 };

/** Reads the reviews of every pull request that changed after the cutoff. */
export async function readReviews(backfill: PhaseContext): Promise<void> {
  const cutoff = Math.max(backfill.row.since ?? 0, backfill.progress.known('reviews')?.newest ?? 0);
  let { number } = backfill.progress.position;
  let { done, total } = backfill.progress.phase;
  total ??= await countWanted(backfill, cutoff);
  let bodies: EventBody[] = [];
  let asked = 0;
  for (let wanted = next(backfill, number); wanted.length > 0; wanted = next(backfill, number)) {
    for (const pull of wanted) {
      number = pull.number;
      if (pull.updatedAt < cutoff) continue;
      bodies.push(...(await reviewsOf(backfill, number)));
      done += 1;
      asked += 1;
      if (asked < perRecord.pulls && bodies.length < perRecord.bodies) continue;
      await backfill.progress.page(bodies, { position: { number }, done, total, counts: { reviews: bodies.length } });
      [bodies, asked] = [[], 0];
    }
  }
  const { since } = backfill.progress.known('reviews') ?? backfill.row;
  const newest = backfill.progress.known('pulls')?.newest ?? null;
  await backfill.progress.endPhase(bodies, { counts: { reviews: bodies.length }, list: { since, etag: null, newest } });
}

function next({ context, row }: PhaseContext, number: number) {
  return pullsAfter(context.partition(), row.repoId, number, perReading);
}

async function countWanted(backfill: PhaseContext, cutoff: number): Promise<number> {
  let count = 0;
  for (let number = 0; ; ) {
    const pulls = next(backfill, number);
    count += pulls.filter(({ updatedAt }) => updatedAt >= cutoff).length;
    const last = pulls.at(-1);
    if (!last) return count;
    number = last.number;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function reviewsOf(backfill: PhaseContext, number: number): Promise<EventBody[]> {
  const bodies: EventBody[] = [];
  let page: HostPage = await counted(backfill.client.first(backfill.name, { kind: 'reviews', number }));
  for (;;) {
    bodies.push(...(await bodiesOf(page.items, (item) => reviewBody(item, number, backfill.reading))));
    if (page.next === null) return bodies;
    page = await counted(backfill.client.page(page.next, 'reviews'));
  }
}
