/**
 * Tests a service behind the reverse proxies of docs/operations.md. Pages, documents, feeds, API and webhooks work as
 * without a proxy, and the service knows the address of the client.
 */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { issuePayload } from '../helpers/payloads.ts';
import { missing, type ReverseProxy, send, sendForStream, startCaddy, startNginx } from '../helpers/proxy.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const maxBodyBytes = 26_214_400;
/** Two addresses of this machine: one that may send webhooks, and one that may not. */
const [host, stranger] = ['127.0.0.2', '127.0.0.3'];

/**
 * Starts a service and publishes a note. The service's settings contain the proxy's address, and the addresses that may
 * send webhooks.
 */
async function startPublished(t: TestContext): Promise<{ service: TestService; home: string }> {
  const env = { TIDINGS_TRUSTED_PROXIES: '127.0.0.1', TIDINGS_WEBHOOK_ALLOW: `${host},127.0.0.1` };
  const service = await startService(t, { env });
  const repoId = await deliverRocket(service);
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  const settings = { visibility: 'public' };
  assert.equal((await service.api('PUT', `/api/channels/hosted?orgId=${orgId}`, { settings })).status, 200);
  const draft = await generateDraft(service, (await createTagRange(service, repoId)).body.id, 'customer');
  const { body } = await service.api('POST', '/api/publish', { draftId: draft.id, channel: 'hosted' });
  assert.equal((await publicationEnded(service, body.id)).status, 'completed');
  return { service, home: '/notes/acme/rocket/' };
}

/** Returns the headers of a signed delivery. */
function signed(service: TestService, event: string, body: string): Record<string, string> {
  const signature = createHmac('sha256', service.secret).update(body).digest('hex');
  return {
    'content-type': 'application/json',
    'x-scm-event': event,
    'x-scm-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  };
}

async function assertProxied(t: TestContext, { url }: ReverseProxy, service: TestService, home: string): Promise<void> {
  const authorization = `Bearer ${service.adminKey}`;

  await t.test('pages, documents, feeds and the API are the same with and without the proxy', async () => {
    const paths = [
      ...['/', '/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/api/openapi.json', '/api/repos'],
      ...[home, `${home}v1.1.0`, `${home}atom.xml`, `${home}feed.json`, '/notes/style.css', '/notes/acme/nothing/'],
      ...['/unsubscribe/nobody', '/metrics', '/readyz'],
    ];
    const statuses: Record<string, number> = {};
    for (const path of paths) {
      const [direct, proxied] = await Promise.all(
        [service.url, url].map((base) => send(base + path, { headers: { authorization } })),
      );
      assert.equal(proxied?.status, direct?.status, path);
      assert.equal(proxied?.headers['content-type'], direct?.headers['content-type'], path);
      assert.equal(proxied?.headers['content-security-policy'], direct?.headers['content-security-policy'], path);
      assert.ok(path === '/' || proxied?.body.equals(direct?.body ?? Buffer.alloc(0)), path);
      statuses[path] = proxied?.status ?? 0;
    }
    for (const path of ['/docs', '/api/openapi.json', '/api/repos', home, `${home}atom.xml`])
      assert.equal(statuses[path], 200, path);
    // The proxy does not forward requests to the operations port.
    assert.deepEqual([statuses['/metrics'], statuses['/readyz']], [404, 404]);
  });

  await t.test('webhooks up to the maximum body size are accepted, and one byte more is refused', async () => {
    const deliver = (event: string, body: string) =>
      send(`${url}/api/webhooks/scm`, {
        method: 'POST',
        body,
        localAddress: host,
        headers: signed(service, event, body),
      });
    assert.equal((await deliver('issues', JSON.stringify(issuePayload(50)))).status, 202);
    const [start, end] = ['{"zen":"', '"}'];
    const padded = (bytes: number) => start + 'x'.repeat(bytes - start.length - end.length) + end;
    assert.equal((await deliver('ping', padded(maxBodyBytes))).status, 200);
    assert.equal((await deliver('ping', padded(maxBodyBytes + 1))).status, 413);
  });

  await t.test('live events pass the proxy when they happen', async () => {
    let text = '';
    const close = sendForStream(`${url}/api/events`, { authorization, 'accept-encoding': 'gzip' }, (all) => {
      text = all;
    });
    // The event of an earlier delivery can follow the beginning immediately.
    await waitUntil('the stream has begun', () => /^retry: \d+\n\nid: \S+\n\n/.test(text));
    const arrived = () => text.split('event: repo.event').length;
    const before = arrived();
    const body = JSON.stringify(issuePayload(53));
    const headers = signed(service, 'issues', body);
    await send(`${service.url}/api/webhooks/scm`, { method: 'POST', body, localAddress: host, headers });
    await waitUntil('the event arrives', () => arrived() > before);
    assert.ok(!text.includes(': heartbeat'), 'the proxy has not held the event back until there was more to send');
    close();
  });

  await t.test('the list of networks uses the real address of the client', async () => {
    const body = JSON.stringify(issuePayload(51));
    const from = (localAddress: string) =>
      send(`${url}/api/webhooks/scm`, {
        method: 'POST',
        body,
        localAddress,
        headers: { ...signed(service, 'issues', body), 'x-forwarded-for': host },
      });
    assert.equal((await from(stranger)).status, 403);
    assert.equal((await from(host)).status, 202);
  });
}

test('the example works with nginx', { skip: missing('nginx', '-v') }, async (t) => {
  const { service, home } = await startPublished(t);
  const proxy = await startNginx(t, service.env.TIDINGS_PORT ?? '');
  await assertProxied(t, proxy, service, home);

  await t.test('a body in chunks gets a length', async () => {
    const body = JSON.stringify(issuePayload(52));
    const headers = signed(service, 'issues', body);
    const options = { method: 'POST', body, chunked: true, localAddress: host, headers };
    assert.equal((await send(`${proxy.url}/api/webhooks/scm`, options)).status, 202);
  });

  await t.test('plain http is redirected to https', async () => {
    const { status, headers } = await send(`${proxy.plainUrl}${home}?page=1`, {
      headers: { host: 'tidings.example.com' },
    });
    assert.deepEqual([status, headers.location], [301, `https://tidings.example.com${home}?page=1`]);
  });
});

test('the example works with caddy', { skip: missing('caddy', 'version') }, async (t) => {
  const { service, home } = await startPublished(t);
  const proxy = await startCaddy(t, service.env.TIDINGS_PORT ?? '');
  await assertProxied(t, proxy, service, home);

  await t.test('a body in chunks gets 502, as the handbook says', async () => {
    const body = JSON.stringify(issuePayload(52));
    const headers = signed(service, 'issues', body);
    const options = { method: 'POST', body, chunked: true, localAddress: host, headers };
    assert.equal((await send(`${proxy.url}/api/webhooks/scm`, options)).status, 502);
  });
});
