/**
 * Tests the API for API keys. A new key is shown once. Keys are listed with their last use, rotated with overlap, and
 * revoked. Also tests which other keys an organization's key may manage (spec 5). A key ends no later than the key that
 * created it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiredKey } from '../helpers/brief-key.ts';
import { filesWith } from '../helpers/files-with.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('API keys are managed by API', async (t) => {
  const service = await startService(t, { env: { TIDINGS_USAGE_FLUSH_SECONDS: '1' } });
  const make = (body: object, key?: string): Promise<Answer> => service.api('POST', '/api/keys', body, key);
  const works = async (key: string) => (await service.api('GET', '/api/repos', undefined, key)).status;
  await service.deliver('pull_request', pullPayload(1));
  const acme = (await make({ name: 'acme admin', org: 'acme' })).body;
  const other = (await make({ name: 'other', org: 'umbrella' })).body;

  await t.test('a key is shown once (spec 5)', async () => {
    const { status, body, headers } = await make({ name: 'ci', scopes: ['repos:read'] }, acme.key);
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/api/keys/${body.id}`);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(body.key, /^rn_live_[0-9A-Za-z]{36}$/);
    assert.equal(await works(body.key), 200);
    const { key, ...rest } = body;
    const read = await service.api('GET', `/api/keys/${body.id}`, undefined, acme.key);
    assert.deepEqual({ ...read.body, lastUsedAt: null }, rest);
    assert.deepEqual([rest.name, rest.last4, rest.status, rest.createdBy], ['ci', key.slice(-4), 'active', acme.id]);
    assert.deepEqual([rest.scopes, rest.orgId, rest.reminder], [['repos:read'], acme.orgId, null]);
    assert.ok(Date.parse(rest.rotateBy) - Date.parse(rest.createdAt) > 180 * 86_400_000);
  });

  await t.test('no key is stored on disk', () => {
    assert.ok(filesWith(service.dataDir, acme.id).length > 0, 'its id is');
    for (const { key } of [acme, other]) assert.deepEqual(filesWith(service.dataDir, key.slice(8)), []);
  });

  await t.test('an organization sees and makes its own keys only', async () => {
    const { body } = await service.api('GET', '/api/keys?sort=name', undefined, acme.key);
    assert.deepEqual(
      body.keys.map(({ name }: { name: string }) => name),
      ['acme admin', 'ci'],
    );
    const all = (await service.api('GET', '/api/keys')).body;
    assert.equal(all.total, 4, 'an instance key sees all, its own too');
    for (const [method, path] of [
      ['GET', `/api/keys/${other.id}`],
      ['POST', `/api/keys/${other.id}/rotate`],
      ['DELETE', `/api/keys/${other.id}`],
    ] as const) {
      const answer = await service.api(method, path, method === 'POST' ? {} : undefined, acme.key);
      assert.equal(answer.status, 404, path);
      assert.match(answer.body.message, /^API key .* is not found or not accessible\.$/);
    }
    assert.equal((await make({ name: 'x', org: 'umbrella' }, acme.key)).status, 404);
    assert.equal((await make({ name: 'x', instance: true }, acme.key)).status, 403);
    assert.equal((await make({ name: 'x', org: 'ACME' }, acme.key)).status, 201);
    assert.equal((await make({ name: 'x', org: acme.orgId }, acme.key)).status, 201);
    assert.equal(await works(other.key), 200);
  });

  await t.test('no key makes a key that may do more', async () => {
    const small = (await make({ name: 'small', scopes: ['keys:write', 'repos:read'] }, acme.key)).body;
    const answer = await make({ name: 'big', scopes: ['repos:read', 'drafts:write'] }, small.key);
    assert.equal(answer.status, 403);
    assert.match(answer.body.message, /lacks the scope drafts:write; it has keys:write, repos:read/);
    assert.equal((await make({ name: 'big', scopes: ['*'] }, small.key)).status, 403);
    const rotation = await service.api('POST', `/api/keys/${acme.id}/rotate`, {}, small.key);
    assert.equal(rotation.status, 403, 'not by rotation either');
    assert.deepEqual((await make({ name: 'same' }, small.key)).body.scopes, ['keys:write', 'repos:read']);
  });

  await t.test('invalid bodies are refused with every field (spec 7)', async () => {
    const { status, body } = await make({ name: '', scopes: ['nothing'], expiresAt: 'soon', mode: 'x', extra: 1 });
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body.details).sort(), ['expiresAt', 'extra', 'mode', 'name', 'scopes.0']);
    assert.ok('org' in (await make({ name: 'whose' })).body.details);
    assert.ok('org' in (await make({ name: 'whose', org: 'acme', instance: true })).body.details);
    assert.ok(
      'expiresAt' in (await make({ name: 'old', org: 'acme', expiresAt: '2020-01-01T00:00:00Z' })).body.details,
    );
    const hours = await service.api('POST', `/api/keys/${acme.id}/rotate`, { overlapHours: 721 });
    assert.deepEqual([hours.status, Object.keys(hours.body.details)], [400, ['overlapHours']]);
  });

  await t.test('a key expires (spec 7.1)', async () => {
    const body = await expiredKey(service, {}, acme.key);
    const answer = await service.api('GET', '/api/repos', undefined, body.key);
    assert.match(answer.body.message, /has expired\. Generate a new key in the dashboard/);
    assert.equal((await service.api('GET', `/api/keys/${body.id}`)).body.status, 'expired');
    assert.equal((await service.api('POST', `/api/keys/${body.id}/rotate`, {})).status, 409);
  });

  await t.test('a rotated key works until the overlap ends (spec 5)', async () => {
    const { body: old } = await make({ name: 'turn', scopes: ['repos:read', 'keys:read'] }, acme.key);
    const { status, body: fresh } = await service.api(
      'POST',
      `/api/keys/${old.id}/rotate`,
      { overlapHours: 1 },
      acme.key,
    );
    assert.equal(status, 201);
    assert.deepEqual([fresh.name, fresh.scopes, fresh.orgId], [old.name, old.scopes, old.orgId]);
    assert.deepEqual([await works(old.key), await works(fresh.key)], [200, 200]);
    const left = (await service.api('GET', `/api/keys/${old.id}`)).body;
    assert.equal(left.rotatedTo, fresh.id);
    assert.ok(Math.abs(Date.parse(left.expiresAt) - Date.now() - 3_600_000) < 60_000);
    const twice = await service.api('POST', `/api/keys/${old.id}/rotate`, {});
    assert.equal(twice.status, 409);
    const last = await service.api('POST', `/api/keys/${fresh.id}/rotate`, { overlapHours: 0 });
    assert.deepEqual([await works(fresh.key), await works(last.body.key)], [401, 200], 'without overlap it ends');
  });

  await t.test('a revoked key stops working immediately (spec 5)', async () => {
    const { body } = await make({ name: 'gone' }, acme.key);
    const revoked = await service.api('DELETE', `/api/keys/${body.id}`, undefined, acme.key);
    assert.deepEqual([revoked.status, revoked.body.status], [200, 'revoked']);
    assert.equal(await works(body.key), 401);
    const again = await service.api('DELETE', `/api/keys/${body.id}`, undefined, acme.key);
    assert.equal(again.body.revokedAt, revoked.body.revokedAt);
  });

  await t.test('a key ends no later than the key that made it', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body: maker } = await make({ name: 'maker', expiresAt }, acme.key);
    assert.equal((await make({ name: 'child' }, maker.key)).body.expiresAt, expiresAt, 'asked without a time');
    const later = new Date(Date.now() + 7_200_000).toISOString();
    const refused = await make({ name: 'child', expiresAt: later }, maker.key);
    assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, ['expiresAt']]);
    assert.match(
      refused.body.message,
      new RegExp(`expected a time no later than ${expiresAt}, when your own key expires`),
    );
    const sooner = new Date(Date.now() + 1_800_000).toISOString();
    const child = (await make({ name: 'child', expiresAt: sooner }, maker.key)).body;
    assert.equal(child.expiresAt, sooner);
    const { body: lasting } = await make({ name: 'lasting' }, acme.key);
    const rotated = await service.api('POST', `/api/keys/${lasting.id}/rotate`, { overlapHours: 1 }, maker.key);
    assert.equal(rotated.status, 201);
    assert.equal(rotated.body.expiresAt, expiresAt, 'not by rotation either');
  });

  await t.test('a key that is made without expiry by a short-lived key expires with it', async () => {
    const child: { key?: string } = {};
    // The child key is made before the first key expires, because an expired key cannot make keys.
    const maker = await expiredKey(service, { scopes: ['*'], org: 'globex' }, undefined, async (key) => {
      child.key = (await make({ name: 'child' }, key)).body.key;
    });
    assert.match(maker.name, /brief/);
    assert.equal(await works(child.key as string), 401);
  });

  await t.test('a key ends immediately with the key that made it', async () => {
    const { body: maker } = await make({ name: 'maker', org: 'globex' });
    const { body: child } = await make({ name: 'child' }, maker.key);
    const { body: grandchild } = await make({ name: 'grandchild' }, child.key);
    const { body: fresh } = await service.api('POST', `/api/keys/${grandchild.id}/rotate`, {}, grandchild.key);
    const all = [maker, child, grandchild, fresh].map(({ key }) => key);
    assert.deepEqual(await Promise.all(all.map(works)), [200, 200, 200, 200]);
    const revoked = await service.api('DELETE', `/api/keys/${maker.id}`);
    assert.deepEqual([revoked.status, revoked.body.endedKeys], [200, 3]);
    assert.deepEqual(await Promise.all(all.map(works)), [401, 401, 401, 401]);
    const { body } = await service.api('GET', `/api/keys/${fresh.id}`);
    assert.deepEqual([body.status, body.endedWith, body.revokedAt], ['revoked', maker.id, null]);
    const answer = await service.api('GET', '/api/repos', undefined, child.key);
    assert.match(answer.body.message, new RegExp(`was revoked together with the key that created it, ${maker.id}\\.`));
    assert.equal((await service.api('POST', `/api/keys/${fresh.id}/rotate`, {})).status, 409);
  });

  await t.test('a rotation keeps the keys that the key made, with and without overlap', async () => {
    const { body: maker } = await make({ name: 'maker', org: 'globex' });
    const { body: child } = await make({ name: 'child' }, maker.key);
    const { body: second } = await service.api('POST', `/api/keys/${maker.id}/rotate`, { overlapHours: 1 }, maker.key);
    const refused = await make({ name: 'late' }, maker.key);
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, new RegExp(`was rotated\\. Use its successor ${second.id}`));
    const { body: third } = await service.api('POST', `/api/keys/${second.id}/rotate`, { overlapHours: 0 });
    assert.deepEqual(
      await Promise.all([maker, child, second, third].map(({ key }) => works(key))),
      [200, 200, 401, 200],
    );
    assert.equal((await service.api('DELETE', `/api/keys/${third.id}`)).body.endedKeys, 1);
    assert.equal(await works(child.key), 401);
  });

  await t.test('no key ends a key that may do more', async () => {
    const { body: all } = await make({ name: 'all', org: 'globex' });
    const { body: small } = await make({ name: 'small', scopes: ['keys:write'] }, all.key);
    const refused = await service.api('DELETE', `/api/keys/${all.id}`, undefined, small.key);
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /lacks the scope drafts:read, .*; it has keys:write\.$/);
    assert.equal(await works(all.key), 200);
    const { body: same } = await make({ name: 'same', scopes: ['keys:write'] }, all.key);
    assert.equal((await service.api('DELETE', `/api/keys/${same.id}`, undefined, small.key)).status, 200);
    assert.equal((await service.api('DELETE', `/api/keys/${small.id}`, undefined, small.key)).status, 200, 'itself');
    assert.equal((await service.api('DELETE', `/api/keys/${all.id}`, undefined, all.key)).status, 200);
  });

  await t.test('the last key of the instance cannot be revoked', async () => {
    const { keys } = (await service.api('GET', '/api/keys?limit=100')).body;
    const admin = keys.find(({ name }: { name: string }) => name === 'instance admin');
    const { body: child } = await make({ name: 'child', instance: true });
    for (const key of [service.adminKey, child.key]) {
      const { status, body } = await service.api('DELETE', `/api/keys/${admin.id}`, undefined, key);
      assert.equal(status, 409);
      assert.match(
        body.message,
        /no other key of the instance could then create keys.*tidings keys create --instance\.$/,
      );
    }
    assert.match(
      (await service.run('keys', 'revoke', admin.id)).output,
      /cannot be revoked, because no other key of the instance/,
    );
    assert.deepEqual([await works(service.adminKey), await works(child.key)], [200, 200]);
  });

  await t.test('a test key makes no key', async () => {
    const { body: key } = await make({ name: 'test', mode: 'test' }, acme.key);
    const before = (await service.api('GET', '/api/keys')).body.total;
    const { status, body } = await make({ name: 'live', mode: 'live' }, key.key);
    assert.deepEqual([status, await works(body.key)], [201, 401]);
    assert.equal((await service.api('DELETE', `/api/keys/${acme.id}`, undefined, key.key)).body.status, 'revoked');
    assert.equal(await works(acme.key), 200, 'and revokes none');
    assert.equal((await service.api('GET', '/api/keys')).body.total, before);
  });

  await t.test('the last use is reported to the minute (spec 5)', async () => {
    for (const mode of ['live', 'test']) {
      const { body } = await make({ name: 'used', mode }, acme.key);
      assert.equal(body.lastUsedAt, null);
      await works(body.key);
      const usedAt: string = await waitUntil(
        'the use is written',
        async () => (await service.api('GET', `/api/keys/${body.id}`)).body.lastUsedAt ?? undefined,
      );
      assert.ok(Math.abs(Date.now() - Date.parse(usedAt)) < 60_000);
    }
  });

  await t.test('the command line rotates a key', () => {
    const key = service.tidings('keys', 'create', '--org', 'acme', '--name', 'cli', '--quiet').trim();
    const line = service
      .tidings('keys', 'list')
      .split('\n')
      .find((each) => each.includes(`…${key.slice(-4)}`)) as string;
    const fresh = service.tidings('keys', 'rotate', line.split(' ')[0] as string, '--overlap', '0', '--quiet').trim();
    assert.match(fresh, /^rn_live_[0-9A-Za-z]{36}$/);
    assert.notEqual(fresh, key);
    assert.match(service.tidings('keys', 'list'), new RegExp(`…${fresh.slice(-4)}.*"cli"  active`));
  });
});

test('an organization has at most the maximum number of keys', async (t) => {
  const service = await startService(t, { env: { TIDINGS_MAX_KEYS: '3' } });
  const make = (org: string): Promise<Answer> => service.api('POST', '/api/keys', { name: 'k', org });
  const { body: first } = await make('acme');
  assert.equal((await make('acme')).status, 201);
  const answers = await Promise.all([make('acme'), make('acme')]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409], 'one of two concurrent requests succeeds');
  const refused = answers.find(({ status }) => status === 409);
  assert.equal(refused?.body.message, 'An organization has at most 3 API keys (TIDINGS_MAX_KEYS). Revoke one.');
  assert.equal((await make('moon')).status, 201, 'another organization has its own maximum');
  const rotated = await service.api('POST', `/api/keys/${first.id}/rotate`, {});
  assert.equal(rotated.status, 201, 'rotation is still possible');
  assert.equal((await make('acme')).status, 409);
  assert.equal((await service.api('DELETE', `/api/keys/${rotated.body.id}`)).status, 200);
  assert.equal((await make('acme')).status, 201);
  assert.equal((await service.api('POST', '/api/keys', { name: 'k', instance: true })).status, 201);
});
