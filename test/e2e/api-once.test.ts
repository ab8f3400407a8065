/**
 * Tests Idempotency-Key over HTTP: a repeated POST gets the first reply and changes nothing, even after a kill of the
 * gateway.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shaOf, tagPayload } from '../helpers/payloads.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('a repeated POST with an Idempotency-Key is carried out once', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const post = async (path: string, once: string, body: unknown, key = service.adminKey): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': once };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: text });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const range = { repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' };
  const ranges = async () => (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body.total;

  await t.test('the same key and body get the first reply', async () => {
    const first = await post('/api/ranges', 'a-1', range);
    const again = await post('/api/ranges', '"a-1"', range);
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(again.body, first.body);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    assert.equal(await ranges(), 1);
  });

  await t.test('another body with the same key is refused', async () => {
    const { status, body } = await post('/api/ranges', 'a-1', JSON.stringify(range, null, 1));
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(body), ['error', 'message']);
    assert.match(body.message, /Idempotency-Key was already used with a different body/);
    assert.equal(await ranges(), 1);
  });

  await t.test('an Idempotency-Key counts for one API key and one path', async () => {
    const other = service.tidings('keys', 'create', '--org', 'acme', '--name', 'o', '--quiet').trim();
    assert.equal((await post('/api/ranges', 'a-1', range, other)).status, 201);
    assert.equal(await ranges(), 2);
    const [{ id }] = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body.ranges;
    const generated = await post(`/api/drafts/${id}/generate`, 'a-1', { persona: 'engineer' });
    assert.equal(generated.status, 201);
    assert.equal(generated.headers.get('idempotent-replayed'), null);
    const again = await post(`/api/drafts/${id}/generate`, 'a-1', { persona: 'engineer' });
    assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [generated.body, 'true']);
  });

  await t.test('of concurrent requests one is carried out, and the others get its reply or a 409', async () => {
    const before = await ranges();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/api/ranges', 'b-1', range)));
    assert.equal(await ranges(), before + 1);
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(new Set(made.map(({ body }) => body.id)).size, 1);
    for (const { status, headers, body } of answers.filter((each) => each.status !== 201)) {
      assert.equal(status, 409);
      assert.deepEqual(Object.keys(body), ['error', 'message', 'retryAfter']);
      assert.equal(headers.get('retry-after'), '1');
    }
    assert.equal(made.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  });

  await t.test('a request that was refused before it was carried out can be sent again', async () => {
    const bad = { ...range, toTag: 'v9' };
    assert.equal((await post('/api/ranges', 'c-1', bad)).status, 400);
    assert.equal((await post('/api/ranges', 'c-1', range)).status, 201, 'the corrected body counts as the first one');
  });

  await t.test('an invalid Idempotency-Key is refused (spec 7)', async () => {
    for (const bad of ['', '""', 'x'.repeat(256)]) {
      const { status, body } = await post('/api/ranges', bad, range);
      assert.equal(status, 400, bad);
      assert.deepEqual(Object.keys(body.details), ['Idempotency-Key']);
    }
    assert.equal((await post('/api/ranges', 'x'.repeat(255), range)).status, 201);
  });

  await t.test('a key that is shown once is not shown in the repeated reply', async () => {
    const first = await post('/api/keys', 'k-1', { name: 'once', org: 'acme' });
    assert.equal(first.status, 201);
    const again = await post('/api/keys', 'k-1', { name: 'once', org: 'acme' });
    assert.equal(again.status, 409);
    assert.ok(again.body.message.includes(first.body.id));
    assert.equal(JSON.stringify(again.body).includes(first.body.key.slice(8)), false);
    const named = (await service.api('GET', '/api/keys')).body.keys.filter(
      (key: { name: string }) => key.name === 'once',
    );
    assert.equal(named.length, 1);
  });

  await t.test('a kill of the gateway carries nothing out twice', async () => {
    const before = await ranges();
    for (let round = 0; round < 3; round++) {
      const broken = Array.from({ length: 8 }, (_, i) =>
        post('/api/ranges', `d-${round}-${i}`, range).catch(() => null),
      );
      await new Promise((resolve) => setTimeout(resolve, 5 * round));
      const { gateway } = await service.killParts('gateway');
      await Promise.all(broken);
      await waitUntil('another gateway answers', async () => {
        const answer = await fetch(`${service.url}/api/nowhere`).catch(() => undefined);
        return answer?.status === 404 && service.pids().gateway !== gateway;
      });
      await service.ready();
      for (let i = 0; i < 8; i++) assert.equal((await post('/api/ranges', `d-${round}-${i}`, range)).status, 201);
    }
    assert.equal(await ranges(), before + 24);
  });

  await t.test('a repeated request gets the first reply even after its tag was deleted', async () => {
    const first = await post('/api/ranges', 'e-1', range);
    const gone = { before: shaOf(4), after: '0'.repeat(40), created: false, deleted: true, head_commit: null };
    await service.deliver('push', { ...tagPayload('v1.1.0', 9), ...gone });
    await waitUntil('the tag is deleted', async () => {
      return (await service.api('GET', `/api/repos/${repoId}/tags`)).body.total === 1;
    });
    assert.equal((await post('/api/ranges', 'e-2', range)).status, 400);
    const again = await post('/api/ranges', 'e-1', range);
    assert.deepEqual([again.status, again.body], [201, first.body]);
  });
});
