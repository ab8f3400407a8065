/**
 * Tests the API description as clients get it: the OpenAPI document needs no key, and its page loads nothing from other
 * servers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../src/api/openapi.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { operationOf } from '../helpers/contract.ts';
import { startService } from '../helpers/service.ts';

test('the contract is available and self-contained', async (t) => {
  const service = await startService(t);
  const get = (path: string, init: RequestInit = {}) => fetch(service.url + path, init);

  await t.test('the document needs no key and has a strong ETag', async () => {
    const answer = await get('/api/openapi.json');
    assert.equal(answer.status, 200);
    const expected = openApiDocument(apiRoutes, service.env.TIDINGS_PUBLIC_URL);
    assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(expected)));
    const etag = answer.headers.get('etag') ?? '';
    assert.match(etag, /^"[^"]+"$/);
    const again = await get('/api/openapi.json', { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag]);
    assert.equal((await get('/api/openapi.json', { headers: { 'if-none-match': '"other"' } })).status, 200);
  });

  await t.test('the document is read-only', async () => {
    const head = await get('/api/openapi.json', { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    const post = await get('/api/openapi.json', { method: 'POST', body: '{}' });
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  });

  await t.test('the page and all its files are served by this service', async () => {
    const answer = await get('/docs');
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    const page = await answer.text();
    assert.doesNotMatch(page, /https?:|style=|<script>| on\w+=/);
    const files = [...page.matchAll(/(?:src|href)="(docs\/[^"]+\?[^"]+)"/g)].map((match) => `/${match[1]}`);
    assert.deepEqual(
      files.map((file) => file.replace(/\?v=[\w-]{8}$/, '')),
      ['/docs/swagger-ui.css', '/docs/page.css', '/docs/swagger-ui-bundle.js', '/docs/start.js'],
    );
    for (const file of files) {
      const { status, headers } = await get(file);
      assert.deepEqual([status, headers.get('x-content-type-options')], [200, 'nosniff'], file);
      assert.match(headers.get('content-type') ?? '', file.includes('.css') ? /^text\/css/ : /^text\/javascript/);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable', file);
    }
    for (const [, link] of page.matchAll(/<a href="([^"]+)"/g)) assert.equal((await get(`/${link}`)).status, 200, link);
    const start = await (await get('/docs/start.js')).text();
    assert.match(start, /validatorUrl: null/);
    assert.match(start, /url: 'api\/openapi\.json'/);
    assert.equal((await get('/docs/index.html')).status, 404);
  });

  await t.test('content that is the same for everyone is compressed', async () => {
    for (const path of [
      '/api/openapi.json',
      '/docs',
      '/docs/swagger-ui-bundle.js',
      '/docs/swagger-ui.css',
      '/docs/guide',
    ]) {
      const plain = await (await get(path, { headers: { 'accept-encoding': 'identity' } })).text();
      for (const encoding of ['gzip', 'br']) {
        const answer = await get(path, { headers: { 'accept-encoding': encoding } });
        assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, encoding], path);
        assert.equal(answer.headers.get('vary'), 'Accept-Encoding', path);
        assert.equal(await answer.text(), plain, path);
      }
    }
  });

  await t.test('no reply of an operation is compressed, whatever the client accepts', async () => {
    const authorization = `Bearer ${service.adminKey}`;
    for (const path of ['/api/stats', '/api/repos', '/api/repos?x=1']) {
      const plain = await get(path, { headers: { authorization, 'accept-encoding': 'identity' } });
      for (const wanted of ['gzip', 'br', 'gzip, deflate, br, zstd', '*', 'identity;q=0, gzip']) {
        const answer = await get(path, { headers: { authorization, 'accept-encoding': wanted } });
        assert.equal(answer.status, plain.status, `${path} ${wanted}`);
        assert.deepEqual([answer.headers.get('content-encoding'), answer.headers.get('vary')], [null, null], wanted);
        assert.equal(answer.headers.get('content-length'), plain.headers.get('content-length'), path);
        await answer.arrayBuffer();
      }
      await plain.arrayBuffer();
    }
  });

  await t.test('every refusal links to its explanation', async () => {
    const { adminKey: key } = service;
    const asked: [string, string, number, string?][] = [
      ['GET', '/api/repos', 401],
      ['GET', '/api/repos?limit=0', 400, key],
      ['GET', '/api/drafts/draft_x', 404, key],
      ['PUT', '/api/repos/repo_x/settings', 404, key],
      ['POST', '/api/webhooks/scm', 401],
      ['DELETE', '/api/repos', 405],
      ['GET', '/nowhere', 404],
    ];
    for (const [method, path, status, bearer] of asked) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
      const answer = await get(path, { method, headers, ...(method !== 'GET' && { body: '{}' }) });
      assert.equal(answer.status, status, path);
      const place = /^<(\/docs)(?:#\/(\w+)\/(\w+))?>; rel="help"$/.exec(answer.headers.get('link') ?? '') ?? [];
      assert.equal(place[1], '/docs', path);
      const operation = operationOf(method, path)?.definition;
      assert.deepEqual([place[2], place[3]], [operation?.tags[0], operation?.operationId], path);
    }
    assert.equal((await service.api('GET', '/api/stats')).headers.get('link'), null);
  });

  await t.test('the page may connect to this service only', async () => {
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui-bundle.js']) {
      const policy = (await get(path)).headers.get('content-security-policy') ?? '';
      const rules = new Map(policy.split('; ').map((rule) => rule.split(/ (.*)/).slice(0, 2) as [string, string]));
      assert.equal(rules.get('default-src'), "'none'");
      assert.equal(rules.get('script-src'), "'self'");
      assert.equal(rules.get('connect-src'), "'self'");
      assert.equal(rules.get('frame-ancestors'), "'none'");
      assert.doesNotMatch(policy, /unsafe|\*|http/);
    }
  });
});
