/**
 * Tests lists of captured pull requests and issues: their order and pages, their filters, and the cursor that continues
 * a list with a filter after a thousand rows.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { capturedListRoutes } from '../../../src/api/captured-lists.ts';
import { pageLinks } from '../../../src/api/page.ts';
import type { ApiRequest, ApiRoute } from '../../../src/api/route.ts';
import type { ListPullRequestsQuery } from '../../../src/protocol/resources/captured.ts';
import type { PullRecord } from '../../../src/protocol/stored.ts';
import { writeIssue } from '../../../src/store/tables/issues.ts';
import { writeLabelChange } from '../../../src/store/tables/labels.ts';
import { writePull } from '../../../src/store/tables/pulls.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { pullRecord, repositoryFields } from '../../helpers/partition-records.ts';
import { anIssue, aPull } from '../notes/memory-source.ts';

interface Listed {
  items: Record<string, unknown>[];
  total: number;
  hasMore: boolean;
  nextOffset: number | null;
  nextCursor: string | null;
}

const repoId = repositoryFields().id;
const [pulls, issues] = capturedListRoutes;
const numbers = ({ items }: Listed) => items.map(({ number }) => number);
const wasOpen: Partial<PullRecord> = { state: 'open', mergedAt: null, mergeSha: null, closedAt: null };

/** Returns a function that writes pull requests, and one that lists pull requests or issues. */
async function stored(t: TestContext) {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  const context = { readers: { fresh: () => partition }, settings: { partitions: 1 } };
  const write = (records: PullRecord[]) =>
    partition.write(() => {
      for (const record of records) writePull(partition, repoId, record, undefined);
    });
  const list = async (query: ListPullRequestsQuery, route: unknown = pulls): Promise<Listed> => {
    const request = { params: [repoId], query, caller: { maySee: () => true }, context };
    const { body } = await (route as ApiRoute<never>).handle(request as unknown as ApiRequest<never>);
    const { pulls: found, issues: others, ...rest } = body as Record<string, unknown>;
    return { items: found ?? others, ...rest } as Listed;
  };
  return { partition, write, list };
}

test('a list without a filter has all numbers, the newest first, on pages', async (t) => {
  const { write, list } = await stored(t);
  await write([9, 10, 11, 200].map((number) => aPull(number)));
  const first = await list({ limit: 2 });
  assert.deepEqual([numbers(first), first.total, first.hasMore, first.nextOffset], [[200, 11], 5, true, 2]);
  const last = await list({ limit: 2, offset: 4 });
  assert.deepEqual([numbers(last), last.hasMore, last.nextOffset, last.nextCursor], [[1], false, null, null]);
  const older = await list({ cursor: '11' });
  assert.deepEqual([numbers(older), older.total], [[10, 9, 1], 3]);
  assert.deepEqual(numbers(await list({ offset: 99 })), []);
});

test('an item has the fields of one pull request or issue, without body and comments', async (t) => {
  const { partition, list } = await stored(t);
  await partition.write(() => writeIssue(partition, repoId, anIssue(7, { body: 'A long text' }), undefined));
  const [pull] = (await list({})).items;
  assert.deepEqual([pull?.state, pull?.baseBranch, pull?.repoId], ['merged', 'main', repoId]);
  const found = await list({}, issues);
  assert.deepEqual([numbers(found), found.items[0]?.stateReason], [[7], 'completed']);
  for (const item of [pull, ...found.items]) assert.ok(item && !('body' in item) && !('comments' in item));
});

test('filters select by state, current label and base branch', async (t) => {
  const { partition, write, list } = await stored(t);
  await write([
    aPull(2, { labels: ['bug'] }),
    aPull(3, { ...wasOpen, labels: ['Bug', 'docs'] }),
    aPull(4, { ...wasOpen, state: 'closed', baseRef: 'release' }),
  ]);
  assert.deepEqual(numbers(await list({ state: 'open' })), [3]);
  assert.deepEqual(numbers(await list({ state: 'closed' })), [4]);
  assert.deepEqual(numbers(await list({ state: 'merged' })), [2, 1]);
  assert.deepEqual(numbers(await list({ label: 'BUG' })), [3, 2]);
  assert.deepEqual(numbers(await list({ label: 'bug', state: 'merged' })), [2]);
  assert.deepEqual(numbers(await list({ base: 'release' })), [4]);
  const none = await list({ base: 'rel' });
  assert.deepEqual([none.items, none.total, none.nextCursor], [[], 0, null]);
  const renamed = { id: '1', from: 'docs', to: 'area: docs', seenAt: Date.UTC(2100, 0, 1) };
  await partition.write(() => writeLabelChange(partition, repoId, renamed));
  assert.deepEqual(numbers(await list({ label: 'docs' })), []);
  assert.deepEqual(numbers(await list({ label: 'area: docs' })), [3]);
});

test('a request with a filter examines a thousand rows, and its cursor continues the list', async (t) => {
  const { write, list } = await stored(t);
  const open = new Set([2, 3, 1_500, 2_400]);
  await write(Array.from({ length: 2_500 }, (_, i) => aPull(i + 1, open.has(i + 1) ? wasOpen : {})));
  const first = await list({ state: 'open' });
  assert.deepEqual([numbers(first), first.total, first.hasMore, first.nextCursor], [[2_400], 1, false, '1501']);
  const second = await list({ state: 'open', cursor: '1501' });
  assert.deepEqual([numbers(second), second.nextCursor], [[1_500], '501']);
  const third = await list({ state: 'open', cursor: '501' });
  assert.deepEqual([numbers(third), third.nextCursor], [[3, 2], null]);
  assert.equal((await list({})).total, 2_500);
});

test('a request with a filter ends early after four million characters of bodies', async (t) => {
  const { write, list } = await stored(t);
  const body = 'x'.repeat(1_000_000);
  await write(Array.from({ length: 10 }, (_, i) => aPull(i + 1, { ...wasOpen, body })));
  const first = await list({ state: 'open' });
  assert.deepEqual([numbers(first), first.nextCursor], [[10, 9, 8, 7, 6], '6']);
  const second = await list({ state: 'open', cursor: '6' });
  assert.deepEqual([numbers(second), second.nextCursor], [[5, 4, 3, 2, 1], null]);
});

test('the link to the next page follows the cursor after the last examined row', () => {
  const page = { total: 1, hasMore: false, nextCursor: '1501' };
  assert.equal(
    pageLinks('/pulls', 'state=open&limit=5', page),
    '</pulls?state=open&limit=5&offset=0>; rel="first", </pulls?state=open&limit=5&offset=0&cursor=1501>; rel="next"',
  );
});
