/**
 * Tests that a refused delivery is reported in its reply, in the log, in the metrics, by `doctor` and by the API. Also
 * tests that a delivery in test mode writes nothing.
 */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pullPayload } from '../helpers/payloads.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const hmac = (secret: string, text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
const acme = { id: 1001, full_name: 'acme/rocket', owner: { login: 'acme', id: 77 } };
const moon = { id: 2002, full_name: 'moon/lab', owner: { login: 'moon', id: 88 } };

/** Sends a delivery as Gitea does. Gitea also sends the name of the event in GitHub's header. */
async function send(service: TestService, body: string, signature: string, contentType: string): Promise<Answer> {
  const response = await fetch(`${service.url}/api/webhooks/scm`, {
    method: 'POST',
    body,
    headers: {
      'content-type': contentType,
      'x-gitea-event': 'pull_request',
      'x-github-event': 'pull_request',
      'x-gitea-delivery': randomUUID(),
      ...(signature !== '' && { 'x-hub-signature-256': signature }),
    },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test('refused deliveries are reported', async (t) => {
  const service = await startService(t);
  const payload = JSON.stringify(pullPayload(1, {}, acme));
  const form = new URLSearchParams({ payload }).toString();
  const formType = 'application/x-www-form-urlencoded';
  const made = await service.api('POST', '/api/webhook-secrets', { org: 'acme', name: 'hooks' });
  assert.equal(made.status, 201);
  const own = made.body as { id: string; orgId: string; secret: string };

  await t.test('a form signed as by Gitea gets 401 with the content type and the remedy', async () => {
    const { status, body } = await send(service, form, hmac(service.secret, payload), formType);
    assert.equal(status, 401);
    assert.match(body.message, /application\/x-www-form-urlencoded/);
    assert.match(body.message, /Set the content type of the webhook on the host to application\/json/);
  });

  await t.test('a form signed as by GitHub gets 400 with the same remedy', async () => {
    const { status, body } = await send(service, form, hmac(service.secret, form), formType);
    assert.equal(status, 400);
    assert.match(body.message, /Set the content type of the webhook on the host to application\/json/);
  });

  await t.test('the replies distinguish a wrong signature from a missing one', async () => {
    const other = await send(service, payload, hmac('some other secret', payload), 'application/json');
    assert.match(
      other.body.message,
      /does not match.*On the host, set the secret of the webhook to the secret of this service/,
    );
    const none = await send(service, payload, '', 'application/json');
    assert.match(none.body.message, /^The signature is missing/);
    assert.deepEqual([other.status, none.status], [401, 401]);
  });

  await t.test('the log has a warning for each reason, with the ids of the secrets and without a secret', async () => {
    const reasons = ['form_body', 'wrong_signature', 'no_signature'];
    const unsigned = () =>
      service.log
        .split('\n')
        .filter((line) => line.includes('webhook delivery refused') && JSON.parse(line).host === undefined);
    const lines = await waitUntil('each reason is logged', () => {
      const logged = unsigned();
      return reasons.every((each) => logged.some((line) => JSON.parse(line).reason === each)) && logged;
    });
    // The service logs at most one warning per reason and minute. If the test runs into a second minute, a reason can
    // have two warnings.
    assert.ok(lines.length <= 2 * reasons.length, lines.join('\n'));
    const [line = ''] = lines;
    const { level, event, hostKind, address, reason, contentType, triedSecrets } = JSON.parse(line);
    assert.deepEqual(
      { level, event, hostKind, address, reason, contentType, triedSecrets },
      {
        level: 40,
        event: 'pull_request',
        hostKind: 'gitea',
        address: '127.0.0.1',
        reason: 'form_body',
        contentType: formType,
        triedSecrets: ['settings', own.id],
      },
    );
    for (const secret of [service.secret, own.secret, payload]) assert.ok(!service.log.includes(secret.slice(0, 16)));
  });

  await t.test('the API lists them for a key of the instance, newest first', async () => {
    const { status, body } = await service.api('GET', '/api/deliveries?limit=2');
    assert.equal(status, 200);
    assert.equal(body.total, 4);
    assert.deepEqual(
      body.deliveries.map((each: { reason: string }) => each.reason),
      ['no_signature', 'wrong_signature'],
    );
    assert.deepEqual([body.hasMore, body.nextOffset], [true, 2]);
    const [, mismatch] = body.deliveries;
    assert.deepEqual(mismatch.triedSecrets, ['settings', own.id], 'with the secret of the owner that the body names');
    const forms = await service.api('GET', '/api/deliveries?reason=form_body&outcome=refused');
    assert.deepEqual(
      forms.body.deliveries.map((each: { status: number }) => each.status),
      [400, 401],
    );
    assert.equal((await service.api('GET', '/api/deliveries?reason=whim')).status, 400);
  });

  await t.test('a key of an organization sees what its own secret signed, and nothing else', async () => {
    const key = (org: string) => service.tidings('keys', 'create', '--name', 'k', '--quiet', '--org', org).trim();
    const [acmeKey, moonKey] = [key('acme'), key('moon')];
    const list = async (as: string) => (await service.api('GET', '/api/deliveries', undefined, as)).body.deliveries;
    assert.deepEqual(await list(acmeKey), [], 'forged deliveries in its name are not shown');
    const foreign = JSON.stringify(pullPayload(1, {}, moon));
    assert.equal((await send(service, payload, hmac(own.secret, payload), 'text/plain')).status, 400);
    assert.equal((await send(service, foreign, hmac(own.secret, foreign), 'application/json')).status, 401);
    const [entry, ...rest] = await list(acmeKey);
    assert.deepEqual(rest, []);
    assert.deepEqual(
      [entry.reason, entry.orgId, entry.host, entry.triedSecrets],
      ['malformed', own.orgId, 'https://github.com', [own.id]],
    );
    assert.deepEqual(await list(moonKey), [], 'the organization whose name was forged sees nothing');
  });

  await t.test('a counter has a value for each reason', async () => {
    const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
    const reasons = [...text.matchAll(/^tidings_webhooks_refused_total\{reason="(\w+)"\} (\d+)$/gm)];
    assert.deepEqual(Object.fromEntries(reasons.map(([, reason, count]) => [reason, Number(count)])), {
      form_body: 2,
      wrong_signature: 2,
      no_signature: 1,
      malformed: 1,
    });
  });

  await t.test('doctor reports the number and the reason of the last one', async () => {
    const { output } = await service.run('doctor');
    assert.match(
      output,
      /! 6 deliveries were refused in the last hour\. The last one, at \S+ from 127\.0\.0\.1 \(gitea\), event pull_request, was refused because the signature of the delivery does not match any webhook secret that was tried\. On the host, set the secret/,
    );
  });
});

test('a delivery in test mode is checked and writes nothing (spec 4)', async (t) => {
  const service = await startService(t);
  const payload = pullPayload(1, {}, acme);
  const mode = { 'x-test-mode': 'true' };
  const taken = await service.deliver('pull_request', payload, mode);
  assert.deepEqual([taken.status, taken.body.status], [202, 'queued']);
  assert.equal(taken.headers.get('x-test-mode'), 'true');
  assert.equal((await service.deliver('pull_request', {}, mode)).status, 400);
  assert.equal((await service.deliver('pull_request', payload, { ...mode, 'x-hub-signature-256': '' })).status, 401);
  const odd = await service.deliver('pull_request', payload, { 'x-test-mode': 'maybe' });
  assert.deepEqual([odd.status, odd.body.details], [400, { 'X-Test-Mode': 'expected true or false, got "maybe"' }]);
  // All deliveries use one lane, so they are folded in order. If an earlier delivery had been written, it would be
  // folded before this accepted delivery.
  const other = { ...payload, repository: { ...acme, id: 1002, full_name: 'acme/moon' } };
  assert.equal((await service.deliver('pull_request', other, { 'x-test-mode': 'false' })).status, 202);
  const repositories = await waitUntil('the live one is listed', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return repos.length > 0 && repos;
  });
  assert.deepEqual(
    repositories.map(({ fullName }: { fullName: string }) => fullName),
    ['acme/moon'],
  );
});
