/**
 * Tests test mode (spec 4): keys, checks and 404s are as usual. Replies contain invented data in the format of real
 * replies. Nothing is written, and no quota is used.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Document, operations, resolve } from '../helpers/contract.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { read, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const sessionOperations = ['createSession', 'getSession', 'endSession', 'endSessions'];

test('test mode simulates the API (spec 4)', async (t) => {
  // The window of an hour does not end during the test. A new window would begin with all its requests left.
  const service = await startService(t, { env: { TIDINGS_LIMIT_API_PER_HOUR: '100000' } });
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id);
  const call = async (method: string, path: string, body?: unknown, mode = 'true', key = service.adminKey) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'x-test-mode': mode,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return read(await fetch(service.url + path, { method, headers, ...text }));
  };
  const newRange = { repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' };
  const writes: [string, string, unknown, number][] = [
    ['POST', '/api/ranges', newRange, 201],
    ['POST', `/api/drafts/${range.id}/generate`, { persona: 'internal' }, 201],
    ['PATCH', `/api/drafts/${draft.id}`, { bodyMd: 'changed' }, 200],
    ['PATCH', `/api/repos/${repoId}`, { selected: false }, 200],
    ['POST', '/api/publish', { draftId: draft.id, channel: 'hosted' }, 201],
    ['PUT', `/api/channels/changelog?repoId=${repoId}`, { settings: { branch: 'notes' } }, 200],
    ['POST', `/api/channels/hosted/test?repoId=${repoId}`, {}, 200],
    ['POST', '/api/keys', { name: 'x', org: 'acme' }, 201],
  ];
  const reads = [
    '/api/repos',
    `/api/repos/${repoId}/tags`,
    `/api/repos/${repoId}/pulls`,
    `/api/repos/${repoId}/issues`,
    `/api/ranges?repoId=${repoId}`,
    `/api/ranges/${range.id}`,
    `/api/drafts?releaseRangeId=${range.id}`,
    `/api/drafts/${draft.id}`,
    '/api/stats',
    '/api/keys',
    '/api/orgs',
  ];

  await t.test('nothing is written (spec 4)', async () => {
    const state = async () => [
      (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body,
      (await service.api('GET', `/api/drafts?releaseRangeId=${range.id}`)).body,
      (await service.api('GET', '/api/repos')).body,
      (await service.api('GET', '/api/keys')).body.total,
      (await service.api('GET', `/api/publications?repoId=${repoId}`)).body,
      (await service.api('GET', `/api/channels?repoId=${repoId}`)).body,
    ];
    const before = await state();
    for (const [method, path, body, status] of writes) {
      const answer = await call(method, path, body);
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers.get('x-test-mode'), 'true');
    }
    assert.deepEqual(await state(), before);
  });

  await t.test('publishing is simulated with a constant result, and refused as in live mode (spec 4)', async () => {
    const publish = (body: object) => call('POST', '/api/publish', { draftId: draft.id, ...body });
    const [made, again] = [await publish({ channel: 'email' }), await publish({ channel: 'hosted' })];
    assert.equal(made.status, 409, 'it is not connected');
    assert.deepEqual([again.body, again.status], [(await publish({ channel: 'hosted' })).body, 201]);
    assert.deepEqual([again.body.status, again.body.draftId, again.body.channel], ['completed', draft.id, 'hosted']);
    assert.equal((await publish({ channel: 'hosted', draft: true })).status, 400);
    const shown = await call('GET', `/api/publications/${again.body.id}`);
    assert.deepEqual([shown.status, shown.body.id], [200, again.body.id]);
    const magic = await call('POST', '/api/publish', { draftId: 'draft_test_notfound', channel: 'hosted' });
    assert.equal(magic.status, 404);
  });

  await t.test('replies have the shape of real ones and are the same each time (spec 4)', async () => {
    for (const path of reads) {
      const [real, mock, again] = [await service.api('GET', path), await call('GET', path), await call('GET', path)];
      assert.equal(mock.status, 200, path);
      assert.deepEqual(mock.body, again.body);
      assert.notDeepEqual(mock.body, real.body, 'it is made up');
      assertSameShape(mock.body, real.body, path);
    }
    assert.equal((await call('GET', `/api/ranges/${range.id}`)).body.id, range.id);
    assert.equal((await call('GET', `/api/drafts/${draft.id}`)).body.id, draft.id);
  });

  await t.test('objects that a request names are shown as they are (spec 4)', async () => {
    const customer = await generateDraft(service, range.id, 'customer');
    const other = (
      await service.api('POST', '/api/ranges', { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 })
    ).body;
    const published = (await service.api('POST', '/api/publish', { draftId: customer.id, channel: 'hosted' })).body;
    const ended = await waitUntil('the page is published', async () => {
      const { body } = await service.api('GET', `/api/publications/${published.id}`);
      return body.status === 'completed' && body;
    });
    assert.match(ended.url, /\/notes\/acme\/rocket\/v1\.1\.0$/);
    const same = async (path: string, ...fields: string[]) => {
      const [real, mock] = [(await service.api('GET', path)).body, (await call('GET', path)).body];
      for (const field of fields) assert.deepEqual(mock[field], real[field], `${path} ${field}`);
    };
    for (const { id } of [customer, draft])
      await same(`/api/drafts/${id}`, 'id', 'persona', 'releaseRangeId', 'revision');
    const ids = ['id', 'repoId', 'type', 'fromTag', 'toTag', 'fromPrNumber', 'toPrNumber', 'compareUrl'];
    for (const { id } of [range, other]) await same(`/api/ranges/${id}`, ...ids);
    await same(`/api/publications/${published.id}`, 'id', 'draftId', 'channel', 'draft', 'revision', 'url');
    await same('/api/channels/hosted', 'channel', 'connected', 'source', 'public', 'settings', 'hasSecret');
    const made = await call('POST', '/api/publish', { draftId: customer.id, channel: 'hosted' });
    assert.deepEqual([made.body.url, made.body.revision], [ended.url, ended.revision]);
    const listed = await call('GET', `/api/publications?draftId=${customer.id}`);
    assert.deepEqual([listed.body.publications[0].draftId, listed.body.publications[0].url], [customer.id, ended.url]);
    const created = await call('POST', '/api/ranges', newRange);
    assert.equal(created.body.compareUrl, range.compareUrl);
    const put = await call('PUT', `/api/channels/changelog?repoId=${repoId}`, { settings: { branch: 'notes' } });
    assert.deepEqual([put.body.source, put.body.settings.branch], ['repository', 'notes']);
    const preview = await call('POST', '/api/publish/preview', { draftId: customer.id, channel: 'hosted' });
    assert.equal(preview.body.payload.title, 'v1.1.0');
  });

  await t.test('a made-up draft has the range and the persona of its id', async () => {
    const { id } = (await call('POST', `/api/drafts/${range.id}/generate`, { persona: 'internal' })).body;
    const made = (await call('GET', `/api/drafts/${id}`)).body;
    assert.deepEqual([made.id, made.persona, made.releaseRangeId], [id, 'internal', range.id]);
    const published = (await call('POST', '/api/publish', { draftId: id, channel: 'hosted' })).body;
    const page = `${service.url}/notes/acme/rocket/v1.1.0/internal/`;
    assert.deepEqual([published.url.slice(0, page.length), published.url.length - page.length], [page, 22]);
    const mailed = await call('GET', `/api/publications?draftId=${id}&channel=email`);
    assert.equal(mailed.body.publications[0].url, null);
  });

  await t.test('a made-up id next to a real one shows nothing of other organizations', async () => {
    const umbrella = service.tidings('keys', 'create', '--org', 'umbrella', '--name', 'o', '--quiet').trim();
    const asked: [string, string, unknown?][] = [
      ['POST', '/api/ranges', { ...newRange, fromTag: 'range_test_x' }],
      ['GET', `/api/publications?draftId=${draft.id}&repoId=repo_test_x`],
      ['GET', `/api/drafts/draft_test_engineer_${range.id}`],
      ['POST', '/api/publish', { draftId: `draft_test_engineer_${range.id}`, channel: 'scm_releases' }],
    ];
    for (const [method, path, body] of asked) {
      const answer = await call(method, path, body, 'true', umbrella);
      assert.doesNotMatch(JSON.stringify(answer.body), /v1\.1\.0|github\.com\/acme\/rocket\/compare/, path);
    }
  });

  await t.test('invalid requests are refused as in live mode (spec 4)', async () => {
    const refused: [string, string, unknown, number][] = [
      ['POST', '/api/ranges', { ...newRange, toTag: 'v9' }, 400],
      ['POST', '/api/ranges', { ...newRange, fromTag: 'v1.1.0' }, 400],
      ['POST', '/api/ranges', { ...newRange, repoId: 'repo_x' }, 404],
      ['POST', '/api/drafts/range_x/generate', { persona: 'engineer' }, 404],
      ['POST', `/api/drafts/${range.id}/generate`, { persona: 'poet' }, 400],
      ['GET', '/api/drafts/draft_x', undefined, 404],
      ['GET', '/api/repos?limit=0', undefined, 400],
    ];
    for (const [method, path, body, status] of refused) {
      const answer = await call(method, path, body);
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers.get('x-test-mode'), 'true');
    }
    // A request with a made-up id does not read the store, but its body is checked.
    const settings = '/api/repos/repo_test_rocket/settings';
    assert.equal((await call('PUT', settings, { excludedLabels: null })).status, 400);
    assert.equal((await call('PUT', settings, { engineer: { contributors: false } })).status, 200);
    assert.equal((await call('PATCH', '/api/repos/repo_test_rocket', {})).status, 400);
    assert.equal((await call('PUT', '/api/channels/hosted?repoId=repo_test_rocket', { title: 'x' })).status, 400);
    assert.equal((await call('GET', '/api/repos', undefined, 'true', 'rn_live_x')).status, 401);
    const umbrella = service.tidings('keys', 'create', '--org', 'umbrella', '--name', 'u', '--quiet').trim();
    assert.equal((await call('GET', `/api/drafts/${draft.id}`, undefined, 'true', umbrella)).status, 404);
  });

  await t.test('the header accepts only true and false', async () => {
    for (const bad of ['1', 'TRUE', 'yes', '']) {
      const { status, body } = await call('GET', '/api/repos', undefined, bad);
      assert.deepEqual([status, Object.keys(body.details ?? {})], [400, ['X-Test-Mode']], bad);
    }
    const off = await call('GET', '/api/repos', undefined, 'false');
    assert.equal(off.headers.get('x-test-mode'), null);
    assert.equal(off.body.repos[0].id, repoId);
  });

  await t.test('no quota is used up (spec 4)', async () => {
    const left = async () => Number((await service.api('GET', '/api/repos')).headers.get('x-ratelimit-remaining'));
    const calls = async () => (await service.api('GET', '/api/stats')).body.apiCalls;
    const [remaining, apiCalls] = [await left(), await calls()];
    for (let i = 0; i < 10; i++) {
      const { headers } = await call('GET', '/api/repos');
      assert.ok(Number(headers.get('x-ratelimit-remaining')) > 0, 'the reply shows a limit');
    }
    assert.deepEqual([await calls(), await left()], [apiCalls + 1, remaining - 3]);
  });

  await t.test('a test key is always in test mode', async () => {
    const key = service.tidings('keys', 'create', '--org', 'acme', '--name', 't', '--test', '--quiet').trim();
    assert.match(key, /^rn_test_/);
    const { body, headers } = await service.api('GET', '/api/repos', undefined, key);
    assert.deepEqual([body.repos[0].id, headers.get('x-test-mode')], ['repo_test_rocket', 'true']);
    const made = await call('POST', '/api/ranges', newRange, 'false', key);
    assert.match(made.body.id, /^range_test_/);
  });

  await t.test('every operation replies to made-up ids as the document says (spec 4)', async () => {
    const madeUp = (text: string) =>
      text.replace(/\b(draft|range|repo|pub|org|key|secret|ep|dlv)_[0-9a-z]{28}\b/g, '$1_test_x');
    const needed = { repoId: 'repo_test_x', releaseRangeId: 'range_test_x', origin: 'https://github.com' };
    for (const { method, path, definition } of operations) {
      const { operationId, parameters, requestBody, responses } = definition;
      // Operations on sessions have no test mode.
      if (['receiveWebhook', 'getOpenApi', ...sessionOperations].includes(operationId)) continue;
      const named: Document[] = parameters.map(resolve);
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => madeUp(named.find((each) => each.name === name).example));
      const query = Object.entries(needed).filter(([name]) =>
        named.some((each) => each.name === name && each.in === 'query'),
      );
      const body = requestBody && JSON.parse(madeUp(JSON.stringify(requestBody.content['application/json'].example)));
      // A reply that contradicts the OpenAPI document makes `fetch` fail, because `service.ts` validates each reply.
      const answer = await call(method, `${filled}?${new URLSearchParams(query)}`, body);
      const succeeds = Object.keys(responses).filter((status) => status.startsWith('2'));
      assert.ok(succeeds.includes(String(answer.status)), `${operationId} ${JSON.stringify(answer.body)}`);
      assert.equal(answer.headers.get('x-test-mode'), 'true', operationId);
    }
  });

  await t.test('made-up ids work from one request to the next', async () => {
    const made = await call('POST', '/api/ranges', { ...newRange, repoId: 'repo_test_any' });
    assert.deepEqual([made.status, made.headers.get('location')], [201, `/api/ranges/${made.body.id}`]);
    assert.equal((await call('GET', `/api/ranges/${made.body.id}`)).body.id, made.body.id);
    const ticket = await call('POST', `/api/drafts/${made.body.id}/generate`, { persona: 'customer' });
    assert.deepEqual([ticket.status, ticket.body.status], [201, 'processing']);
    const { body } = await call('GET', `/api/drafts/${ticket.body.id}`);
    assert.deepEqual([body.id, body.persona, body.status], [ticket.body.id, 'customer', 'ready']);
    assert.equal((await call('POST', '/api/ranges', { repoId: 'repo_test_any', type: 'x' })).status, 400);
    assert.equal((await service.api('GET', `/api/ranges/${made.body.id}`)).status, 404, 'unknown outside test mode');
  });

  await t.test('magic ids cause failures', async () => {
    const missing = await call('GET', '/api/drafts/draft_test_notfound');
    assert.equal(missing.status, 404);
    assert.match(missing.body.message, /^Draft "draft_test_notfound" is not found or not accessible/);
    const limited = await call('GET', '/api/ranges/range_test_ratelimited');
    assert.deepEqual([limited.status, limited.body.retryAfter], [429, 60]);
    assert.equal(limited.headers.get('retry-after'), '60');
    const failed = await call('POST', '/api/drafts/range_test_servererror/generate', { persona: 'engineer' });
    assert.deepEqual([failed.status, failed.body.error], [500, 'Server error']);
  });
});

/**
 * Asserts that a mock reply has the fields of a real reply, in the same order and of the same types. Null matches any
 * type, and lists may be empty.
 */
function assertSameShape(mock: unknown, real: unknown, at: string): void {
  if (mock === null || real === null) return;
  assert.equal(typeof mock, typeof real, at);
  assert.equal(Array.isArray(mock), Array.isArray(real), at);
  if (Array.isArray(mock) && Array.isArray(real)) {
    if (mock.length > 0 && real.length > 0) assertSameShape(mock[0], real[0], `${at} []`);
  } else if (typeof mock === 'object') {
    assert.deepEqual(Object.keys(mock), Object.keys(real as object), at);
    for (const [name, value] of Object.entries(mock)) {
      assertSameShape(value, (real as Record<string, unknown>)[name], `${at} ${name}`);
    }
  }
}
