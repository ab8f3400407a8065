/**
 * Checks the fold of backfills. A backfill reads the earlier history of a repository page by page. The tests cover the
 * content of pages, the progress, and the end of a backfill. The result does not depend on the order of deliveries and
 * pages.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BackfilledBody, EventBody } from '../../../src/protocol/events.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readBackfill, readTagSync } from '../../../src/store/tables/backfills.ts';
import { countEffects, listEffects } from '../../../src/store/tables/outbox.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readCommit, readPush } from '../../../src/store/tables/pushes.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { readTag } from '../../../src/store/tables/tags.ts';
import { foldRecords, openTestPartition, reportedEvents } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  backfillProgress,
  branchPush,
  commandRecord,
  epoch,
  eventRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  shaNumber,
  tagPush,
} from '../../helpers/partition-records.ts';
import { anyBackfilledBody, anyBody, listedCommits } from '../../helpers/partition-steps.ts';

const repository = repositoryFields();
const { id: repoId } = repository;

function start(backfillId: string, since: number | null = null, at = epoch) {
  return commandRecord({ name: 'startBackfill', backfillId, repository, since, installationId: null }, at);
}

function pullBody(number: number, title: string): EventBody {
  return { event: 'pull_request', action: 'backfilled', pull: pullSnapshot(number, { title }) };
}

const row = (partition: Partition) => readBackfill(partition, repoId) ?? assert.fail();

test('starting a backfill creates its repository and one effect', async (t) => {
  const partition = openTestPartition(t);
  const [one, two] = [start('bf_1'), start('bf_2')];
  await foldRecords(partition, 1, one, two);
  assert.equal(readRepository(partition, repoId)?.fullName, 'acme/rocket');
  const effects = listEffects(partition, 0, 10).map(({ effect }) => effect.effect);
  assert.deepEqual(effects.sort(), ['backfill', 'relay']);
  const values = [one, two].map(({ id }) => (readResult(partition, id) as { value: { id: string } }).value.id);
  assert.deepEqual(values, ['bf_1', 'bf_1'], 'the second start is answered with the one under way');
});

test('a page and its progress are folded together, and a late page lowers no progress', async (t) => {
  const partition = openTestPartition(t);
  const page = backfilledRecord([pullBody(1, 'One')], { job: 'bf_1', progress: backfillProgress(2) });
  await foldRecords(partition, 1, start('bf_1'), page);
  assert.deepEqual([readPull(partition, repoId, 1)?.title, row(partition).step], ['One', 2]);
  const late = backfilledRecord([pullBody(2, 'Two')], {
    job: 'bf_1',
    progress: backfillProgress(1, { error: 'late' }),
  });
  await foldRecords(partition, 2, late);
  assert.deepEqual(
    [readPull(partition, repoId, 2)?.title, row(partition).step, row(partition).error],
    ['Two', 2, null],
  );
});

test('the percentage never decreases and ends at 100', async (t) => {
  const partition = openTestPartition(t);
  const at = (step: number, done: number, total: number) =>
    backfilledRecord([], { job: 'bf_1', progress: backfillProgress(step, { phases: { pulls: { done, total } } }) });
  await foldRecords(partition, 1, start('bf_1'), at(1, 5, 10));
  const { percent } = row(partition);
  assert.ok(percent > 0 && percent < 50);
  await foldRecords(partition, 2, at(2, 6, 60));
  assert.equal(row(partition).percent, percent);
  const end = backfilledRecord([], { job: 'bf_1', progress: backfillProgress(3, { state: 'completed' }) });
  await foldRecords(partition, 3, end);
  assert.deepEqual([row(partition).percent, row(partition).finishedAt], [100, epoch]);
  assert.ok(listEffects(partition, 0, 10).every(({ effect }) => effect.effect !== 'backfill'));
});

test('the end of a backfill sends one event to endpoints', async (t) => {
  const partition = openTestPartition(t);
  const page = (job: string, step: number, fields: Parameters<typeof backfillProgress>[1], at = epoch) =>
    backfilledRecord([], { job, at, reports: true, progress: backfillProgress(step, fields) });
  const completed = page('bf_1', 2, { state: 'completed' }, epoch + 5);
  await foldRecords(partition, 1, start('bf_1', Date.UTC(2025, 4, 1)), page('bf_1', 1, {}), completed, completed);
  await foldRecords(partition, 2, start('bf_2'), page('bf_2', 3, { state: 'failed', error: 'The host said no.' }));
  const waiting = page('bf_3', 4, { state: 'waiting', error: 'The host asks to wait.' });
  const cancel = commandRecord({ name: 'cancelBackfill', repoId, reports: true }, epoch + 9);
  await foldRecords(partition, 3, start('bf_3'), waiting, cancel, { ...cancel, id: 'again' });
  const reported = reportedEvents(partition);
  assert.deepEqual(
    reported.map(({ data }) => data),
    [
      { repoId, backfillId: 'bf_1', status: 'completed', since: '2025-05-01', counts: { pulls: 2 }, error: null },
      { repoId, backfillId: 'bf_2', status: 'failed', since: null, counts: { pulls: 3 }, error: 'The host said no.' },
      { repoId, backfillId: 'bf_3', status: 'cancelled', since: null, counts: { pulls: 4 }, error: null },
    ],
  );
  assert.deepEqual(
    reported.map(({ event, happenedAt }) => [event, happenedAt - epoch]),
    [
      ['backfill.completed', 5],
      ['backfill.completed', 0],
      ['backfill.completed', 9],
    ],
  );
});

test('the end of a backfill in records of an earlier version sends no event', async (t) => {
  const partition = openTestPartition(t);
  const end = backfilledRecord([], { job: 'bf_1', progress: backfillProgress(1, { state: 'completed' }) });
  await foldRecords(partition, 1, start('bf_1'), end, start('bf_2'), commandRecord({ name: 'cancelBackfill', repoId }));
  assert.deepEqual([row(partition).state, reportedEvents(partition)], ['cancelled', []]);
});

test('a page of a finished, replaced or unknown backfill changes nothing', async (t) => {
  const partition = openTestPartition(t);
  const page = (job: string | null, step: number) =>
    backfilledRecord([pullBody(step, 'Late')], { job, ...(job && { progress: backfillProgress(step) }) });
  await foldRecords(partition, 1, page(null, 9), page('bf_0', 8));
  assert.equal(readRepository(partition, repoId), undefined, 'a page never makes a repository');
  const cancel = commandRecord({ name: 'cancelBackfill', repoId });
  await foldRecords(partition, 2, start('bf_1'), cancel, page('bf_1', 1), start('bf_2'), page('bf_1', 2));
  assert.deepEqual(
    [1, 2].map((number) => readPull(partition, repoId, number)),
    [undefined, undefined],
  );
  assert.deepEqual([row(partition).id, row(partition).state, countEffects(partition)], ['bf_2', 'running', 2]);
});

test('the next backfill keeps the lists that were read', async (t) => {
  const partition = openTestPartition(t);
  const lists = { pulls: { since: null, etag: 'W/"1"', newest: 5 } };
  const end = (job: string) =>
    backfilledRecord([], { job, progress: backfillProgress(9, { state: 'completed', lists }) });
  const [may, june] = [Date.UTC(2025, 4, 1), Date.UTC(2025, 5, 1)];
  await foldRecords(partition, 1, start('bf_1', june), end('bf_1'), start('bf_2', may));
  assert.deepEqual([row(partition).lists, row(partition).step], [lists, 0]);
  assert.equal(row(partition).depth, june, 'steps reach as far back as the first one went');
  await foldRecords(partition, 2, end('bf_2'));
  assert.equal(row(partition).depth, may);
});

test('a delivery wins over a page of the same second in either order', async (t) => {
  const [one, other] = [openTestPartition(t), openTestPartition(t, 'p01')];
  const page = backfilledRecord([pullBody(1, 'Read')], { job: 'bf_1' });
  await foldRecords(one, 1, start('bf_1'), pullRecord(1), page);
  await foldRecords(other, 1, start('bf_1'), page, pullRecord(1));
  for (const partition of [one, other]) assert.equal(readPull(partition, repoId, 1)?.title, 'Change 1');
});

test('a tag sync completes tags and stores its time', async (t) => {
  const partition = openTestPartition(t);
  const hint = { ...tagPush('v1', 1), sha: null, object: null, date: null, hint: true };
  const found = tagPush('v1', 1, { baseRef: null });
  const tagSync = { at: 7, etag: 'W/"2"' };
  await foldRecords(partition, 1, eventRecord({ event: 'tag', tag: hint }));
  assert.equal(readTag(partition, repoId, 'v1')?.sha, null);
  await foldRecords(partition, 2, backfilledRecord([{ event: 'tag', tag: found }], { tagSync }));
  const { sha, hint: stillHint } = readTag(partition, repoId, 'v1') ?? assert.fail();
  assert.deepEqual([sha, stillHint, readTagSync(partition, repoId)], [shaNumber(1), undefined, tagSync]);
});

test('a step replaces a push with a gap, and a complete push replaces the step', async (t) => {
  const partition = openTestPartition(t);
  const step = { before: shaNumber(1), after: shaNumber(2), shas: [shaNumber(2)], gap: false, at: 1 };
  const steps: BackfilledBody = { event: 'steps', branch: 'main', steps: [step] };
  const page = () => backfilledRecord([listedCommits, steps], { job: 'bf_1' });
  const push = (fields = {}) => eventRecord({ event: 'push', push: branchPush(0, 2, fields) });
  await foldRecords(partition, 1, start('bf_1'), push({ gap: true }), page());
  assert.deepEqual(readPush(partition, repoId, 'main', shaNumber(2))?.shas, [shaNumber(2)]);
  await foldRecords(partition, 2, push());
  assert.deepEqual(readPush(partition, repoId, 'main', shaNumber(2))?.shas, [shaNumber(1), shaNumber(2)]);
  const { parents, backfilled } = readCommit(partition, repoId, shaNumber(2)) ?? assert.fail();
  assert.deepEqual([parents, backfilled], [[shaNumber(1)], undefined]);
});

test('deliveries and pages leave the same records in any order', async (t) => {
  const partitions = [openTestPartition(t), openTestPartition(t, 'p01')];
  const reported = fc.oneof(
    anyBody.map((body) => eventRecord(body)),
    anyBackfilledBody.map((body) => backfilledRecord([body], { job: 'bf_1' })),
  );
  const cases = fc
    .array(reported, { minLength: 1, maxLength: 14 })
    .chain((records) => fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length })));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(cases, async (orders) => {
      round += 1;
      const mine = { ...repository, id: `repo_${round}` };
      const begin = { name: 'startBackfill', backfillId: 'bf_1', since: null, installationId: null } as const;
      for (const [i, order] of orders.entries()) {
        // The commits come first. A real backfill also reads commits before the steps of branches, because these steps
        // name the commits.
        const records = [backfilledRecord([listedCommits], { job: 'bf_1' }), ...order];
        const ofMine = records.map((record) => ({ ...record, repository: mine }));
        const command = commandRecord({ ...begin, repository: mine });
        await foldRecords(partitions[i] as Partition, round, command, ...ofMine);
      }
      const [one, other] = partitions.map((partition) => dumpOf(partition, mine.id));
      assert.equal(other, one);
    }),
    { numRuns: 200 },
  );
});

function dumpOf(partition: Partition, id: string): string {
  const range = { start: [id], end: [`${id}\u0001`] };
  const tables = ['pulls', 'issues', 'commits', 'pushes', 'tags'] as const;
  return JSON.stringify(tables.map((table) => [...partition.tables[table].getRange(range)]));
}
