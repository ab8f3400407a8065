/**
 * Tests reads that name no repository: drafts, publications and counts per week of all repositories that a key may see.
 * Each is read with an instance key and with the keys of two organizations.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weekOf } from '../../src/store/tables/weeks.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const moon = { id: 2002, full_name: 'Moon/Lab', owner: { login: 'Moon', id: 88 } };

test('drafts, publications and counts are read over all repositories of a key', async (t) => {
  // The last part expects the merges of now in the week that is the last one then.
  const weekIn = (ms: number) => weekOf(Date.now() + ms);
  await waitUntil('it is not the last minute of a week', () => weekIn(60_000) === weekIn(0), 120_000);
  const service = await startService(t);
  const now = new Date().toISOString();
  const merged = { merged_at: now, closed_at: now, updated_at: now };
  const repoId = await deliverRocket(service);
  for (const number of [21, 22]) await service.deliver('pull_request', pullPayload(number, merged, moon));
  const moonId: string = await waitUntil('the second repository is listed', async () => {
    const { repos } = (await service.api('GET', '/api/repos?fullName=Moon/Lab')).body;
    return repos[0]?.id;
  });
  await waitUntil('its pull requests are stored', async () => {
    const { body } = await service.api('GET', `/api/repos/${moonId}/pulls`);
    return body.total === 2;
  });
  const key = (org: string) => service.tidings('keys', 'create', '--name', 'k', '--quiet', '--org', org).trim();
  const [acmeKey, moonKey] = [key('acme'), key('Moon')];
  const read = async (path: string, as?: string) => (await service.api('GET', path, undefined, as)).body;

  const range = (await createTagRange(service, repoId)).body;
  const first = await generateDraft(service, range.id);
  const bounds = { repoId: moonId, type: 'PR_BASED', fromPrNumber: 21, toPrNumber: 22 };
  const second = await generateDraft(service, (await service.api('POST', '/api/ranges', bounds)).body.id);
  const ids = ({ drafts }: { drafts: { id: string }[] }) => drafts.map(({ id }) => id);
  const ready = '/api/drafts?status=ready&published=false&view=summary';

  await t.test('drafts that are ready and not published, newest first, without texts', async () => {
    const { drafts, total, nextCursor } = await read(ready);
    assert.deepEqual([ids({ drafts }), total, nextCursor], [[second.id, first.id], 2, null]);
    const { bodyMd, flags, conflicts, ...rest } = first;
    assert.deepEqual(drafts[1], rest);
    assert.deepEqual(ids(await read(ready, acmeKey)), [first.id]);
    assert.deepEqual(ids(await read(ready, moonKey)), [second.id]);
    assert.deepEqual(ids(await read('/api/drafts?status=failed')), []);
    assert.equal((await read('/api/drafts?status=ready')).drafts[0].bodyMd, second.bodyMd);
    const cursor = await service.api('GET', `/api/drafts?status=ready&cursor=${range.id}`, undefined, moonKey);
    assert.equal(cursor.status, 400, 'a cursor of another organization');
    assert.deepEqual(ids(await read(`/api/drafts?status=ready&cursor=${range.id}`)), [first.id]);
  });

  await t.test('publications by state, newest first, and a published draft is not ready any more', async () => {
    const hosted = async (draftId: string): Promise<string> => {
      const { body } = await service.api('POST', '/api/publish', { draftId, channel: 'hosted' });
      return (await publicationEnded(service, body.id)).id;
    };
    const page = await hosted(first.id);
    await service.api('PATCH', `/api/drafts/${first.id}`, { bodyMd: 'Changed.\n' });
    assert.deepEqual(ids(await read(ready, acmeKey)), [first.id], 'the newest revision is not published');
    const newer = await hosted(first.id);
    assert.deepEqual(ids(await read(ready, acmeKey)), []);
    assert.deepEqual(ids(await read('/api/drafts?published=true')), [first.id]);
    const listed = async (query: string, as?: string) => {
      const { publications, nextCursor } = await read(`/api/publications${query}`, as);
      return [...publications.map(({ id }: { id: string }) => id), nextCursor];
    };
    assert.deepEqual(await listed('?status=completed'), [newer, page, null]);
    assert.deepEqual(await listed('', acmeKey), [newer, page, null]);
    assert.deepEqual(await listed('', moonKey), [null]);
    assert.deepEqual(await listed('?status=failed'), [null]);
    assert.deepEqual(await listed(`?cursor=${page}`), [page, null]);
    assert.deepEqual(await listed(`?cursor=${page}`, moonKey), [null]);
    assert.deepEqual(await listed('?channel=hosted&limit=1&offset=1'), [page, null]);
    assert.equal((await service.api('GET', '/api/publications?cursor=x')).status, 400);
    assert.equal((await service.api('GET', `/api/publications?repoId=${repoId}&cursor=${page}`)).status, 400);
  });

  await t.test('a deleted publication leaves the list', async () => {
    const { publications } = await read('/api/publications');
    await service.api('DELETE', `/api/publications/${publications[0].id}`);
    assert.equal((await read('/api/publications')).total, publications.length - 1);
  });

  await t.test('weeks count the merges and publications of the repositories of the key', async () => {
    const last = async (query: string, as?: string) => (await read(`/api/stats/weeks${query}`, as)).weeks.at(-1);
    const { weeks } = await read('/api/stats/weeks', moonKey);
    assert.equal(weeks.length, 26);
    assert.ok(Date.parse(weeks[25].from) <= Date.now() && new Date(weeks[25].from).getUTCDay() === 1);
    const { merged: mine, withoutLabels } = await last('', moonKey);
    assert.deepEqual([mine, withoutLabels], [2, 2]);
    assert.equal((await last('', acmeKey)).merged, 0, 'its pull requests were merged long ago');
    assert.equal((await last(`?repoId=${moonId}`)).merged, 2);
    const { published, medianHours } = await last(`?repoId=${repoId}`);
    assert.ok(published > 0 && medianHours > 0, JSON.stringify({ published, medianHours }));
    assert.equal((await read('/api/stats/weeks?weeks=3')).weeks.length, 3);
    for (const query of [`?repoId=${repoId}`, `?orgId=org_1`])
      assert.equal((await service.api('GET', `/api/stats/weeks${query}`, undefined, moonKey)).status, 404, query);
    for (const weeks of [0, 53])
      assert.equal((await service.api('GET', `/api/stats/weeks?weeks=${weeks}`)).status, 400);
  });
});
