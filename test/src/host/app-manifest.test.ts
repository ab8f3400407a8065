/** Checks the exchange of a code for an app with a host: one request, clear faults, and no secret in a message. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Host } from '../../../config/hosts.ts';
import { convertManifest } from '../../../src/host/app-manifest.ts';
import { startScriptedServer } from '../../helpers/scripted-server.ts';

const { privateKey: pem } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
const made = { id: 7, slug: 'tidings', name: 'Tidings', pem, webhook_secret: 'hook-secret', client_secret: 'no-use' };

/** Exchanges a code with a host that replies with a status and a body. */
async function exchanged(t: TestContext, status: number, body: unknown) {
  const server = await startScriptedServer(t, [
    (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  ]);
  const { url } = server.sending;
  const host: Host = { origin: url, kind: 'github', apiUrl: `${url}/api/v3`, token: 'settings-token', app: undefined };
  return { ...server, url, app: convertManifest(host, 'the-code', 5000) };
}

test('a code is exchanged once, without other credentials', async (t) => {
  const { app, seen, url } = await exchanged(t, 201, { ...made, html_url: '' });
  assert.deepEqual(await app, {
    id: '7',
    slug: 'tidings',
    name: 'Tidings',
    url: `${url}/github-apps/tidings`,
    key: pem,
    webhookSecret: 'hook-secret',
  });
  assert.deepEqual(
    seen.map(({ path, authorization }) => [path, authorization]),
    [['/api/v3/app-manifests/the-code/conversions', undefined]],
  );
});

test('the page of an app is taken over if it is on the host', async (t) => {
  const there = await exchanged(t, 201, { ...made, html_url: 'https://elsewhere.example/apps/tidings' });
  assert.equal((await there.app).url, `${there.url}/github-apps/tidings`);
  const server = await startScriptedServer(t, [
    (response) =>
      response.writeHead(201).end(JSON.stringify({ ...made, html_url: `${server.sending.url}/apps/tidings/` })),
  ]);
  const { url } = server.sending;
  const host: Host = { origin: url, kind: 'github', apiUrl: url, token: undefined, app: undefined };
  assert.equal((await convertManifest(host, 'c', 5000)).url, `${url}/apps/tidings`);
});

test('a code that the host does not know is invalid', async (t) => {
  const { app, seen } = await exchanged(t, 404, { message: 'Not Found' });
  await assert.rejects(app, { kind: 'invalid', message: /works once.*code: expected a code that .* answers 404/ });
  assert.equal(seen.length, 1);
});

const unusable: [string, number, unknown][] = [
  ['a fault of the host', 502, { message: pem }],
  ['no key', 201, { ...made, pem: 'hook-secret' }],
  ['no webhook secret', 201, { ...made, webhook_secret: null }],
  ['no number', 201, { ...made, id: '7' }],
  ['a list', 201, [pem]],
];
for (const [what, status, body] of unusable) {
  test(`a reply with ${what} is a conflict that says what to do, without a secret`, async (t) => {
    const { app, seen } = await exchanged(t, status, body);
    const error = (await app.catch((found: Error) => found)) as Error & { kind: string };
    assert.equal(error.kind, 'conflict');
    assert.match(error.message, /delete it there\. Then begin again\./);
    assert.doesNotMatch(error.message, /hook-secret|PRIVATE|the-code/);
    assert.equal(seen.length, 1);
  });
}

test('a host that does not answer is a conflict, and is not asked again', async (t) => {
  const server = await startScriptedServer(t, [() => undefined]);
  const { url } = server.sending;
  const host: Host = { origin: url, kind: 'github', apiUrl: url, token: undefined, app: undefined };
  await assert.rejects(convertManifest(host, 'c', 50), {
    kind: 'conflict',
    message: /did not answer .*Then begin again/,
  });
  assert.equal(server.seen.length, 1);
});
