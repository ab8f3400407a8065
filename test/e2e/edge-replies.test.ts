/**
 * Tests all replies of the gateway: each has a request id, each error has a body as in the spec, and every path and
 * method gets a reply.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { talk } from '../helpers/raw-socket.ts';
import { startService } from '../helpers/service.ts';

const paths: Record<string, string> = {
  '/api/repos': 'GET, HEAD, OPTIONS',
  '/api/repos/repo_x/tags': 'GET, HEAD, OPTIONS',
  '/api/ranges': 'GET, POST, HEAD, OPTIONS',
  '/api/ranges/range_x': 'GET, HEAD, OPTIONS',
  '/api/drafts': 'GET, HEAD, OPTIONS',
  '/api/drafts/draft_x': 'GET, PATCH, HEAD, OPTIONS',
  '/api/drafts/range_x/generate': 'POST, OPTIONS',
  '/api/webhooks/scm': 'POST, OPTIONS',
};

test('the edge replies to every path and method', async (t) => {
  const service = await startService(t);
  const port = Number(service.env.TIDINGS_PORT);

  await t.test('every unknown path is not found', async () => {
    const unknown = [
      '/index.html',
      '/api',
      '/api/',
      '/apis',
      '/api/repos/',
      '/api/repo',
      '/api/drafts/a/b/c',
      '/api/webhooks',
    ];
    for (const path of [...unknown, '/API/repos', '//api/repos', '/api/../api/repos', '/metrics', '/%00']) {
      const { text, statuses } = await talk(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, { replies: 1 });
      assert.deepEqual(statuses, [404], path);
      const { error, message } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
      assert.equal(error, 'Not found');
      assert.equal(message, `Path ${JSON.stringify(path)} is not found or not accessible.`);
    }
  });

  await t.test('every other method is refused with Allow', async () => {
    for (const [path, allow] of Object.entries(paths)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
        if (allow.split(', ').includes(method)) continue;
        const answer = await fetch(service.url + path, { method });
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.equal(answer.headers.get('allow'), allow, path);
      }
    }
  });

  await t.test('every reply has a request id', async () => {
    const key = service.adminKey;
    const answers = [
      await service.deliver('ping', {}),
      await service.deliver('ping', {}, { 'x-hub-signature-256': 'sha256=' }),
      await service.deliver('issues', {}),
      await service.api('GET', '/api/repos'),
      await service.api('GET', '/api/repos', undefined, 'wrong'),
      await service.api('GET', '/api/repos?x=1'),
      await service.api('GET', '/api/nowhere'),
      await service.api('DELETE', '/api/repos'),
      await service.api('POST', '/api/ranges', {}, key),
      await service.api('PATCH', '/api/drafts/draft_x', {}),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 401, 400, 200, 401, 400, 404, 405, 400, 404],
    );
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    assert.equal(new Set(ids).size, answers.length);
    for (const id of ids) assert.match(String(id), /^[0-9a-z]+-[0-9a-z]+$/);
    for (const { headers } of answers) assert.equal(headers.get('content-type'), 'application/json');
  });

  await t.test('error bodies have only the spec’s four keys (spec 7)', async () => {
    const refusals = [
      await service.deliver('issues', {}),
      await service.deliver('ping', {}, { 'x-hub-signature-256': '' }),
      await service.api('GET', '/api/repos?limit=0'),
      await service.api('GET', '/api/drafts/draft_x'),
      await service.api('PUT', '/api/ranges'),
      await service.api('POST', '/api/ranges', { type: 'TAG_BASED' }),
    ];
    for (const { status, body } of refusals) {
      assert.ok(status >= 400 && status < 500);
      for (const key of Object.keys(body)) assert.ok(['error', 'message', 'details', 'retryAfter'].includes(key), key);
      assert.ok(body.error.length > 0 && body.message.length > 0);
    }
  });

  await t.test('a reply to HEAD leaves the connection usable', async () => {
    const head = 'HEAD /api/repos HTTP/1.1\r\nHost: x\r\n\r\n';
    const get = 'GET /api/repos HTTP/1.1\r\nHost: x\r\n\r\n';
    assert.deepEqual((await talk(port, [head, get, head, get], { replies: 4 })).statuses, [401, 401, 401, 401]);
  });
});
