/** Tests access to the API: valid and invalid keys, scopes, and organizations that cannot see each other's data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKey } from '../../src/foundation/api-key.ts';
import { faultsIn } from '../helpers/log.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

function createKey(service: TestService, ...args: string[]): string {
  return service.tidings('keys', 'create', '--name', 'test', '--quiet', ...args).trim();
}

test('keys, scopes and organizations limit access', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const draftId = (await generateDraft(service, rangeId)).id;
  await service.deliver(
    'pull_request',
    pullPayload(1, {}, { id: 2002, full_name: 'umbrella/lab', owner: { login: 'umbrella', id: 88 } }),
  );
  await waitUntil(
    'the other repository is listed',
    async () => (await service.api('GET', '/api/repos')).body.total === 2,
  );
  const [acme, umbrella] = [createKey(service, '--org', 'acme'), createKey(service, '--org', 'Umbrella')];

  await t.test('an invalid key gets 401 with the remedy (spec 7.1)', async () => {
    const causes: [string | undefined, RegExp][] = [
      [undefined, /no API key/],
      ['', /no API key/],
      [acme, /malformed/],
      [`Basic ${acme}`, /malformed/],
      [`Bearer ${acme} ${acme}`, /malformed/],
      ['Bearer rn_live_short', /malformed/],
      [`Bearer ${acme.slice(0, -1)}${acme.endsWith('0') ? '1' : '0'}`, /checksum/],
      [`Bearer ${newKey()}`, /not known/],
    ];
    for (const [authorization, cause] of causes) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const answer = await fetch(`${service.url}/api/repos`, { headers });
      assert.equal(answer.status, 401, authorization);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
      const body = (await answer.json()) as Record<string, string>;
      assert.deepEqual(Object.keys(body), ['error', 'message']);
      assert.equal(body.error, 'Unauthorized');
      assert.match(body.message ?? '', cause);
      assert.match(
        body.message ?? '',
        /Generate a new key in the dashboard under Settings → API Keys\. .*tidings keys create --org ORGANIZATION --name NAME where the service runs\.$/,
      );
    }
  });

  await t.test('the scheme is accepted in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      const answer = await fetch(`${service.url}/api/repos`, { headers: { authorization: `${scheme} ${acme}` } });
      assert.equal(answer.status, 200, scheme);
    }
  });

  await t.test('an organization sees its own repositories only', async () => {
    const names = async (key: string) =>
      (await service.api('GET', '/api/repos', undefined, key)).body.repos.map(
        (repo: { fullName: string }) => repo.fullName,
      );
    assert.deepEqual(await names(acme), ['acme/rocket']);
    assert.deepEqual(await names(umbrella), ['umbrella/lab']);
    assert.deepEqual(await names(service.adminKey), ['acme/rocket', 'umbrella/lab']);
  });

  await t.test('an object of another organization is not found (spec 7.2)', async () => {
    const requests: [string, string, unknown?][] = [
      ['GET', `/api/repos/${repoId}/tags`],
      ['GET', `/api/ranges?repoId=${repoId}`],
      ['GET', `/api/ranges/${rangeId}`],
      ['POST', '/api/ranges', { repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' }],
      ['GET', `/api/drafts?releaseRangeId=${rangeId}`],
      ['GET', `/api/drafts/${draftId}`],
      ['PATCH', `/api/drafts/${draftId}`, { bodyMd: 'taken over' }],
      ['POST', `/api/drafts/${rangeId}/generate`, { persona: 'internal' }],
    ];
    for (const [method, path, body] of requests) {
      const answer = await service.api(method, path, body, umbrella);
      const absent = await service.api(method, path.replaceAll(/_[0-9a-z]{28}/g, '_x'), body, umbrella);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(Object.keys(answer.body), ['error', 'message']);
      const withoutIds = (text: string) => text.replace(/"[^"]*"/, '');
      if (method !== 'POST' || path !== '/api/ranges') {
        assert.equal(withoutIds(answer.body.message), withoutIds(absent.body.message), 'the reply reveals nothing');
      }
    }
    assert.notEqual((await service.api('GET', `/api/drafts/${draftId}`)).body.bodyMd, 'taken over');
    assert.equal((await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}`)).body.total, 1);
  });

  await t.test('a missing scope gets 403 (spec 7)', async () => {
    const reader = createKey(service, '--org', 'acme', '--scopes', 'repos:read,drafts:read');
    assert.equal((await service.api('GET', '/api/repos', undefined, reader)).status, 200);
    assert.equal((await service.api('GET', `/api/drafts/${draftId}`, undefined, reader)).status, 200);
    const refused: [string, string, string, unknown?][] = [
      ['GET', `/api/ranges?repoId=${repoId}`, 'ranges:read'],
      ['POST', '/api/ranges', 'ranges:write', {}],
      ['PATCH', `/api/drafts/${draftId}`, 'drafts:write', { bodyMd: 'x' }],
      ['POST', `/api/drafts/${rangeId}/generate`, 'drafts:write', { persona: 'engineer' }],
    ];
    for (const [method, path, scope, body] of refused) {
      const answer = await service.api(method, path, body, reader);
      assert.equal(answer.status, 403, path);
      assert.deepEqual(Object.keys(answer.body), ['error', 'message']);
      assert.match(answer.body.message, new RegExp(`lacks the scope ${scope}; it has repos:read, drafts:read`));
    }
  });

  await t.test('a revoked key stops working immediately', async () => {
    const key = createKey(service, '--org', 'acme');
    const line = service
      .tidings('keys', 'list')
      .split('\n')
      .find((each) => each.includes(`…${key.slice(-4)}`));
    const id = line?.split(' ')[0] as string;
    // These requests put the key into every cache before the key is revoked.
    for (let i = 0; i < 20; i++) assert.equal((await service.api('GET', '/api/repos', undefined, key)).status, 200);
    service.tidings('keys', 'revoke', id);
    const answer = await service.api('GET', '/api/repos', undefined, key);
    assert.equal(answer.status, 401);
    assert.match(answer.body.message, /was revoked/);
    assert.equal((await service.api('GET', '/api/repos', undefined, acme)).status, 200);
  });

  await t.test('no key is in the log', () => {
    for (const key of [acme, umbrella, service.adminKey]) assert.equal(service.log.includes(key.slice(8)), false);
    assert.deepEqual(faultsIn(service.log), []);
  });
});
