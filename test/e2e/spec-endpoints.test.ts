/**
 * Tests each sentence of spec part 4 about the endpoints: the parameters and the reply of each endpoint. Other files
 * test publishing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRoute } from '../../src/api/route.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { faultsIn } from '../helpers/log.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const personas = ['engineer', 'internal', 'customer'];
const rangeBodies = {
  TAG_BASED: { fromTag: 'v1.0.0', toTag: 'v1.1.0' },
  DATE_BASED: { fromDate: '2026-01-01', toDate: '2026-01-31' },
  PR_BASED: { fromPrNumber: 1, toPrNumber: 4 },
} as const;

type Fields = Record<string, 'string' | 'number' | 'object' | RegExp>;

const draftFields: Fields = {
  id: /^draft_/,
  releaseRangeId: /^range_/,
  persona: /^(engineer|internal|customer)$/,
  bodyMd: 'string',
  flags: 'object',
  createdAt: timestamp,
  updatedAt: timestamp,
};
const listedRangeFields: Fields = {
  id: /^range_/,
  repoId: /^repo_/,
  fromTag: /^v1\.0\.0$/,
  toTag: /^v1\.1\.0$/,
  compareUrl: /^https:\/\/github\.com\/acme\/rocket\/compare\/v1\.0\.0\.\.\.v1\.1\.0$/,
  createdAt: timestamp,
};

/** Asserts that a value has each field with the expected type or pattern. */
function assertFields(value: Record<string, unknown>, fields: Fields, what: string): void {
  for (const [name, expected] of Object.entries(fields)) {
    const found = value[name];
    if (expected instanceof RegExp) assert.match(String(found), expected, `${what} ${name}`);
    else assert.equal(typeof found, expected, `${what} ${name}`);
    assert.notEqual(found, null, `${what} ${name}`);
  }
}

test('the endpoints follow the spec', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id);
  for (let last = 1; last <= 24; last++) {
    const body = { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: last };
    assert.equal((await service.api('POST', '/api/ranges', body)).status, 201);
  }
  const get = (path: string) => service.api('GET', path);
  const orgId = (await get('/api/orgs')).body.organizations[0].id;
  const ids: Record<string, string> = { repoId, rangeId: range.id, draftId: draft.id, orgId, revision: '1' };
  const pathOf = ({ path }: ApiRoute<never>) => path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? `${name}_x`);

  await t.test('requests with a body are application/json (spec 4)', async () => {
    const send = (route: ApiRoute<never>, type: string) =>
      fetch(service.url + pathOf(route), {
        method: route.method,
        body: Buffer.from('{"a": 1}'),
        headers: { authorization: `Bearer ${service.adminKey}`, ...(type && { 'content-type': type }) },
      });
    const writes = apiRoutes.filter(({ contract }) => 'body' in contract);
    assert.ok(writes.length > 5);
    for (const route of writes) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json5', '']) {
        assert.equal((await send(route, type)).status, 415, `${route.operation} ${type}`);
      }
      assert.notEqual((await send(route, 'Application/JSON; charset=utf-8')).status, 415, route.operation);
    }
  });

  await t.test('all endpoints need a key, and the receiver needs a signature (spec 4)', async () => {
    for (const route of apiRoutes) {
      const { status } = await fetch(service.url + pathOf(route), { method: route.method });
      assert.equal(status, 401, route.operation);
    }
    assert.equal((await service.deliver('ping', {})).status, 200, 'signed, without a key');
    const authorization = `Bearer ${service.adminKey}`;
    const unsigned = await service.deliver('ping', {}, { 'x-hub-signature-256': '', authorization });
    assert.equal(unsigned.status, 401, 'with a key, unsigned');
  });

  await t.test('List Drafts accepts a range, with or without a persona (spec 4)', async () => {
    for (const persona of personas) await generateDraft(service, range.id, persona);
    const namesOf = ({ body }: Answer) => body.drafts.map((each: { persona: string }) => each.persona).sort();
    const path = `/api/drafts?releaseRangeId=${range.id}`;
    assert.deepEqual(namesOf(await get(path)), [...personas].sort());
    for (const persona of personas) assert.deepEqual(namesOf(await get(`${path}&persona=${persona}`)), [persona]);
    assert.deepEqual(Object.keys((await get('/api/drafts')).body.details), ['releaseRangeId']);
    assert.deepEqual(Object.keys((await get(`${path}&persona=boss`)).body.details), ['persona']);
  });

  await t.test('List Drafts returns an array of whole drafts (spec 4)', async () => {
    const { drafts } = (await get(`/api/drafts?releaseRangeId=${range.id}`)).body;
    assert.equal(drafts.length, 3);
    for (const each of drafts) assertFields(each, draftFields, 'draft');
  });

  await t.test('Get Draft returns the draft (spec 4)', async () => {
    const { status, body } = await get(`/api/drafts/${draft.id}`);
    assert.equal(status, 200);
    assertFields(body, draftFields, 'draft');
    assert.deepEqual([body.id, body.releaseRangeId, body.persona], [draft.id, range.id, 'engineer']);
    for (const list of ['highlights', 'contributors']) {
      assert.ok(body.flags[list].every((each: unknown) => typeof each === 'string'));
    }
    assert.equal(typeof body.flags.upgradeInstructions, 'string');
  });

  await t.test('Generate Draft accepts a persona and returns a ticket (spec 4)', async () => {
    const path = `/api/drafts/${range.id}/generate`;
    for (const body of [{}, { persona: 'boss' }, { persona: null }]) {
      const refused = await service.api('POST', path, body);
      assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, ['persona']]);
      assert.match(refused.body.details.persona, /one of engineer, internal, customer/);
    }
    for (const persona of personas) {
      const { body } = await service.api('POST', path, { persona });
      assert.deepEqual(Object.keys(body), ['id', 'status', 'estimatedTime']);
      assert.deepEqual([body.status, Number.isInteger(body.estimatedTime)], ['processing', true]);
      assert.equal((await get(`/api/drafts/${body.id}`)).body.persona, persona);
    }
  });

  await t.test('generation continues after its reply (spec 4)', async () => {
    const { id: rangeId } = (await createTagRange(service, repoId)).body;
    const ticket = (await service.api('POST', `/api/drafts/${rangeId}/generate`, { persona: 'customer' })).body;
    const seen = new Set<string>();
    const ready = await waitUntil('the draft is ready', async () => {
      const { body } = await get(`/api/drafts/${ticket.id}`);
      seen.add(body.status);
      return body.status === 'ready' && body;
    });
    assert.match(ready.bodyMd, /Faster start/);
    assert.ok([...seen].every((status) => status === 'processing' || status === 'ready'));
  });

  await t.test('Update Draft accepts a text and returns it (spec 4)', async () => {
    const bodyMd = '## Written by a person\n';
    const { status, body } = await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd });
    assert.deepEqual([status, Object.keys(body)], [200, ['id', 'bodyMd', 'conflicts', 'updatedAt']]);
    assert.deepEqual([body.id, body.bodyMd], [draft.id, bodyMd]);
    assert.match(body.updatedAt, timestamp);
    assert.equal((await get(`/api/drafts/${draft.id}`)).body.bodyMd, bodyMd);
    const refused = await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: 5 });
    assert.deepEqual(Object.keys(refused.body.details), ['bodyMd']);
  });

  await t.test('List Release Ranges accepts a repository and returns its ranges (spec 4)', async () => {
    assert.deepEqual(Object.keys((await get('/api/ranges')).body.details), ['repoId']);
    const { status, body } = await get(`/api/ranges?repoId=${repoId}&limit=100&sort=createdAt&order=asc`);
    assert.equal(status, 200);
    assertFields(body.ranges[0], listedRangeFields, 'range');
    assert.deepEqual([body.total, body.hasMore], [26, false]);
    const first = (await get(`/api/ranges?repoId=${repoId}&limit=10&offset=5`)).body;
    assert.deepEqual([first.total, first.hasMore, first.nextOffset, first.ranges.length], [26, true, 15, 10]);
  });

  await t.test('Get Release Range also returns the range’s counts (spec 4)', async () => {
    const { status, body } = await get(`/api/ranges/${range.id}`);
    assert.equal(status, 200);
    assertFields(body, { ...listedRangeFields, prCount: 'number', issueCount: 'number' }, 'range');
    assert.deepEqual([body.prCount, body.issueCount], [3, 1]);
  });

  await t.test('Create Release Range returns the range (spec 4)', async () => {
    const { status, body } = await createTagRange(service, repoId);
    assert.equal(status, 201);
    assertFields(body, { ...listedRangeFields, type: /^TAG_BASED$/ }, 'range');
    assert.deepEqual((await get(`/api/ranges/${body.id}`)).body, body);
  });

  for (const [type, bounds] of Object.entries(rangeBodies)) {
    await t.test(`a ${type} range requires ${Object.keys(bounds).join(' and ')} (spec 4)`, async () => {
      const create = (body: object) => service.api('POST', '/api/ranges', body);
      const whole: Record<string, unknown> = { repoId, type, ...bounds };
      const made = await create(whole);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      for (const field of ['repoId', 'type', ...Object.keys(bounds)]) {
        const { [field]: _, ...less } = whole;
        const lacking = await create(less);
        assert.deepEqual([lacking.status, field in lacking.body.details], [400, true], `without ${field}`);
        // A value of the wrong type: the string '1' for a number field, and the number 1 for any other field.
        const other = typeof whole[field] === 'number' ? '1' : 1;
        const mistyped = await create({ ...whole, [field]: other });
        assert.deepEqual([mistyped.status, field in mistyped.body.details], [400, true], `${field} as ${typeof other}`);
      }
    });
  }

  await t.test('the days of a range have the form YYYY-MM-DD (spec 4)', async () => {
    for (const day of ['2026-1-2', '02.01.2026', '2026-01-02T00:00:00Z', '2026-02-30', '']) {
      const body = { repoId, type: 'DATE_BASED', fromDate: day, toDate: '2026-12-31' };
      const { details } = (await service.api('POST', '/api/ranges', body)).body;
      assert.match(details.fromDate, /a day as YYYY-MM-DD/, day);
    }
  });

  await t.test('List Repositories returns an array of repositories (spec 4)', async () => {
    const { repos } = (await get('/api/repos')).body;
    const fields: Fields = {
      id: /^repo_/,
      orgId: /^org_/,
      scmRepoId: 'number',
      fullName: /^acme\/rocket$/,
      defaultBranch: /^main$/,
      createdAt: timestamp,
    };
    assert.equal(repos.length, 1);
    assertFields(repos[0], fields, 'repository');
  });

  await t.test('Get Repository Tags returns an array of tags (spec 4)', async () => {
    const { tags } = (await get(`/api/repos/${repoId}/tags`)).body;
    assert.equal(tags.length, 2);
    for (const tag of tags) assertFields(tag, { name: /^v1\.[01]\.0$/, sha: /^[0-9a-f]{40}$/, date: timestamp }, 'tag');
  });

  await t.test('Get Organization Stats returns the statistics (spec 4)', async () => {
    const { body } = await get(`/api/stats?orgId=${orgId}`);
    const fields: Fields = {
      currentMonth: /^\d{4}-\d{2}$/,
      activeRepos: 'number',
      draftsGenerated: 'number',
      publishedReleases: 'number',
      publications: 'number',
      apiCalls: 'number',
      billingTier: 'string',
      usagePercentage: 'number',
    };
    assertFields(body, fields, 'statistics');
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
