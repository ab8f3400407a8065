/**
 * The API limits over HTTP: a hundred a minute and key, with headers that say so (spec 8).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../helpers/service.ts';

test('the limit of the API', async (t) => {
  const service = await startService(t, {
    env: {
      TIDINGS_LIMIT_API_PER_MINUTE: '100',
      TIDINGS_LIMIT_API_PER_HOUR: '1000',
      TIDINGS_LIMIT_API_PER_DAY: '10000',
    },
  });
  const key = service.tidings('keys', 'create', '--org', 'acme', '--name', 'a', '--quiet').trim();
  const other = service.tidings('keys', 'create', '--org', 'acme', '--name', 'b', '--quiet').trim();
  const reader = service
    .tidings('keys', 'create', '--org', 'acme', '--name', 'c', '--scopes', 'repos:read', '--quiet')
    .trim();

  await t.test('what is refused before costs nothing', async () => {
    assert.equal((await service.api('GET', '/api/repos', undefined, 'wrong')).status, 401);
    const forbidden = await service.api('GET', '/api/ranges?repoId=x', undefined, reader);
    assert.equal(forbidden.status, 403);
    assert.equal(forbidden.headers.get('x-ratelimit-remaining'), null);
    const { headers } = await service.api('GET', '/api/repos', undefined, reader);
    assert.equal(headers.get('x-ratelimit-remaining'), '99');
  });

  await t.test('exactly a hundred pass (spec 8)', async () => {
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => service.api('GET', '/api/repos', undefined, key)),
    );
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    assert.deepEqual([passed.length, refused.length], [100, 30]);
    const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining'))).sort((a, b) => a - b);
    assert.deepEqual(
      remaining,
      Array.from({ length: 100 }, (_, i) => i),
    );
    for (const { headers, body } of refused) {
      assert.deepEqual(Object.keys(body).sort(), ['error', 'message', 'retryAfter']);
      assert.equal(body.error, 'Rate limit exceeded');
      assert.match(body.message, /100 requests per minute.*Wait \d+ seconds/);
      assert.ok(body.retryAfter >= 1 && body.retryAfter <= 60);
      assert.equal(headers.get('retry-after'), String(body.retryAfter));
      assert.equal(headers.get('x-ratelimit-limit'), '100');
      assert.equal(headers.get('x-ratelimit-remaining'), '0');
      const seconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      assert.ok(seconds > 0 && seconds <= 61, String(seconds));
    }
  });

  await t.test('every kind of request counts', async () => {
    for (const [method, path] of [
      ['GET', '/api/drafts/draft_x'],
      ['POST', '/api/ranges'],
      ['GET', '/api/repos?limit=0'],
    ] as const) {
      assert.equal((await service.api(method, path, method === 'POST' ? {} : undefined, key)).status, 429, path);
    }
  });

  await t.test('another key is not limited', async () => {
    const { status, headers } = await service.api('GET', '/api/drafts/draft_x', undefined, other);
    assert.equal(status, 404);
    assert.equal(headers.get('x-ratelimit-remaining'), '99', 'a request that fails counts too');
  });
});
