/**
 * Tests the parts of API replies other than the body: ETags, links between pages, HEAD and cross-origin requests. Also
 * tests the setting that lists the addresses from which webhooks may come.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

test('replies are conditional and linked', async (t) => {
  const service = await startService(t, { env: { TIDINGS_CORS_ORIGINS: 'https://app.example' } });
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const draftId = (await generateDraft(service, rangeId)).id;
  const key = service.adminKey;
  const call = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(service.url + path, { method, headers: { authorization: `Bearer ${key}`, ...headers } });
  const paths = [
    '/api/repos',
    `/api/repos/${repoId}/tags?limit=1`,
    `/api/repos/${repoId}/settings`,
    `/api/ranges?repoId=${repoId}`,
    `/api/ranges/${rangeId}`,
    `/api/ranges/${rangeId}/changes`,
    `/api/drafts?releaseRangeId=${rangeId}`,
    `/api/drafts/${draftId}`,
    `/api/drafts/${draftId}/revisions`,
    '/api/orgs',
    '/api/webhook-secrets',
  ];

  await t.test('a known state is not sent again', async () => {
    for (const path of paths) {
      const first = await call(path);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"4-[\w-]{22}"$/, path);
      await first.arrayBuffer();
      const again = await call(path, { 'if-none-match': `"other", ${etag}` });
      assert.deepEqual([again.status, await again.text()], [304, ''], path);
      assert.equal(again.headers.get('etag'), etag);
      assert.ok(again.headers.get('x-request-id'));
      const other = await call(path, { 'if-none-match': '"other"' });
      assert.equal(other.status, 200, path);
    }
  });

  await t.test('the validator depends on the content, not on the caller', async () => {
    const acme = service.tidings('keys', 'create', '--org', 'acme', '--name', 'a', '--quiet').trim();
    for (const path of [`/api/drafts/${draftId}`, '/api/repos']) {
      const own = await call(path, { authorization: `Bearer ${acme}` });
      assert.equal(own.headers.get('etag'), (await call(path)).headers.get('etag'), path);
    }
    const before = (await call('/api/repos')).headers.get('etag');
    await service.api('PATCH', `/api/repos/${repoId}`, { selected: false });
    const after = (await call('/api/repos')).headers.get('etag');
    assert.notEqual(after, before);
    await service.api('PATCH', `/api/repos/${repoId}`, { selected: true });
    assert.equal((await call('/api/repos')).headers.get('etag'), before);
  });

  await t.test('HEAD gets the headers of GET without a body', async () => {
    for (const path of paths) {
      const [head, get] = [await call(path, {}, 'HEAD'), await call(path)];
      assert.deepEqual([head.status, await head.text()], [200, ''], path);
      assert.equal(head.headers.get('etag'), get.headers.get('etag'), path);
      assert.equal(head.headers.get('content-type'), 'application/json');
    }
    assert.equal((await call('/api/drafts/draft_x', {}, 'HEAD')).status, 404);
    assert.equal((await fetch(`${service.url}/api/repos`, { method: 'HEAD' })).status, 401);
  });

  await t.test('pages of a list are linked (spec 4)', async () => {
    const seen: string[] = [];
    let path = `/api/repos/${repoId}/tags?limit=1&sort=name`;
    for (;;) {
      const answer = await call(path);
      seen.push(...((await answer.json()) as { tags: { name: string }[] }).tags.map(({ name }) => name));
      const next = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      if (!next) break;
      path = next;
    }
    assert.deepEqual(seen, ['v1.0.0', 'v1.1.0']);
    const link = (await call(`/api/repos/${repoId}/tags?limit=1&offset=1&sort=name`)).headers.get('link');
    const at = (offset: number) => `</api/repos/${repoId}/tags?limit=1&offset=${offset}&sort=name>`;
    assert.equal(link, `${at(0)}; rel="first", ${at(0)}; rel="prev", ${at(1)}; rel="last"`);
    assert.equal((await call(`/api/drafts/${draftId}`)).headers.get('link'), null);
  });

  await t.test('a page of an allowed origin may use the API', async () => {
    const origin = 'https://app.example';
    const preflight = await fetch(`${service.url}/api/ranges`, { method: 'OPTIONS', headers: { origin } });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
    assert.equal((await call('/api/repos', { origin })).headers.get('access-control-allow-origin'), origin);
    const refused = await fetch(`${service.url}/api/repos`, { headers: { origin } });
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, origin]);
    const foreign = await call('/api/repos', { origin: 'https://evil.example' });
    assert.equal(foreign.headers.get('access-control-allow-origin'), null);
  });

  await t.test('the client’s request id is kept', async () => {
    const answer = await call('/api/repos', { 'x-request-id': 'trace-1' });
    assert.equal(answer.headers.get('x-request-id'), 'trace-1');
    assert.notEqual((await call('/api/repos', { 'x-request-id': 'a b' })).headers.get('x-request-id'), 'a b');
  });
});

test('webhooks are accepted from listed addresses only (spec 5)', async (t) => {
  const service = await startService(t, {
    env: { TIDINGS_WEBHOOK_ALLOW: '192.0.2.0/24', TIDINGS_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const deliver = async (forwarded?: string) =>
    service.deliver('pull_request', pullPayload(1), forwarded === undefined ? {} : { 'x-forwarded-for': forwarded });
  const refused = await deliver();
  assert.deepEqual([refused.status, Object.keys(refused.body)], [403, ['error', 'message']]);
  assert.equal((await deliver('192.0.2.1, 203.0.113.9')).status, 403);
  assert.equal(await service.metric('tidings_webhooks_received_total'), 2);
  assert.equal((await deliver('203.0.113.9, 192.0.2.1')).status, 202);
  assert.equal((await service.api('GET', '/api/repos')).status, 200, 'the API is open to all');
});
