/** Tests lists over HTTP: all pages together contain the whole list once, in every sort order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullPayload, tagPayload } from '../helpers/payloads.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Reads all pages of a list by following `nextOffset`. Returns one field of each item, such as the name or id. */
async function walk(service: TestService, path: string, list: string, field: string): Promise<string[]> {
  const seen: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const { status, body }: Answer = await service.api('GET', `${path}&offset=${offset}`);
    assert.equal(status, 200);
    seen.push(...body[list].map((item: Record<string, string>) => item[field]));
    assert.equal(body.hasMore, body.nextOffset !== null);
    offset = body.nextOffset;
    assert.ok(offset === null || offset === seen.length);
  }
  return seen;
}

test('lists of the API are paged', async (t) => {
  const service = await startService(t);
  const numbers = Array.from({ length: 23 }, (_, i) => i + 1);
  await Promise.all(
    numbers.map((number) => service.deliver('push', tagPayload(`v${String(number).padStart(2, '0')}`, number))),
  );
  for (const number of numbers.slice(0, 7)) {
    await service.deliver('pull_request', pullPayload(number, {}, { id: 100 + number, full_name: `acme/r${number}` }));
  }
  await waitUntil('all repositories are listed', async () => (await service.api('GET', '/api/repos')).body.total === 8);
  const { repos } = (await service.api('GET', '/api/repos?sort=name&order=desc')).body;
  const repoId = repos[0].id;
  assert.equal(repos[0].fullName, 'acme/rocket');
  await waitUntil(
    'all tags are listed',
    async () => (await service.api('GET', `/api/repos/${repoId}/tags`)).body.total === 23,
  );
  const tags = numbers.map((number) => `v${String(number).padStart(2, '0')}`);

  await t.test('the pages of tags are the whole list (spec 4)', async () => {
    const path = `/api/repos/${repoId}/tags?`;
    assert.deepEqual(await walk(service, `${path}limit=5`, 'tags', 'name'), [...tags].reverse());
    assert.deepEqual(await walk(service, `${path}limit=1&sort=name`, 'tags', 'name'), tags);
    assert.deepEqual(await walk(service, `${path}sort=createdAt&order=asc`, 'tags', 'name'), tags);
    assert.deepEqual(await walk(service, `${path}limit=100&sort=name&order=desc`, 'tags', 'name'), [...tags].reverse());
  });

  await t.test('a page has twenty items by default (spec 4)', async () => {
    const { body } = await service.api('GET', `/api/repos/${repoId}/tags`);
    assert.deepEqual([body.tags.length, body.total, body.hasMore, body.nextOffset], [20, 23, true, 20]);
  });

  await t.test('the pages of repositories are the whole list (spec 4)', async () => {
    const names = [...numbers.slice(0, 7).map((number) => `acme/r${number}`), 'acme/rocket'].sort();
    assert.deepEqual(await walk(service, '/api/repos?limit=3', 'repos', 'fullName'), names);
    assert.deepEqual(
      await walk(service, '/api/repos?limit=3&sort=name&order=desc', 'repos', 'fullName'),
      [...names].reverse(),
    );
  });

  await t.test('the pages of ranges are the whole list (spec 4)', async () => {
    const made: string[] = [];
    for (const number of numbers.slice(0, 7)) {
      const body = { repoId, type: 'PR_BASED', fromPrNumber: number, toPrNumber: number + 1 };
      made.push((await service.api('POST', '/api/ranges', body)).body.id);
    }
    const path = `/api/ranges?repoId=${repoId}`;
    assert.deepEqual(await walk(service, `${path}&limit=2`, 'ranges', 'id'), [...made].reverse());
    assert.deepEqual(await walk(service, `${path}&limit=3&sort=createdAt&order=asc`, 'ranges', 'id'), made);
    assert.deepEqual(await walk(service, `${path}&limit=4&sort=name`, 'ranges', 'id'), made);
  });

  await t.test('a page with an offset past the end is empty (spec 4)', async () => {
    const { body } = await service.api('GET', '/api/repos?offset=1000000000');
    assert.deepEqual(body, { repos: [], total: 8, hasMore: false, nextOffset: null });
  });
});
