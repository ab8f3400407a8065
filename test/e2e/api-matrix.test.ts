/**
 * Tests every route with every kind of key: which keys a route accepts, and how the route refuses all other keys (spec
 * parts 5 and 7).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiRoutes } from '../../src/api/routes.ts';
import { newKey } from '../../src/foundation/api-key.ts';
import { scopes } from '../../src/protocol/commands.ts';
import { expiredKey } from '../helpers/brief-key.ts';
import { faultsIn } from '../helpers/log.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, read, startService } from '../helpers/service.ts';

/**
 * Routes that accept instance keys only. These routes refuse every key of an organization, even a key that all other
 * routes accept.
 */
const forInstance = /^\/api\/(retention|dead-letters|hosts)/;
/** The history contains a pull request with the number 2 and an issue with the number 5. */
const numbers: Record<string, string> = { getIssue: '5' };
/** Routes whose path names an object of an organization. A key of another organization gets 404. */
const owned = /:(repoId|rangeId|draftId|keyId|secretId|publicationId|orgId|endpointId)/;

test('routes accept the right keys only', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const draftId = (await generateDraft(service, rangeId)).id;
  const make = async (body: object) =>
    (await service.api('POST', '/api/keys', { name: 'k', org: 'acme', ...body })).body;
  const right = await make({});
  const foreign = await make({ org: 'umbrella' });
  const revoked = await make({});
  await service.api('DELETE', `/api/keys/${revoked.id}`);
  const brief = await expiredKey(service, { org: 'acme' });
  const secret = (await service.api('POST', '/api/webhook-secrets', { org: 'acme' })).body;
  const publication = (await service.api('POST', '/api/publish', { draftId, channel: 'hosted' })).body;
  await service.api('PUT', `/api/channels/hosted?orgId=${right.orgId}`, { settings: {} });
  const ids: Record<string, string> = { repoId, rangeId, draftId, keyId: right.id, secretId: secret.id, revision: '1' };
  Object.assign(ids, { publicationId: publication.id, channel: 'hosted' });
  const url = 'https://hooks.acme.example/';
  const endpoint = (await service.api('POST', '/api/webhook-endpoints', { org: 'acme', url })).body;
  const tried = (await service.api('POST', `/api/webhook-endpoints/${endpoint.id}/test`, {})).body;
  Object.assign(ids, { number: '2', orgId: right.orgId, endpointId: endpoint.id, deliveryId: tried.id });
  const queries: Record<string, string> = {
    listRanges: `?repoId=${repoId}`,
    listDrafts: `?releaseRangeId=${rangeId}`,
    listPublications: `?draftId=${draftId}`,
  };
  const lacking = new Map<string, string>();
  for (const scope of new Set(apiRoutes.map((route) => route.scope))) {
    if (scope === null) continue;
    lacking.set(scope, (await make({ scopes: scopes.filter((each) => each !== scope) })).key);
  }

  const call = (route: (typeof apiRoutes)[number], authorization: string | undefined, sent = '{}'): Promise<Answer> => {
    const own: Record<string, string> = {
      ...ids,
      ...(route.operation in numbers && { number: numbers[route.operation] as string }),
    };
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => own[name] ?? assert.fail(name));
    const headers: Record<string, string> = { 'content-type': 'application/json', 'x-test-mode': 'false' };
    if (authorization !== undefined) headers.authorization = authorization;
    const writes = route.method !== 'GET' && route.method !== 'DELETE';
    const asked = fetch(service.url + path + (queries[route.operation] ?? ''), {
      method: route.method,
      headers,
      ...(writes && { body: sent }),
    });
    return asked.then(read);
  };

  await t.test('an invalid key gets 401 and the reason (spec 7.1)', async () => {
    const mistyped = right.key.slice(0, -1) + (right.key.endsWith('0') ? '1' : '0');
    const causes: [string | undefined, RegExp][] = [
      [undefined, /has no API key/],
      ['Bearer nonsense', /is malformed/],
      [`Bearer ${mistyped}`, /checksum does not match/],
      [`Bearer ${newKey()}`, /is not known/],
      [`Bearer ${revoked.key}`, /was revoked/],
      [`Bearer ${brief.key}`, /has expired/],
    ];
    for (const route of apiRoutes) {
      for (const [authorization, cause] of causes) {
        const { status, headers, body } = await call(route, authorization);
        assert.equal(status, 401, route.operation);
        assert.deepEqual([Object.keys(body), body.error], [['error', 'message'], 'Unauthorized']);
        assert.match(body.message, cause);
        assert.match(
          body.message,
          /Generate a new key in the dashboard under Settings → API Keys\. .*tidings keys create --org ORGANIZATION --name NAME where the service runs\.$/,
        );
        assert.equal(headers.get('x-ratelimit-limit'), null);
        assert.ok(headers.get('x-request-id'));
      }
    }
  });

  await t.test('a key without the scope gets 403 and the scope’s name (spec 7)', async () => {
    for (const route of apiRoutes) {
      if (route.scope === null) continue;
      const { status, body } = await call(route, `Bearer ${lacking.get(route.scope)}`);
      assert.equal(status, 403, route.operation);
      assert.deepEqual([Object.keys(body), body.error], [['error', 'message'], 'Forbidden']);
      assert.ok(body.message.startsWith(`The API key lacks the scope ${route.scope}; it has `), body.message);
    }
  });

  await t.test('an object of another organization is not found (spec 7.2)', async () => {
    for (const route of apiRoutes.filter(({ path }) => owned.test(path))) {
      const { status, body } = await call(route, `Bearer ${foreign.key}`);
      assert.equal(status, 404, route.operation);
      assert.deepEqual([Object.keys(body), body.error], [['error', 'message'], 'Not found']);
      assert.match(body.message, /^[A-Z].* is not found or not accessible\.$/);
    }
  });

  await t.test('no other route shows a key anything of another organization (spec 7.2)', async () => {
    const bounds = { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' };
    // One request per route, with the expected status. The key belongs to another organization than acme. Requests with
    // status 404 name an object of acme. Requests with status 200 name no object, and their replies must contain
    // nothing of acme.
    const asked: Record<string, { query?: string; body?: object; status: number }> = {
      listRanges: { status: 404 },
      listDrafts: { status: 404 },
      createRange: { body: { repoId, ...bounds }, status: 404 },
      previewRange: { body: { repoId, ...bounds }, status: 404 },
      getStats: { query: `?orgId=${ids.orgId}`, status: 404 },
      getWeeklyStats: { query: `?repoId=${repoId}`, status: 404 },
      getAbout: { query: `?orgId=${ids.orgId}`, status: 404 },
      createKey: { body: { name: 'x', org: 'acme' }, status: 404 },
      createWebhookSecret: { body: { org: 'acme' }, status: 404 },
      publishDraft: { body: { draftId, channel: 'hosted' }, status: 404 },
      previewPublication: { body: { draftId, channel: 'hosted' }, status: 404 },
      listPublications: { status: 404 },
      listChannels: { status: 200 },
      getChannel: { query: `?repoId=${repoId}`, status: 404 },
      putChannel: { query: `?repoId=${repoId}`, body: { settings: {} }, status: 404 },
      removeChannel: { query: `?orgId=${ids.orgId}`, status: 404 },
      testChannel: { query: `?repoId=${repoId}`, body: {}, status: 404 },
      showRetention: { status: 403 },
      approveRetention: { body: {}, status: 403 },
      listDeadLetters: { status: 403 },
      replayDeadLetters: { body: { all: true }, status: 403 },
      listHosts: { status: 403 },
      checkHost: { body: { origin: 'https://github.com' }, status: 403 },
      createAppManifest: { body: { origin: 'https://github.com' }, status: 403 },
      createHostApp: { body: { code: 'code', state: 'state' }, status: 403 },
      removeHostApp: { query: '?origin=https://github.com', status: 403 },
      listRepositories: { status: 200 },
      listKeys: { status: 200 },
      listDeliveries: { status: 200 },
      listOrganisations: { status: 200 },
      listWebhookSecrets: { status: 200 },
      createWebhookEndpoint: { body: { org: 'acme', url }, status: 404 },
      listWebhookEndpoints: { status: 200 },
      listWebhookEvents: { status: 200 },
      streamEvents: { status: 200 },
    };
    const lists = { ...queries };
    const routes = apiRoutes.filter(({ path }) => !owned.test(path));
    assert.deepEqual(routes.map(({ operation }) => operation).sort(), Object.keys(asked).sort());
    for (const route of routes) {
      const { query, body, status } = asked[route.operation] as (typeof asked)[string];
      if (query !== undefined) queries[route.operation] = query;
      const answer = await call(route, `Bearer ${foreign.key}`, JSON.stringify(body));
      if (!(route.operation in lists)) delete queries[route.operation];
      assert.equal(answer.status, status, route.operation);
      if (status !== 200) continue;
      const text = JSON.stringify(answer.body);
      const common = ['revision', 'channel', 'number'];
      // The examples in this reply are fixed. Their repository has the name and therefore the id of acme/rocket.
      if (route.operation === 'listWebhookEvents') common.push('repoId');
      for (const [name, id] of Object.entries(ids).filter(([name]) => !common.includes(name))) {
        assert.ok(!text.includes(id), `${route.operation} shows ${name}`);
      }
    }
  });

  await t.test('the right key is accepted', async () => {
    // Sends invalid bodies, so that nothing is written. Leaves out two operations that need no body: one would revoke
    // the key of these requests, and one would delete an endpoint that later requests need.
    const routes = apiRoutes.filter(({ operation }) => !/^(revokeKey|deleteWebhookEndpoint)$/.test(operation));
    for (const route of routes) {
      const { status, body } = await call(route, `Bearer ${right.key}`, '{"nothing": 1}');
      const writes = route.method !== 'GET' && route.method !== 'DELETE';
      const absent = route.path.endsWith('/backfill') ? [404] : [];
      const expected = forInstance.test(route.path) ? [400, 403] : writes ? [400] : [200, ...absent];
      assert.ok(expected.includes(status), `${route.operation} answered ${status}: ${JSON.stringify(body)}`);
    }
  });

  await t.test('no fault and no stack trace is logged (spec 7)', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
