/**
 * Tests accepted deliveries: which deliveries are queued, and which only get a reply. Each delivery takes effect only
 * once.
 */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { toEvents } from '../../src/intake/events.ts';
import { toInstallation } from '../../src/intake/installations.ts';
import { readExamples } from '../helpers/examples.ts';
import { faultsIn } from '../helpers/log.ts';
import { issuePayload, pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { talk } from '../helpers/raw-socket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

async function tagNames(service: TestService): Promise<string[]> {
  const { repos } = (await service.api('GET', '/api/repos')).body;
  const rocket = repos.find((repo: { fullName: string }) => repo.fullName === 'acme/rocket');
  if (!rocket) return [];
  const { tags } = (await service.api('GET', `/api/repos/${rocket.id}/tags`)).body;
  return tags.map((tag: { name: string }) => tag.name).sort();
}

function rawDelivery(service: TestService, payload: object): { head: string; body: string } {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', service.secret).update(body).digest('hex');
  const headers = [
    'Host: x',
    'Content-Type: application/json; charset=utf-8',
    'X-GitHub-Event: push',
    `X-GitHub-Delivery: ${randomUUID()}`,
    `X-Hub-Signature-256: sha256=${signature.toUpperCase()}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return { head: `POST /api/webhooks/scm HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, body };
}

test('valid deliveries are accepted', async (t) => {
  const previous = 'the-previous-secret';
  const service = await startService(t, { env: { TIDINGS_WEBHOOK_SECRETS: `the-current-secret,${previous}` } });

  await t.test('the captured events are queued (spec 4)', async () => {
    const answers = [
      await service.deliver('pull_request', pullPayload(1)),
      await service.deliver('issues', issuePayload(2)),
      await service.deliver('push', pushPayload([1], shaOf(0))),
      await service.deliver('push', tagPayload('v1', 1)),
    ];
    for (const { status, body } of answers) {
      assert.equal(status, 202);
      assert.equal(body.status, 'queued');
    }
    await waitUntil('the tag is listed', async () => (await tagNames(service)).includes('v1'));
  });

  await t.test('ping and events that are not captured get 200 (spec 4)', async () => {
    const payload = pullPayload(1);
    const answers = [
      await service.deliver('ping', { zen: 'Keep it logically awesome.' }),
      await service.deliver('star', payload),
      await service.deliver('an_event_of_tomorrow', {}),
      await service.deliver('constructor', payload),
      await service.deliver('__proto__', payload),
      await service.deliver('label', { action: 'created' }),
      await service.deliver('push', { ...tagPayload('x', 1), ref: 'refs/notes/commits' }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    for (const { body } of answers) assert.equal(body.status, 'processed');
  });

  await t.test('the previous secret still passes', async () => {
    const text = JSON.stringify({});
    const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
    assert.equal((await service.deliver('ping', text, { 'x-hub-signature-256': sign(previous) })).status, 200);
    assert.equal((await service.deliver('ping', text, { 'x-hub-signature-256': sign('older') })).status, 401);
  });

  await t.test('a repeated delivery has no second effect', async () => {
    const headers = { 'x-scm-delivery': randomUUID() };
    assert.equal((await service.deliver('push', tagPayload('once', 1), headers)).status, 202);
    await waitUntil('the tag is listed', async () => (await tagNames(service)).includes('once'));
    const again = await service.deliver('push', tagPayload('once', 1), headers);
    assert.equal(again.status, 200);
    assert.match(again.body.reason, /processed before/);
    const other = await service.deliver('push', tagPayload('twice', 1), headers);
    assert.equal(other.status, 200, 'the same id is the same delivery, with any body');
    assert.equal((await tagNames(service)).includes('twice'), false);
  });

  await t.test('one id with two events or hooks means two deliveries', async () => {
    const delivery = randomUUID();
    const push = (name: string, headers: object) =>
      service.deliver('push', tagPayload(name, 1), { 'x-scm-delivery': delivery, ...headers });
    assert.equal((await service.deliver('issues', issuePayload(9), { 'x-scm-delivery': delivery })).status, 202);
    assert.equal((await push('hook-1', { 'x-github-hook-id': '1' })).status, 202);
    assert.equal((await push('hook-2', { 'x-github-hook-id': '2' })).status, 202);
    await waitUntil(
      'both are listed',
      async () => (await tagNames(service)).filter((name) => name.startsWith('hook')).length === 2,
    );
  });

  await t.test('bodies distinguish deliveries without an id', async () => {
    for (const name of ['bare-1', 'bare-2']) {
      assert.equal((await service.deliver('push', tagPayload(name, 1), { 'x-scm-delivery': '' })).status, 202);
    }
    await waitUntil(
      'both are listed',
      async () => (await tagNames(service)).filter((name) => name.startsWith('bare')).length === 2,
    );
    assert.equal((await service.deliver('push', tagPayload('bare-1', 1), { 'x-scm-delivery': '' })).status, 200);
  });

  await t.test('the headers of every host are read', async () => {
    for (const family of ['scm', 'github', 'gitea', 'forgejo']) {
      const payload = JSON.stringify(tagPayload(family, 1));
      const signature = createHmac('sha256', service.secret).update(payload).digest('hex');
      const answer = await fetch(`${service.url}/api/webhooks/scm`, {
        method: 'POST',
        body: payload,
        headers: {
          'content-type': 'application/json',
          'x-hub-signature-256': `sha256=${signature}`,
          [`x-${family}-event`]: 'push',
          [`x-${family}-delivery`]: randomUUID(),
        },
      });
      assert.equal(answer.status, 202, family);
    }
  });

  await t.test('a body in many packets is accepted', async () => {
    const port = Number(service.env.TIDINGS_PORT);
    for (const [i, size] of [1, 7, 100, 100_000].entries()) {
      const { head, body } = rawDelivery(service, tagPayload(`packets-${i}`, 1));
      const pieces = [head, ...(body.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [])];
      const answer = await talk(port, size === 1 ? [...head, body] : pieces, { replies: 1 });
      assert.deepEqual(answer.statuses, [202], answer.text);
    }
  });

  await t.test('a body of the maximum size is accepted', async () => {
    const filler = 'x'.repeat(25 * 1024 * 1024 - '{"filler":""}'.length);
    assert.equal((await service.deliver('star', `{"filler":"${filler}"}`)).status, 200);
    assert.equal((await service.deliver('star', `{"filler":"${filler}x"}`)).status, 413);
  });

  await t.test('a long push with long messages is accepted', async () => {
    const commits = Array.from({ length: 600 }, (_, i) => ({ id: `c${i}`, message: `${i} ${'long '.repeat(4000)}` }));
    assert.equal((await service.deliver('push', { ...pushPayload([1], shaOf(3)), commits })).status, 202);
  });

  await t.test('a body far longer than the stored text is accepted', async () => {
    const body = 'many words '.repeat(1_000_000);
    assert.equal((await service.deliver('pull_request', pullPayload(90, { body }))).status, 202);
  });

  await t.test('every published payload gets a reply', async () => {
    const origin = 'https://github.com';
    // Payloads about installations are sent last, because they remove repositories that other payloads are about.
    const last = (event: string) => Number(event.startsWith('installation'));
    for (const { event, payload, title } of readExamples().sort((a, b) => last(a.event) - last(b.event))) {
      const { status } = await service.deliver(event, payload);
      const queued = toEvents(event, payload, origin, 0) ?? toInstallation(event, payload, origin);
      assert.equal(status, queued ? 202 : 200, title);
    }
  });

  await t.test('no delivery became a dead letter', async () => {
    assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
    assert.equal(await service.metric('tidings_body_bytes_held'), 0);
    assert.deepEqual(faultsIn(service.log), []);
  });
});
