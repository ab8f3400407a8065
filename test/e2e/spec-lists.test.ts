/** Tests the rules that apply to all lists (spec part 4): pages, filters and sorting. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiRoutes } from '../../src/api/routes.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { createTagRange, deliverRocket, generateDraft, toEnd } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('lists follow the spec', async (t) => {
  const env = { TIDINGS_EGRESS_ALLOW: '127.0.0.0/8', TIDINGS_USAGE_FLUSH_SECONDS: '1' };
  const service = await startService(t, { env });
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id);
  for (let last = 1; last <= 24; last++) {
    const body = { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: last };
    assert.equal((await service.api('POST', '/api/ranges', body)).status, 201);
  }
  const get = (path: string) => service.api('GET', path);
  const hooks = { org: 'acme', url: (await startReceiver(t)).url };
  const endpointId = (await service.api('POST', '/api/webhook-endpoints', hooks)).body.id;
  const ids: Record<string, string> = { repoId, rangeId: range.id, draftId: draft.id, endpointId };
  const { orgId } = (await get('/api/repos')).body.repos[0];
  for (const bodyMd of ['First text.\n', 'Second text.\n']) {
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd });
    const asked = service.api('POST', '/api/publish', { draftId: draft.id, channel: 'hosted' });
    assert.equal((await toEnd(service, asked)).status, 201);
  }
  // The tests read each list more than once, so the lists must no longer change. The event of the second publication is
  // the last one. It can reach the endpoint after the others are delivered.
  await waitUntil('the endpoint has received everything', async () => {
    const { body } = await get(`/api/webhook-endpoints/${endpointId}/deliveries`);
    const all: { event: string; status: string }[] = body.deliveries;
    const published = all.filter(({ event }) => event === 'draft.published');
    return published.length === 2 && all.every(({ status }) => status === 'delivered');
  });
  // The last use of a key is stored at most once per minute.
  await waitUntil('the use of the key is stored', async () => {
    const { keys } = (await get('/api/keys')).body;
    return keys.every((each: { lastUsedAt: string | null }) => each.lastUsedAt !== null);
  });
  const needs: Record<string, string> = {
    listRanges: `repoId=${repoId}`,
    listDrafts: `releaseRangeId=${range.id}`,
    listPublications: `draftId=${draft.id}`,
    listChannels: `orgId=${orgId}`,
  };
  // An object can contain a part that has pages, such as the comments of a pull request. Such an object is not a list.
  const listRoutes = apiRoutes.filter(
    ({ operation, query }) => 'limit' in query.properties && operation.startsWith('list'),
  );
  const lists = listRoutes.map((route) => ({
    route,
    url: `${route.path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? assert.fail(name))}?${needs[route.operation] ?? ''}&`,
    itemsOf: ({ body }: Answer) => Object.values(body).find(Array.isArray) as { id?: string; name?: string }[],
  }));

  await t.test('every list has pages of 20 items by default and 100 at most (spec 4)', async () => {
    assert.ok(lists.length >= 8);
    for (const { route, url, itemsOf } of lists) {
      const [plain, same, largest] = [
        await get(url),
        await get(`${url}limit=20&offset=0`),
        await get(`${url}limit=100`),
      ];
      assert.deepEqual(same.body, plain.body, route.operation);
      assert.equal(largest.status, 200, route.operation);
      const { total, hasMore, nextOffset } = plain.body;
      const shown = Math.min(20, total);
      assert.equal(itemsOf(plain).length, shown, route.operation);
      assert.deepEqual([hasMore, nextOffset], [total > shown, total > shown ? shown : null], route.operation);
      for (const bad of ['limit=101', 'limit=0', 'limit=x', 'offset=-1']) {
        const refused = await get(url + bad);
        assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, [bad.split('=')[0]]], bad);
      }
    }
    assert.equal((await get(`/api/ranges?repoId=${repoId}`)).body.hasMore, true, 'one of the lists has more pages');
  });

  await t.test('lists are sorted by the parameters sort and order (spec 4)', async () => {
    for (const { url, itemsOf, route } of lists.filter(({ route: { query } }) => 'sort' in query.properties)) {
      for (const sort of ['createdAt', 'updatedAt', 'name']) {
        const [up, down] = [
          itemsOf(await get(`${url}limit=100&sort=${sort}&order=asc`)),
          itemsOf(await get(`${url}limit=100&sort=${sort}&order=desc`)),
        ];
        assert.deepEqual(down, [...up].reverse(), `${route.operation} by ${sort}`);
      }
      for (const bad of ['sort=size', 'order=up', 'sort=']) {
        const refused = await get(url + bad);
        assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, [bad.split('=')[0]]], bad);
      }
    }
    const createdOf = async (order: string) =>
      (await get(`/api/ranges?repoId=${repoId}&limit=100&sort=createdAt&order=${order}`)).body.ranges.map(
        (each: { createdAt: string }) => each.createdAt,
      );
    assert.deepEqual(await createdOf('asc'), [...(await createdOf('asc'))].sort());
    const names = (await get(`/api/repos/${repoId}/tags?sort=name&order=desc`)).body.tags;
    assert.deepEqual(
      names.map(({ name }: { name: string }) => name),
      ['v1.1.0', 'v1.0.0'],
    );
  });

  await t.test('lists are filtered by query parameters (spec 4)', async () => {
    const other = (await createTagRange(service, repoId)).body;
    await generateDraft(service, other.id, 'internal');
    const found = (await get(`/api/drafts?releaseRangeId=${other.id}`)).body;
    assert.deepEqual([found.total, found.drafts[0].releaseRangeId, found.drafts[0].persona], [1, other.id, 'internal']);
    assert.equal((await get(`/api/drafts?releaseRangeId=${other.id}&persona=customer`)).body.total, 0);
    const all = (await get(`/api/ranges/${range.id}/changes`)).body.total;
    const [included, left] = [
      (await get(`/api/ranges/${range.id}/changes?included=true`)).body.total,
      (await get(`/api/ranges/${range.id}/changes?included=false`)).body.total,
    ];
    assert.equal(included + left, all);
    assert.ok(included > 0);
  });
});
