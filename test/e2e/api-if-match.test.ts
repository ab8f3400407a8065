/**
 * Tests If-Match on every write that changes the reply to a GET. A write based on an outdated state changes nothing,
 * and one of two concurrent writes is refused.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { apiRoutes } from '../../src/api/routes.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';

test('writes accept a condition', async (t) => {
  const service = await startService(t, { env: { TIDINGS_EGRESS_ALLOW: '127.0.0.1' } });
  const repoId = await deliverRocket(service);
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  const rangeId = (await createTagRange(service, repoId)).body.id;
  // Nobody listens at this address. An event of the draft would make the endpoint count as failing, at any time.
  const endpoint = { org: 'acme', url: 'https://hooks.acme.example/', events: ['backfill.completed'] };
  const endpointId = (await service.api('POST', '/api/webhook-endpoints', endpoint)).body.id;
  const draftId = (await generateDraft(service, rangeId)).id;

  async function call(method: string, path: string, ifMatch?: string, body?: object): Promise<Answer> {
    const condition: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const answer = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/json', ...condition },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }

  const refusing = { refuseInternalOnPublicChannels: true };
  /**
   * The tested writes. The path of each write also has a GET. `bodies` contains two bodies that lead to different
   * states. In the test of two concurrent writes, each write must change the initial state. If one of the `bodies`
   * equals the initial state, `race` contains the bodies for this test.
   */
  const writes: Record<string, { path: string; bodies: [object, object]; race?: [object, object] }> = {
    // This write is the first. New settings outdate the draft seconds later, and that changes the ETag of the draft.
    updateDraft: { path: `/api/drafts/${draftId}`, bodies: [{ bodyMd: 'One.\n' }, { bodyMd: 'Two.\n' }] },
    updateRepository: {
      path: `/api/repos/${repoId}`,
      bodies: [{ selected: false }, { selected: true }],
      race: [{ selected: false }, { selected: false }],
    },
    putRepositorySettings: {
      path: `/api/repos/${repoId}/settings`,
      bodies: [{ order: ['fix'] }, { order: ['security'] }],
    },
    putRepositoryAutomation: {
      path: `/api/repos/${repoId}/automation`,
      bodies: [
        { onTag: { pattern: 'one-*', personas: ['engineer'] } },
        { onTag: { pattern: 'two-*', personas: ['engineer'] } },
      ],
    },
    updateOrganisation: {
      path: `/api/orgs/${orgId}`,
      bodies: [{ ...refusing, tier: 'unlimited' }, { refuseInternalOnPublicChannels: false }],
      race: [{ ...refusing, tier: 'unlimited' }, refusing],
    },
    updateWebhookEndpoint: {
      path: `/api/webhook-endpoints/${endpointId}`,
      bodies: [
        { description: 'one', enabled: false },
        { description: 'two', enabled: true },
      ],
    },
    putChannel: {
      path: `/api/channels/hosted?repoId=${repoId}`,
      bodies: [{ settings: { title: 'One' } }, { settings: { title: 'Two' } }],
    },
  };

  await t.test('every PATCH and PUT accepts If-Match', () => {
    const changing = apiRoutes.filter(({ method }) => method === 'PATCH' || method === 'PUT');
    assert.deepEqual(changing.map(({ operation }) => operation).sort(), Object.keys(writes).sort());
    for (const { operation, contract } of changing) assert.equal(contract.conditional, true, operation);
  });

  for (const [operation, { path, bodies, race = bodies }] of Object.entries(writes)) {
    const { method } = apiRoutes.find((route) => route.operation === operation) as (typeof apiRoutes)[number];

    await t.test(`${operation} is refused when another write was faster (spec 4)`, async () => {
      const before = await call('GET', path);
      const etag = before.headers.get('etag') ?? '';
      const [one, two] = race;
      const answers = await Promise.all([call(method, path, etag, one), call(method, path, etag, two)]);
      const after = await call('GET', path);
      const won = answers.find(({ status }) => status === 200) as Answer;
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412], JSON.stringify(answers));
      const lost = answers.find(({ status }) => status === 412);
      assert.match(lost?.body.message, /has changed since the version in If-Match/);
      assert.equal(after.headers.get('etag'), won.headers.get('etag'), 'the reply has the validator of the GET');
      if (operation !== 'updateDraft') assert.deepEqual(won.body, after.body);
    });

    await t.test(`${operation} accepts the ETag of its own reply`, async () => {
      let etag = (await call('GET', path)).headers.get('etag') ?? '';
      for (const body of [...bodies, ...bodies]) {
        const answer = await call(method, path, etag, body);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        etag = answer.headers.get('etag') ?? '';
      }
      assert.equal((await call(method, path, '"1-AAAAAAAAAAAAAAAAAAAAAA"', bodies[0])).status, 412);
      assert.equal((await call('GET', path)).headers.get('etag'), etag, 'a refused write changes nothing');
      assert.equal((await call(method, path, '*', bodies[0])).status, 200);
      assert.deepEqual(Object.keys((await call(method, path, 'x', bodies[0])).body.details), ['If-Match']);
    });
  }

  await t.test('a request that cannot be conditional is refused and does nothing', async () => {
    const removal = await call('DELETE', `/api/webhook-endpoints/${endpointId}`, '"x"');
    assert.deepEqual([removal.status, Object.keys(removal.body.details)], [400, ['If-Match']]);
    assert.equal((await call('GET', `/api/webhook-endpoints/${endpointId}`)).status, 200);
    assert.equal((await call('POST', `/api/drafts/${rangeId}/generate`, '*', { persona: 'engineer' })).status, 400);
    assert.equal((await call('GET', `/api/repos/${repoId}`, '"x"')).status, 200, 'a GET changes nothing');
  });

  await t.test('an organization’s tier and policy change together or not at all', async () => {
    const { body: before } = await call('GET', `/api/orgs/${orgId}`);
    const wrong = { refuseInternalOnPublicChannels: !before.refuseInternalOnPublicChannels, tier: 'none such' };
    assert.equal((await call('PATCH', `/api/orgs/${orgId}`, undefined, wrong)).status, 400);
    assert.deepEqual((await call('GET', `/api/orgs/${orgId}`)).body, before);
  });

  await t.test('a new secret is not undone by a concurrent write that keeps the secret', async (t) => {
    const tokens = new Set<string | undefined>();
    const messenger = createServer((request, response) => {
      tokens.add(request.headers.authorization);
      response.writeHead(401).end();
    });
    afterwards(t, () => messenger.close());
    await new Promise<void>((listening) => messenger.listen(0, '127.0.0.1', listening));
    const apiUrl = `http://127.0.0.1:${(messenger.address() as AddressInfo).port}`;
    const path = `/api/channels/support_messenger?orgId=${orgId}`;
    const put = (settings: object) => call('PUT', path, undefined, { settings: { senderId: 7, apiUrl, ...settings } });
    assert.equal((await put({ accessToken: 'first' })).status, 200);
    const keeping = (state: string) => Array.from({ length: 10 }, () => put({ state }));
    const answers = await Promise.all([...keeping('live'), put({ accessToken: 'second' }), ...keeping('draft')]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    await service.api('POST', `/api/channels/support_messenger/test?orgId=${orgId}`, {});
    assert.deepEqual([...tokens], ['Bearer second']);
  });
});
