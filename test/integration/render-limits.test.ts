/**
 * Tests renders that exceed their limits, with real threads. A render can need too much memory or too much time, and
 * too many renders can be requested at the same time. In all of these cases, each requested draft is generated or
 * fails, and the worker continues.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { draftId } from '../../src/foundation/ids.ts';
import { registry } from '../../src/foundation/metrics.ts';
import type { Persona } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { beginAttempt } from '../../src/store/tables/effect-attempts.ts';
import { countEffects, listEffects } from '../../src/store/tables/outbox.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { listDraftRevisions } from '../../src/store/tables/revisions.ts';
import { RenderPool } from '../../workers/render/pool.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { type Bench, enqueueAndFold, feed, ownWithOutbox, startBench } from '../helpers/partition-owner.ts';
import { commandRecord, pullRecord, repositoryFields } from '../helpers/partition-records.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const repoId = repositoryFields().id;
const small = 'range_00000000000000000000000000aa';
const huge = 'range_00000000000000000000000000bb';
const personas: readonly Persona[] = ['engineer', 'internal', 'customer'];

function createRange(rangeId: string, fromPrNumber: number, toPrNumber: number) {
  const bounds = { type: 'PR_BASED', fromPrNumber, toPrNumber } as const;
  const counts = { prCount: 0, issueCount: 0, resolution: 'window' } as const;
  return commandRecord({ name: 'createRange', rangeId, repoId, bounds, ...counts });
}

let tickets = 0;
function generate(rangeId: string, persona: Persona = 'engineer') {
  tickets += 1;
  const ticket = `ticket-${tickets}`;
  return commandRecord({ name: 'generateDraft', rangeId, draftId: draftId(rangeId, persona), persona, ticket });
}

/**
 * Returns a pull request with a body of about 200 KB. Many such pull requests together exceed the memory limit of a
 * render.
 */
function heavyRecord(number: number) {
  const record = pullRecord(number);
  if (record.body.event === 'pull_request') record.body.pull.body = `word ${number} `.repeat(20_000);
  return record;
}

/** Opens the owner of a partition. The partition has a small range, and a huge range with about 50 MB of text. */
async function ownRanges(t: TestContext, bench: Bench, makePool: () => RenderPool) {
  await ownWithOutbox(t, bench, 'directory');
  const owned = await ownWithOutbox(t, bench, 'p00', makePool);
  const lane = feed(bench.journal);
  const { owner } = owned;
  await enqueueAndFold(owner, lane, [pullRecord(1), pullRecord(2)]);
  for (let first = 3; first <= 250; first += 8) {
    const numbers = Array.from({ length: 8 }, (_, i) => first + i);
    await enqueueAndFold(owner, lane, numbers.map(heavyRecord));
  }
  await enqueueAndFold(owner, lane, [createRange(small, 1, 2), createRange(huge, 1, 1000)]);
  return { ...owned, lane };
}

function ended(partition: Partition, id: string): Promise<unknown> {
  return waitUntil('the ticket is closed', () => readDraft(partition, id)?.status !== 'processing');
}

test('a render that exhausts its heap fails, and the worker continues', async (t) => {
  const bench = await startBench(t);
  const { owner, lane, lost } = await ownRanges(t, bench, () => new RenderPool(1, 60_000, { heapMb: 24 }));
  const { partition } = owner;
  await enqueueAndFold(owner, lane, [generate(huge)]);
  await ended(partition, draftId(huge, 'engineer'));
  const failed = readDraft(partition, draftId(huge, 'engineer'));
  assert.deepEqual([failed?.status, failed?.bodyMd, failed?.revision], ['failed', '', 0]);
  assert.equal(
    failed?.error,
    'The draft could not be written. The task needs more than 24 MB of memory. Choose a smaller range.',
  );
  // The pool has replaced the thread of the failed render. The pool can now render the small range, and the draft of
  // the huge range can be requested again.
  await enqueueAndFold(owner, lane, [generate(small), generate(huge)]);
  await ended(partition, draftId(small, 'engineer'));
  await ended(partition, draftId(huge, 'engineer'));
  assert.match(readDraft(partition, draftId(small, 'engineer'))?.bodyMd ?? '', /Change 1[\s\S]*Change 2/);
  assert.equal(readDraft(partition, draftId(huge, 'engineer'))?.status, 'failed');
  // A recount of the huge range needs as much memory as a render, so the recount fails too. The counts of the range do
  // not change. The recount is repeated only a limited number of times.
  await waitUntil('all have left', () => countEffects(partition) === 0);
  assert.equal(readRange(partition, huge)?.prCount, 0);
  const failures = await registry.getSingleMetricAsString('tidings_render_failures_total');
  assert.match(failures, /task="render"\} 2$/m);
  assert.match(failures, /task="recount"\} [1-9]/);
  assert.deepEqual(lost, []);
});

test('a render that takes too long fails and can be requested again', async (t) => {
  const bench = await startBench(t);
  const first = await ownRanges(t, bench, () => new RenderPool(1, 1));
  const id = draftId(huge, 'engineer');
  await enqueueAndFold(first.owner, first.lane, [generate(huge)]);
  await ended(first.owner.partition, id);
  assert.deepEqual(
    [readDraft(first.owner.partition, id)?.status, readDraft(first.owner.partition, id)?.error],
    ['failed', 'The draft could not be written. The task took longer than 0.001 seconds. Choose a smaller range.'],
  );
  await first.close();
  const { owner } = await ownWithOutbox(t, bench, 'p00', () => new RenderPool(1, 60_000));
  await enqueueAndFold(owner, feed(bench.journal), [generate(huge)]);
  await ended(owner.partition, id);
  const draft = readDraft(owner.partition, id);
  assert.deepEqual([draft?.status, draft?.error, draft?.revision], ['ready', null, 1]);
});

test('a render that has ended the worker three times fails', async (t) => {
  const bench = await startBench(t);
  const first = await ownRanges(t, bench, () => new RenderPool(1, 60_000));
  await first.outbox.close();
  await enqueueAndFold(first.owner, first.lane, [generate(small)]);
  const [row] = listEffects(first.owner.partition, 0, 100).filter(({ effect }) => effect.effect === 'render');
  // If a render ends the process three times, the store contains three attempts that were begun but not finished. This
  // loop writes the same state.
  for (let ends = 0; ends < 3; ends++) await beginAttempt(first.owner.partition, row?.number ?? 0);
  await first.close();
  const { owner } = await ownWithOutbox(t, bench);
  const id = draftId(small, 'engineer');
  await ended(owner.partition, id);
  const failed = readDraft(owner.partition, id);
  assert.deepEqual(
    [failed?.status, failed?.error],
    ['failed', 'The draft could not be written. The worker ended during each of 3 attempts.'],
  );
  await enqueueAndFold(owner, feed(bench.journal), [generate(small)]);
  await ended(owner.partition, id);
  assert.equal(readDraft(owner.partition, id)?.status, 'ready');
});

test('every ticket is carried out, however short the queue is', async (t) => {
  const bench = await startBench(t);
  await ownWithOutbox(t, bench, 'directory');
  const { owner } = await ownWithOutbox(t, bench, 'p00', () => new RenderPool(1, 10_000, { waiting: 1 }));
  const lane = feed(bench.journal);
  const rangeIds = Array.from({ length: 8 }, (_, nth) => `range_0000000000000000000000000${nth}aa`);
  await enqueueAndFold(owner, lane, [
    pullRecord(1),
    ...rangeIds.map((rangeId) => createRange(rangeId, 1, 9)),
    ...rangeIds.flatMap((rangeId) => personas.map((persona) => generate(rangeId, persona))),
  ]);
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  for (const id of rangeIds.flatMap((rangeId) => personas.map((persona) => draftId(rangeId, persona)))) {
    const draft = readDraft(owner.partition, id);
    assert.deepEqual([draft?.status, draft?.error, draft?.revision], ['ready', null, 1]);
    assert.equal(listDraftRevisions(owner.partition, id).length, 1);
  }
});

test('tickets left by a stop are carried out after the next start', async (t) => {
  const bench = await startBench(t);
  const first = await ownRanges(t, bench, () => new RenderPool(1, 60_000));
  await first.outbox.close();
  await enqueueAndFold(
    first.owner,
    first.lane,
    personas.map((persona) => generate(small, persona)),
  );
  for (const persona of personas) {
    assert.equal(readDraft(first.owner.partition, draftId(small, persona))?.status, 'processing');
  }
  await first.close();
  const { owner } = await ownWithOutbox(t, bench);
  for (const persona of personas) {
    await ended(owner.partition, draftId(small, persona));
    assert.equal(readDraft(owner.partition, draftId(small, persona))?.status, 'ready');
  }
});

test('a question is answered before the waiting effects', async (t) => {
  const bench = await startBench(t);
  const { owner, lane } = await ownRanges(t, bench, () => new RenderPool(1, 60_000));
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  const pool = new RenderPool(1, 60_000);
  afterwards(t, () => pool.close());
  const where = { dataDir: bench.dataDir, partition: 'p00' };
  const order: string[] = [];
  const run = async (name: string, work: Parameters<typeof pool.run>[0]['work']) => {
    await pool.run({ ...where, work }, { organization: 'acme' });
    order.push(name);
  };
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2 } as const;
  const render = { task: 'render', rangeId: small, persona: 'engineer' } as const;
  await Promise.all([
    run('running', render),
    run('first effect', render),
    run('second effect', { task: 'recount', repoId }),
    run('question', { task: 'preview', repoId, bounds }),
  ]);
  assert.deepEqual(order, ['running', 'question', 'first effect', 'second effect']);
  await lane.close();
});

test('a pool refuses tasks that do not fit in its queue', async (t) => {
  const bench = await startBench(t);
  await ownWithOutbox(t, bench, 'directory');
  const { owner } = await ownWithOutbox(t, bench);
  await enqueueAndFold(owner, feed(bench.journal), [pullRecord(1)]);
  const pool = new RenderPool(1, 60_000, { waiting: 2 });
  afterwards(t, () => pool.close());
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2 } as const;
  const work = { task: 'preview', repoId, bounds } as const;
  const ask = () => pool.run({ dataDir: bench.dataDir, partition: 'p00', work }, { organization: 'acme' });
  const outcomes = await Promise.allSettled([ask(), ask(), ask(), ask(), ask()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  for (const outcome of outcomes.slice(3)) {
    assert.ok(
      outcome.status === 'rejected' && outcome.reason.kind === 'unavailable' && outcome.reason.retryAfter === 1,
    );
  }
  assert.equal((await ask()).prCount, 1);
});
