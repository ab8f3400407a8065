/**
 * Tests what a start page reads: repositories with their last event and unreleased changes, accepted deliveries, dead
 * letters and hosts. Each is read with an instance key and with the keys of two organizations.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { pullPayload, pushPayload, shaOf } from '../helpers/payloads.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const moon = { id: 2002, full_name: 'Moon/Lab', owner: { login: 'Moon', id: 88 } };

test('a start page reads what it shows', async (t) => {
  const host = await startHost(t, buildHistory({ numbers: 4 }), { kind: 'gitea', token: 'secret-token' });
  const { origin, kind, apiUrl, token } = host.host;
  const hosts = JSON.stringify([{ origin, kind, apiUrl, token }]);
  // The default host has no credentials, so the service asks no host who owns the repositories.
  const service = await startService(t, { env: { TIDINGS_HOSTS: hosts } });
  const begun = Date.now();
  const repoId = await deliverRocket(service);
  await service.deliver('pull_request', pullPayload(1, {}, moon), { 'x-scm-delivery': 'moon-1' });
  const names = async (query: string, key?: string): Promise<string[]> => {
    const { body } = await service.api('GET', `/api/repos?${query}`, undefined, key);
    return body.repos.map(({ fullName }: { fullName: string }) => fullName);
  };
  await waitUntil('the second repository is listed', async () => (await names('')).length === 2);
  const key = (org: string) => service.tidings('keys', 'create', '--name', 'k', '--quiet', '--org', org).trim();
  const [acmeKey, moonKey] = [key('acme'), key('Moon')];
  const inside = (body: unknown, text: string) => JSON.stringify(body).toLowerCase().includes(text);

  await t.test('repositories are found by name, whatever its case', async () => {
    assert.deepEqual(await names('fullName=MOON/lab'), ['Moon/Lab']);
    assert.deepEqual(await names('fullName=moon'), []);
    assert.deepEqual(await names('q=LAB'), ['Moon/Lab']);
    assert.deepEqual(await names('q=O'), ['Moon/Lab', 'acme/rocket']);
    assert.deepEqual(await names('q=lab&fullName=acme/rocket'), []);
    assert.deepEqual(await names('q=lab', acmeKey), []);
    assert.equal((await service.api('GET', '/api/repos?q=')).status, 400);
    assert.equal((await service.api('GET', '/api/repos?include=all')).status, 400);
  });

  await t.test('a repository has the time of its newest delivery', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    for (const { lastEventAt, lastTag, unreleased } of repos) {
      assert.ok(Date.parse(lastEventAt) >= begun && Date.parse(lastEventAt) <= Date.now(), lastEventAt);
      assert.deepEqual([lastTag, unreleased], [undefined, undefined], 'nothing is counted without a request for it');
    }
  });

  await t.test('a repository without a backfill says so, to the scope that reads repositories', async () => {
    const org = 'acme';
    const { key } = (await service.api('POST', '/api/keys', { name: 'r', org, scopes: ['repos:read'] })).body;
    const { status, body } = await service.api('GET', `/api/repos/${repoId}?include=backfill`, undefined, key);
    assert.deepEqual([status, body.id, body.backfill, body.unreleased], [200, repoId, null, undefined]);
    const foreign = await service.api('GET', `/api/repos/${repoId}?include=backfill`, undefined, moonKey);
    assert.equal(foreign.status, 404);
    assert.equal((await service.api('GET', '/api/repos?include=backfill')).status, 400);
  });

  // A count is marked as outdated from the fold of a later delivery until the next count is ready.
  const isCurrent = ({ unreleased }: { unreleased?: { outdated?: true } | null }) =>
    Boolean(unreleased) && !unreleased?.outdated;
  const counted = (path: string, pulls: number) =>
    waitUntil(`${pulls} pull requests are counted`, async () => {
      const { body } = await service.api('GET', path);
      return isCurrent(body) && body.unreleased.pulls === pulls && body;
    });

  await t.test('the counts are those of the unreleased changes, also after a merge', async () => {
    const path = `/api/repos/${repoId}?include=unreleased`;
    const before = await counted(path, 0);
    assert.deepEqual([before.lastTag.name, before.unreleased.changes], ['v1.1.0', 0]);
    for (const number of [8, 9]) {
      const labels = number === 9 ? [{ name: 'type: feature' }] : [];
      await service.deliver('pull_request', pullPayload(number, { title: `Change ${number}`, labels }));
      await service.deliver('push', pushPayload([number], shaOf(number === 8 ? 4 : 8)));
    }
    const { unreleased } = await counted(path, 2);
    const { counts, diagnostics } = (await service.api('GET', `/api/repos/${repoId}/unreleased`)).body;
    const { changes, dependencyUpdates, unlabelled } = diagnostics;
    assert.deepEqual(unreleased, { ...counts, changes, dependencyUpdates, unlabelled });
    assert.deepEqual([changes, unlabelled], [2, 1]);
    const list = await waitUntil('both are counted', async () => {
      const { repos } = (await service.api('GET', '/api/repos?include=unreleased')).body;
      return repos.every(isCurrent) && repos;
    });
    assert.deepEqual(list[1].unreleased, unreleased);
    assert.equal(list[0].lastTag, null, 'a repository without a tag');
  });

  await t.test('changed settings of the notes change the counts', async () => {
    const labels = { 'type: feature': { skip: true } };
    assert.equal((await service.api('PUT', `/api/repos/${repoId}/settings`, { labels })).status, 200);
    const { body } = await service.api('GET', `/api/repos/${repoId}/unreleased`);
    assert.equal(body.diagnostics.changes, 1);
    await waitUntil('the count follows', async () => {
      const { unreleased } = (await service.api('GET', `/api/repos/${repoId}?include=unreleased`)).body;
      return unreleased?.changes === 1;
    });
  });

  await t.test('a key sees and counts only the repositories of its organization', async () => {
    const { repos } = (await service.api('GET', '/api/repos?include=unreleased', undefined, moonKey)).body;
    assert.deepEqual([repos.length, inside(repos, 'acme')], [1, false]);
    const { status } = await service.api('GET', `/api/repos/${repoId}?include=unreleased`, undefined, moonKey);
    assert.equal(status, 404);
  });

  await t.test('counts need the scope of the unreleased changes', async () => {
    const org = 'acme';
    const { body } = await service.api('POST', '/api/keys', { name: 'r', org, scopes: ['repos:read'] });
    for (const path of ['/api/repos', `/api/repos/${repoId}`]) {
      assert.equal((await service.api('GET', path, undefined, body.key)).status, 200);
      const refused = await service.api('GET', `${path}?include=unreleased`, undefined, body.key);
      assert.equal(refused.status, 403);
      assert.match(refused.body.message, /lacks the scope ranges:read/);
    }
  });

  await t.test('the ETag follows the last event, and still permits a change of the repository', async () => {
    const send = (method: string, headers: Record<string, string>, body?: object) =>
      fetch(`${service.url}/api/repos/${repoId}`, {
        method,
        headers: { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
    const first = (await send('GET', {})).headers.get('etag') ?? assert.fail();
    assert.equal((await send('GET', { 'if-none-match': first })).status, 304);
    await service.deliver('pull_request', pullPayload(8, { title: 'Changed', updated_at: '2026-03-01T00:00:00Z' }));
    await waitUntil('the time is newer', async () => (await send('GET', { 'if-none-match': first })).status === 200);
    const changed = await send('PATCH', { 'if-match': first }, { selected: true });
    assert.equal(changed.status, 200);
    const [got, body] = [await send('GET', {}), await changed.json()];
    assert.equal(got.headers.get('etag'), changed.headers.get('etag'));
    assert.deepEqual(await got.json(), body);
  });

  await t.test('accepted deliveries are listed with their outcomes', async () => {
    await service.deliver('pull_request', pullPayload(1, {}, moon), { 'x-scm-delivery': 'moon-1' });
    await service.deliver('ping', {});
    await service.deliver('star', {});
    await service.api('PATCH', `/api/repos/${repoId}`, { selected: false });
    await service.deliver('pull_request', pullPayload(9, { title: 'Dropped' }));
    const list = async (query: string, as?: string) => {
      const { status, body } = await service.api('GET', `/api/deliveries?${query}`, undefined, as);
      assert.equal(status, 200, JSON.stringify(body));
      return body.deliveries;
    };
    const outcomes = (await list('limit=4')).map((each: Record<string, unknown>) => [each.outcome, each.reason]);
    assert.deepEqual(outcomes, [
      ['ignored', 'not_connected'],
      ['ignored', 'not_captured'],
      ['ignored', 'ping'],
      ['duplicate', null],
    ]);
    const [entry, ...rest] = await list('outcome=queued&event=pull_request&sort=createdAt', moonKey);
    const { id, receivedAt, ...facts } = entry;
    assert.match(id, /^rcv_/);
    assert.ok(Date.parse(receivedAt) >= begun);
    assert.deepEqual(rest, []);
    assert.deepEqual(
      [facts.status, facts.deliveryId, facts.repository, facts.orgId, facts.host, facts.triedSecrets],
      [202, 'moon-1', 'Moon/Lab', null, 'https://github.com', ['settings']],
    );
    assert.equal((await list('outcome=queued', moonKey))[0].id, id, 'the id of an entry stays');
    assert.equal(inside(await list('limit=100', moonKey), 'rocket'), false);
    const mine = await list(`repoId=${repoId}&limit=100`, acmeKey);
    assert.ok(mine.length > 9 && !inside(mine, 'moon'));
    assert.deepEqual(await list(`repoId=${repoId}`, moonKey), []);
    assert.equal((await list('reason=ping')).length, 1);
    assert.deepEqual(await list('outcome=refused'), []);
    assert.equal((await service.api('GET', '/api/deliveries?outcome=lost')).status, 400);
    const printed = await service.run('deliveries', '--outcome', 'ignored');
    assert.match(
      printed.output,
      /^\S+Z {2}ignored {4}200 {2}pull_request acme\/rocket {2}the repository is not connected/,
    );
    const { output } = await service.run('deliveries', '--repo', 'moon/lab', '--json', '--limit', '1');
    assert.deepEqual([JSON.parse(output).deliveries.length, JSON.parse(output).total], [1, 2]);
  });

  await t.test('dead letters and hosts are shown to instance keys only', async () => {
    const none = { deadLetters: [], total: 0, hasMore: false, nextOffset: null };
    assert.deepEqual((await service.api('GET', '/api/dead-letters')).body, none);
    assert.deepEqual((await service.api('POST', '/api/dead-letters', { all: true })).body, {
      replayed: [],
      nextCursor: null,
    });
    const missing = { partition: 'p00', seq: 1, index: 0 };
    assert.equal((await service.api('POST', '/api/dead-letters', missing)).status, 404);
    const common = { lastCheck: null };
    assert.deepEqual((await service.api('GET', '/api/hosts')).body.hosts, [
      {
        origin: 'https://github.com',
        kind: 'github',
        isDefault: true,
        app: null,
        credentials: [],
        webhookSecrets: 1,
        ...common,
      },
      { origin, kind: 'gitea', isDefault: false, app: null, credentials: ['token'], webhookSecrets: 0, ...common },
    ]);
    const { status, body } = await service.api('POST', '/api/hosts/check', { origin });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      [body.state, body.kind, body.version, body.mayRead, body.mayWrite],
      ['answers', 'gitea', '1.26.0', true, null],
    );
    const { hosts: checked } = (await service.api('GET', '/api/hosts')).body;
    assert.deepEqual([checked[0].lastCheck, checked[1].lastCheck], [null, body]);
    assert.ok(!inside(checked, 'secret-token'));
    const foreign = await service.api('POST', '/api/hosts/check', { origin: 'http://169.254.169.254' });
    assert.deepEqual([foreign.status, Object.keys(foreign.body.details)], [400, ['origin']]);
    for (const [method, path, sent] of [
      ['GET', '/api/dead-letters'],
      ['POST', '/api/dead-letters', { all: true }],
      ['GET', '/api/hosts'],
      ['POST', '/api/hosts/check', { origin }],
    ] as const)
      assert.equal((await service.api(method, path, sent, acmeKey)).status, 403, path);
  });
});
