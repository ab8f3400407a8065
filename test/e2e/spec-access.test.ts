/**
 * Tests each sentence of spec parts 5 and 7 about keys, permissions and errors. `api-matrix.test.ts` checks which keys
 * each route refuses.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKey } from '../../src/foundation/api-key.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('keys and errors follow the spec', async (t) => {
  const service = await startService(t, {
    env: { TIDINGS_USAGE_FLUSH_SECONDS: '1', TIDINGS_TIERS: '[{"name": "tiny", "apiPerMinute": 1}]' },
  });
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const draftId = (await generateDraft(service, rangeId)).id;
  const make = async (body: object) => (await service.api('POST', '/api/keys', { org: 'acme', ...body })).body;
  const ask = async (headers: Record<string, string>, path = '/api/repos'): Promise<Answer> => {
    const answer = await fetch(service.url + path, { headers });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };

  await t.test('the key is accepted in Authorization: Bearer only (spec 5)', async () => {
    const { key } = await make({ name: 'header' });
    assert.equal((await ask({ authorization: `Bearer ${key}` })).status, 200);
    const elsewhere: Record<string, string>[] = [
      { authorization: key },
      { authorization: `Basic ${Buffer.from(`key:${key}`).toString('base64')}` },
      { authorization: `Token ${key}` },
      { 'x-api-key': key },
      { cookie: `key=${key}` },
    ];
    for (const headers of elsewhere) assert.equal((await ask(headers)).status, 401, JSON.stringify(headers));
    assert.equal((await ask({}, `/api/repos?api_key=${key}`)).status, 401);
  });

  await t.test('a missing or invalid key gets 401, a missing permission 403 (spec 5)', async () => {
    const { key } = await make({ name: 'reader', scopes: ['repos:read'] });
    assert.equal((await ask({})).status, 401);
    assert.equal((await ask({ authorization: `Bearer ${newKey()}` })).status, 401);
    assert.equal((await ask({ authorization: `Bearer ${key}` })).status, 200);
    const { status, body } = await ask({ authorization: `Bearer ${key}` }, `/api/drafts/${draftId}`);
    assert.deepEqual([status, body.error], [403, 'Forbidden']);
  });

  await t.test('a key has a name, and serves one purpose and one person (spec 5)', async () => {
    const [ada, grace] = [await make({ name: 'deploys of ada' }), await make({ name: 'deploys of grace' })];
    const listed = (await service.api('GET', '/api/keys?limit=100')).body.keys;
    for (const { id, name } of [ada, grace]) {
      assert.equal(listed.find((each: { id: string }) => each.id === id).name, name);
    }
    assert.deepEqual(Object.keys((await service.api('POST', '/api/keys', { org: 'acme' })).body.details), ['name']);
    assert.equal((await service.api('DELETE', `/api/keys/${ada.id}`)).status, 200);
    assert.equal((await ask({ authorization: `Bearer ${ada.key}` })).status, 401);
    assert.equal((await ask({ authorization: `Bearer ${grace.key}` })).status, 200, 'the other key still works');
  });

  await t.test('an unused key can be distinguished from a used one, and deleted (spec 5)', async () => {
    const [used, unused] = [await make({ name: 'used' }), await make({ name: 'unused' })];
    assert.equal((await ask({ authorization: `Bearer ${used.key}` })).status, 200);
    const lastUseOf = async ({ id }: { id: string }) =>
      (await service.api('GET', `/api/keys/${id}`)).body.lastUsedAt as string | null;
    await waitUntil('the use is recorded', async () => (await lastUseOf(used)) !== null);
    assert.equal(await lastUseOf(unused), null);
    assert.equal((await service.api('DELETE', `/api/keys/${unused.id}`)).body.status, 'revoked');
  });

  await t.test('keys are managed by API: made, listed, rotated, revoked (spec 5)', async () => {
    const { id } = await make({ name: 'managed' });
    const { body: fresh } = await service.api('POST', `/api/keys/${id}/rotate`, { overlapHours: 0 });
    assert.equal((await ask({ authorization: `Bearer ${fresh.key}` })).status, 200);
    assert.equal((await service.api('GET', `/api/keys/${id}`)).body.rotatedTo, fresh.id);
    assert.equal((await service.api('DELETE', `/api/keys/${fresh.id}`)).status, 200);
    assert.equal((await ask({ authorization: `Bearer ${fresh.key}` })).status, 401);
  });

  await t.test('details name the fields and the expected values (spec 7)', async () => {
    const { status, body } = await service.api('GET', `/api/ranges?repoId=${repoId}&limit=500&sort=size&x=1`);
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body), ['error', 'message', 'details']);
    assert.deepEqual(Object.keys(body.details).sort(), ['limit', 'sort', 'x']);
    for (const text of Object.values(body.details)) assert.match(String(text), /expected/);
    assert.equal(typeof body.error, 'string');
    for (const field of Object.keys(body.details)) assert.ok(body.message.includes(field));
  });

  await t.test('each status has its meaning and its error type (spec 7)', async () => {
    const reader = (await make({ name: 'reader', scopes: ['repos:read'] })).key;
    const limited = await make({ name: 'limited', org: 'umbrella' });
    await service.api('PATCH', `/api/orgs/${limited.orgId}`, { tier: 'tiny' });
    await service.api('GET', '/api/repos', undefined, limited.key);
    const days = { repoId, type: 'DATE_BASED', fromDate: '2026-01-01', toDate: '2026-01-02' };
    const answers: [number, string | undefined, Answer][] = [
      [200, undefined, await service.api('GET', `/api/drafts/${draftId}`)],
      [201, undefined, await service.api('POST', '/api/ranges', days)],
      [400, 'Invalid request', await service.api('POST', '/api/ranges', { ...days, toDate: 'soon' })],
      [401, 'Unauthorized', await service.api('GET', '/api/repos', undefined, 'none')],
      [403, 'Forbidden', await service.api('POST', '/api/ranges', days, reader)],
      [404, 'Not found', await service.api('GET', '/api/drafts/draft_x')],
      [429, 'Rate limit exceeded', await service.api('GET', '/api/repos', undefined, limited.key)],
    ];
    for (const [expected, error, { status, body }] of answers)
      assert.deepEqual([status, body.error], [expected, error]);
  });

  await t.test('a rate-limit error reports the limit and the wait (spec 7.3)', async () => {
    const { key } = await make({ name: 'again', org: 'umbrella' });
    await service.api('GET', '/api/repos', undefined, key);
    const { status, body, headers } = await service.api('GET', '/api/repos', undefined, key);
    assert.deepEqual([status, Object.keys(body)], [429, ['error', 'message', 'retryAfter']]);
    assert.ok(Number.isInteger(body.retryAfter) && body.retryAfter >= 1 && body.retryAfter <= 60);
    const message = `The limit of 1 requests per minute per API key is exceeded. Wait ${body.retryAfter} seconds.`;
    assert.deepEqual([body.message, headers.get('retry-after')], [message, String(body.retryAfter)]);
  });

  await t.test('a missing resource is named (spec 7.2)', async () => {
    const stranger = (await make({ name: 'stranger', org: 'moon' })).key;
    for (const [path, resource] of [
      [`/api/drafts/${draftId}`, `Draft "${draftId}"`],
      [`/api/ranges/${rangeId}`, `Release range "${rangeId}"`],
      [`/api/repos/${repoId}/tags`, `Repository "${repoId}"`],
    ]) {
      const { status, body } = await service.api('GET', path as string, undefined, stranger);
      assert.deepEqual([status, body.error], [404, 'Not found']);
      assert.equal(body.message, `${resource} is not found or not accessible.`);
    }
  });
});
