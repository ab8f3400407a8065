/** Tests invalid requests: each is refused with the error text of the spec and the names of all invalid fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';

/** Asserts that an error body has exactly the spec's keys, and that its details name exactly `fields`. */
function assertInvalid({ status, body }: Answer, fields: string[], hint = ''): void {
  assert.equal(status, 400, `${hint} ${JSON.stringify(body)}`);
  assert.deepEqual(Object.keys(body).sort(), ['details', 'error', 'message'], hint);
  assert.equal(body.error, 'Invalid request');
  assert.deepEqual(Object.keys(body.details).sort(), [...fields].sort(), hint);
  for (const field of fields) assert.ok(body.message.includes(field), `${hint} ${body.message}`);
}

test('invalid requests are refused', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const draftId = (await generateDraft(service, rangeId)).id;
  const create = (body: unknown) => service.api('POST', '/api/ranges', body);

  /** Sends the given bytes as the body, unchanged, even if they are not JSON. */
  async function send(
    method: string,
    path: string,
    body: string | Buffer,
    type = 'application/json',
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const headers = { authorization: `Bearer ${service.adminKey}`, ...(type && { 'content-type': type }), ...more };
    const answer = await fetch(service.url + path, { method, headers, body: Buffer.from(body as string) });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }

  await t.test('invalid parameters of lists are named (spec 7)', async () => {
    const lists = ['/api/repos?', `/api/repos/${repoId}/tags?`, `/api/ranges?repoId=${repoId}&`];
    for (const list of [...lists, `/api/drafts?releaseRangeId=${rangeId}&`]) {
      for (const limit of ['0', '101', '-1', 'x', '1.5', '']) {
        assertInvalid(await service.api('GET', `${list}limit=${limit}`), ['limit'], list + limit);
      }
      assertInvalid(await service.api('GET', `${list}offset=-1`), ['offset']);
      assertInvalid(await service.api('GET', `${list}sort=size&order=up`), ['sort', 'order']);
      assertInvalid(await service.api('GET', `${list}limit=1&limit=2`), ['limit']);
      assertInvalid(await service.api('GET', `${list}page=1&__proto__=2&constructor=3`), [
        'page',
        '__proto__',
        'constructor',
      ]);
    }
    assertInvalid(await service.api('GET', '/api/ranges'), ['repoId']);
    assertInvalid(await service.api('GET', '/api/drafts'), ['releaseRangeId']);
    assertInvalid(await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}&persona=boss`), ['persona']);
  });

  await t.test('single objects accept no parameters', async () => {
    assertInvalid(await service.api('GET', `/api/drafts/${draftId}?limit=1`), ['limit']);
    assertInvalid(await service.api('GET', `/api/ranges/${rangeId}?x=`), ['x']);
  });

  await t.test('an ambiguous body changes nothing (spec 7)', async () => {
    const before = await service.api('GET', `/api/drafts/${draftId}`);
    assertInvalid(await send('PATCH', `/api/drafts/${draftId}`, '{"bodyMd": "a", "bodyMd": "b"}'), ['bodyMd']);
    const notText = Buffer.from('{"bodyMd": "caf\xe9"}', 'latin1');
    assertInvalid(await send('PATCH', `/api/drafts/${draftId}`, notText), ['body']);
    const labels = '{"labels": {"__proto__": {"type": "fix"}}}';
    assertInvalid(await send('PUT', `/api/repos/${repoId}/settings`, labels), ['__proto__']);
    const deep = `{"order": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    assertInvalid(await send('PUT', `/api/repos/${repoId}/settings`, deep), ['order']);
    assert.deepEqual((await service.api('GET', `/api/drafts/${draftId}`)).body, before.body);
  });

  await t.test('a field of any wrong type is refused with an Idempotency-Key too (spec 7)', async () => {
    for (const wrong of ['{"toString": 1, "valueOf": 1}', '[[["x"]]]', 'null', '5']) {
      const post = (path: string, body: string) =>
        send('POST', path, body, 'application/json', { 'idempotency-key': 'k' });
      assertInvalid(await post('/api/publish', `{"draftId": ${wrong}, "channel": "hosted"}`), ['draftId'], wrong);
      const bounds = '"type": "TAG_BASED", "fromTag": "v1.0.0", "toTag": "v1.1.0"';
      assertInvalid(await post('/api/ranges', `{"repoId": ${wrong}, ${bounds}}`), ['repoId'], wrong);
    }
  });

  await t.test('an unknown type of range is named', async () => {
    for (const type of ['TAGS', 'constructor', '__proto__', 'toString', '', null, 5, {}, ['TAG_BASED'], undefined]) {
      assertInvalid(await create({ repoId, type }), ['type'], String(type));
    }
    for (const body of [{}, [], 'text', 5, null]) assertInvalid(await create(body), ['type', 'repoId'], String(body));
  });

  await t.test('all invalid bounds are named (spec 7)', async () => {
    const fields = async (body: object) => Object.keys((await create({ repoId, ...body })).body.details).sort();
    assert.deepEqual(await fields({ type: 'TAG_BASED' }), ['fromTag', 'toTag']);
    assert.deepEqual(await fields({ type: 'TAG_BASED', fromTag: '', toTag: 'x'.repeat(256) }), ['fromTag', 'toTag']);
    assert.deepEqual(await fields({ type: 'DATE_BASED', fromDate: '2026-02-30', toDate: '01.02.2026' }), [
      'fromDate',
      'toDate',
    ]);
    assert.deepEqual(await fields({ type: 'PR_BASED', fromPrNumber: '1', toPrNumber: 2 ** 31 }), [
      'fromPrNumber',
      'toPrNumber',
    ]);
    assert.deepEqual(await fields({ type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2, fromTag: 'v1.0.0' }), [
      'fromTag',
    ]);
  });

  await t.test('a time zone must exist, and belongs to dates only', async () => {
    const dates = { repoId, type: 'DATE_BASED', fromDate: '2026-01-02', toDate: '2026-01-02' };
    for (const timeZone of ['Mars/Base', '+02:00', '', 5, null, 'x'.repeat(65), 'Europe/Berlin\n']) {
      const { status, body } = await create({ ...dates, timeZone });
      assert.equal(status, 400);
      assert.match(body.details.timeZone, /^expected an IANA time zone such as Europe\/Berlin, got /);
    }
    const tags = { repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' };
    assertInvalid(await create({ ...tags, timeZone: 'UTC' }), ['timeZone']);
  });

  await t.test('reversed bounds name both fields', async () => {
    const tags = ['fromTag', 'toTag'];
    assertInvalid(await create({ repoId, type: 'TAG_BASED', fromTag: 'v1.1.0', toTag: 'v1.0.0' }), tags);
    assertInvalid(await create({ repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.0.0' }), tags);
    const dates = { repoId, type: 'DATE_BASED', fromDate: '2026-01-03', toDate: '2026-01-02' };
    assertInvalid(await create(dates), ['fromDate', 'toDate']);
    const numbers = { repoId, type: 'PR_BASED', fromPrNumber: 3, toPrNumber: 2 };
    assertInvalid(await create(numbers), ['fromPrNumber', 'toPrNumber']);
  });

  await t.test('unknown tags are named', async () => {
    assertInvalid(await create({ repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v9' }), ['toTag']);
    assertInvalid(await create({ repoId, type: 'TAG_BASED', fromTag: 'a\u0000', toTag: '\ud800' }), [
      'fromTag',
      'toTag',
    ]);
  });

  await t.test('invalid bodies of drafts are named (spec 7)', async () => {
    const generate = `/api/drafts/${rangeId}/generate`;
    assertInvalid(await service.api('POST', generate, {}), ['persona']);
    assertInvalid(await service.api('POST', generate, { persona: 'boss', tone: 'warm' }), ['persona', 'tone']);
    for (const bodyMd of [null, 5, {}, ['text'], undefined]) {
      assertInvalid(await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd }), ['bodyMd'], String(bodyMd));
    }
    assertInvalid(await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd: '', persona: 'engineer' }), [
      'persona',
    ]);
  });

  await t.test('a draft over 1 MiB is refused', async () => {
    for (const bodyMd of ['x'.repeat(1_048_577), 'é'.repeat(524_289)]) {
      assertInvalid(await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd }), ['bodyMd']);
    }
    const { status, body } = await send('PATCH', `/api/drafts/${draftId}`, `{"bodyMd":"${'x'.repeat(7_000_000)}"}`);
    assert.equal(status, 413);
    assert.equal(body.error, 'Payload too large');
  });

  await t.test('a body that is not JSON is refused', async () => {
    for (const text of ['', '{', '{"bodyMd": "x"', 'bodyMd=x', '\ufeff{}', "{'bodyMd': 1}", '{"bodyMd": "\ud800']) {
      assertInvalid(await send('PATCH', `/api/drafts/${draftId}`, text), ['body'], JSON.stringify(text));
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      assert.equal((await send('PATCH', `/api/drafts/${draftId}`, '{"bodyMd":"x"}', type)).status, 415, type);
    }
  });

  await t.test('deep and wide bodies are refused', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    assertInvalid(await send('PATCH', `/api/drafts/${draftId}`, `{"bodyMd":${deep}}`), ['bodyMd']);
    assertInvalid(await send('POST', '/api/ranges', `{"repoId":"x","type":${deep}}`), ['type']);
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 0]));
    assert.equal(Object.keys((await service.api('PATCH', `/api/drafts/${draftId}`, wide)).body.details).length, 20);
  });

  await t.test('an unknown id is not found, and the message names it (spec 7.2)', async () => {
    // The gateway remembers the response of an object that was read. A route of another kind must not return it.
    for (const path of [`/api/drafts/${draftId}`, `/api/ranges/${rangeId}`]) {
      assert.equal((await service.api('GET', path)).status, 200, path);
    }
    const absent: [string, string, string, unknown?][] = [
      ['Draft', 'GET', `/api/drafts/${draftId.slice(0, -1)}${draftId.endsWith('0') ? '1' : '0'}`],
      ['Draft', 'GET', '/api/drafts/draft_x'],
      ['Draft', 'GET', `/api/drafts/${rangeId}`],
      ['Draft', 'PATCH', '/api/drafts/draft_x', { bodyMd: 'x' }],
      ['Release range', 'GET', `/api/ranges/${draftId}`],
      ['Release range', 'GET', '/api/drafts?releaseRangeId=range_x'],
      ['Release range', 'POST', '/api/drafts/range_x/generate', { persona: 'engineer' }],
      ['Repository', 'GET', '/api/repos/repo_x/tags'],
      ['Repository', 'GET', '/api/ranges?repoId=repo_x'],
      ['Repository', 'GET', `/api/ranges?repoId=${'x'.repeat(2500)}`],
      [
        'Repository',
        'POST',
        '/api/ranges',
        { type: 'PR_BASED', repoId: 'x'.repeat(5000), fromPrNumber: 1, toPrNumber: 2 },
      ],
    ];
    for (const [resource, method, path, body] of absent) {
      const answer = await service.api(method, path, body);
      assert.equal(answer.status, 404, path.slice(0, 80));
      assert.deepEqual(Object.keys(answer.body).sort(), ['error', 'message']);
      assert.match(answer.body.message, new RegExp(`^${resource} ".*" is not found or not accessible\\.$`));
    }
  });

  await t.test('nothing was logged and nothing was written', async () => {
    assert.deepEqual(faultsIn(service.log), []);
    assert.equal((await service.api('GET', `/api/ranges?repoId=${repoId}`)).body.total, 1);
  });
});
