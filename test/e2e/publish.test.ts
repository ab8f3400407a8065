/**
 * Tests publishing over HTTP: accepted and refused requests, the states of a publication, repeated requests,
 * connections and their secrets, and an organization's policy for internal drafts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelNames } from '../../src/protocol/names.ts';
import { faultsIn } from '../helpers/log.ts';
import { createTagRange, deliverRocket, generateDraft, toEnd } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('drafts are published over HTTP', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id);
  const publish = (body: object) => toEnd(service, service.api('POST', '/api/publish', { draftId: draft.id, ...body }));

  await t.test('Publish Draft returns id, status, url and publishedAt (spec 4)', async () => {
    const { status, body, headers } = await publish({ channel: 'hosted' });
    assert.equal(status, 201, JSON.stringify(body));
    assert.match(body.id, /^pub_/);
    assert.equal(body.status, 'completed');
    assert.ok(Date.parse(body.publishedAt) >= Date.parse(draft.updatedAt));
    assert.ok('url' in body);
    assert.deepEqual([body.channel, body.draftId, body.revision, body.draft], ['hosted', draft.id, 1, false]);
    assert.equal(headers.get('location'), `/api/publications/${body.id}`);
    assert.equal(body.attempts.length, 1);
    assert.deepEqual((await service.api('GET', `/api/publications/${body.id}`)).body, body);
  });

  await t.test('a repeated request for the same text returns the same publication', async () => {
    const [first, second] = [await publish({ channel: 'hosted' }), await publish({ channel: 'hosted' })];
    assert.equal(first.body.id, second.body.id);
    const { body } = await service.api('GET', `/api/publications?draftId=${draft.id}`);
    assert.equal(body.total, 1);
    assert.equal(body.publications[0].attempts.length, 1);
  });

  await t.test('a changed text is another publication', async () => {
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: 'Changed.\n' });
    const { body } = await publish({ channel: 'hosted' });
    assert.deepEqual([body.revision, body.status], [2, 'completed']);
    const list = (await service.api('GET', `/api/publications?repoId=${repoId}&order=asc&sort=createdAt`)).body;
    assert.deepEqual(
      list.publications.map(({ revision }: { revision: number }) => revision),
      [1, 2],
    );
    const none = (await service.api('GET', `/api/publications?draftId=${draft.id}&status=failed`)).body;
    assert.equal(none.total, 0);
    assert.equal((await service.api('GET', '/api/publications')).body.total, 2);
  });

  await t.test('each completed publication is counted once, and its range once (spec 2)', async () => {
    const stats = await waitUntil('two are counted', async () => {
      const { body } = await service.api('GET', '/api/stats');
      return body.publications === 2 && body;
    });
    assert.equal(stats.publishedReleases, 1);
  });

  await t.test('the reply names the allowed values of channel (spec 4)', async () => {
    const { status, body } = await publish({ channel: 'pigeon' });
    assert.equal(status, 400);
    assert.equal(body.details.channel, `expected one of ${channelNames.join(', ')}, got "pigeon"`);
  });

  await t.test('draft is for scm_releases only (spec 4)', async () => {
    for (const channel of channelNames.filter((name) => name !== 'scm_releases')) {
      const { status, body } = await publish({ channel, draft: true });
      assert.equal(status, 400, channel);
      assert.match(body.details.draft, /expected false for the channel/);
    }
  });

  await t.test('a channel that needs a connection is refused without one', async () => {
    for (const channel of ['support_messenger', 'workspace_chat', 'office_chat', 'email']) {
      const { status, body } = await publish({ channel });
      assert.equal(status, 409, channel);
      assert.match(body.message, new RegExp(`The channel ${channel} is not connected`));
    }
  });

  await t.test('only a draft that is ready is published', async () => {
    const other = (await service.api('POST', `/api/drafts/${range.id}/generate`, { persona: 'internal' })).body;
    const { status } = await service.api('POST', '/api/publish', { draftId: other.id, channel: 'hosted' });
    assert.ok(status === 409 || status === 201, String(status));
    assert.equal((await publish({ draftId: 'draft_x', channel: 'hosted' })).status, 404);
  });

  await t.test('the preview returns the payload and publishes nothing', async () => {
    const before = (await service.api('GET', `/api/publications?repoId=${repoId}`)).body.total;
    const { status, body } = await service.api('POST', '/api/publish/preview', {
      draftId: draft.id,
      channel: 'hosted',
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      [body.channel, body.payload.page.version, body.payload.page.html],
      ['hosted', 'v1.1.0', '<p>Changed.</p>'],
    );
    assert.equal((await service.api('GET', `/api/publications?repoId=${repoId}`)).body.total, before);
  });

  await t.test('a repeated Idempotency-Key gets the first reply', async () => {
    const call = async (body: object) => {
      const answer = await fetch(`${service.url}/api/publish`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.adminKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        body: JSON.stringify({ draftId: draft.id, ...body }),
      });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    };
    const [first, again] = [await call({ channel: 'hosted' }), await call({ channel: 'hosted' })];
    assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await call({ channel: 'changelog' })).status, 422);
  });

  await t.test('published notes are kept until they are deleted (spec 8)', async () => {
    const { body } = await publish({ channel: 'hosted' });
    const resent = await toEnd(service, service.api('POST', `/api/publications/${body.id}/resend`, {}));
    assert.deepEqual([resent.status, resent.body.status, resent.body.attempts.length], [201, 'completed', 2]);
    const gone = await service.api('DELETE', `/api/publications/${body.id}`);
    assert.equal(gone.status, 200);
    assert.equal(gone.body.id, body.id);
    assert.ok(gone.body.message.length > 0);
    assert.equal((await service.api('GET', `/api/publications/${body.id}`)).status, 404);
    const republished = await publish({ channel: 'hosted' });
    assert.notEqual(republished.body.id, body.id);
  });

  await t.test('a policy refuses internal drafts on public channels', async () => {
    const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
    const set = (refuseInternalOnPublicChannels: boolean) =>
      service.api('PATCH', `/api/orgs/${orgId}`, { refuseInternalOnPublicChannels });
    assert.equal((await set(true)).body.refuseInternalOnPublicChannels, true);
    const refused = await publish({ channel: 'hosted' });
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /refuseInternalOnPublicChannels/);
    const customer = await generateDraft(service, range.id, 'customer');
    assert.equal((await publish({ draftId: customer.id, channel: 'hosted' })).status, 201);
    assert.equal((await set(false)).body.refuseInternalOnPublicChannels, false);
    assert.equal((await publish({ channel: 'hosted' })).status, 201);
    assert.equal((await service.api('PATCH', `/api/orgs/${orgId}`, {})).status, 400);
  });

  await t.test('no internal failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
