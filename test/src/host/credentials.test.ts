/**
 * Tests the authorization of the client. The client uses either a token from the settings, in the form that the host
 * expects, or tokens of an app's installation. The client itself requests and replaces the tokens of an installation.
 * No credential may appear in a log or an error.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { pino } from 'pino';
import type { Host } from '../../../config/hosts.ts';
import { HostClient } from '../../../src/host/client.ts';
import { TestApp } from '../../helpers/host/app.ts';
import { openClient } from '../../helpers/host/client.ts';
import { cut, secondaryLimit, status } from '../../helpers/host/faults.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const repo = 'acme/rocket';

async function openApp(t: TestContext, form: 'pkcs1' | 'pkcs8' = 'pkcs1') {
  const app = new TestApp(temporaryFolder(t), form);
  return { app, ...(await openClient(t, { app }, { installationId: app.installationId })) };
}

const mints = /POST .*access_tokens/;

test('sends no credentials when none are set', async (t) => {
  const { client, host } = await openClient(t);
  await client.repository(repo);
  assert.equal(host.seen[0]?.headers.authorization, undefined);
  assert.equal(host.seen[0]?.headers['user-agent'], 'tidings');
});

test('requests one token of an app for many requests', async (t) => {
  for (const form of ['pkcs1', 'pkcs8'] as const) {
    const { client, host, app } = await openApp(t, form);
    for (let i = 0; i < 3; i++) await client.repository(repo);
    assert.equal(host.asked(mints).length, 1);
    assert.equal(host.seen.at(-1)?.headers.authorization, `Bearer ${app.tokens[0]}`);
  }
});

test('requests a new token once when the host refuses the current one', async (t) => {
  const { client, host, app } = await openApp(t);
  await client.repository(repo);
  app.revoke();
  assert.equal((await client.repository(repo)).full_name, repo);
  assert.equal(app.tokens.length, 2);
  host.fail(/GET/, status(401), { times: 2 });
  await assert.rejects(client.repository(repo), { kind: 'unauthorized', message: /answered 401/ });
  assert.equal(app.tokens.length, 3);
});

test('requests a new token when the current one is about to expire', async (t) => {
  const { client, host, app } = await openApp(t);
  const endsSoon = new Date(Date.now() + 30_000).toISOString();
  host.fail(mints, status(201, { token: 'ghs_short', expires_at: endsSoon }));
  host.fail(/GET/, status(200, { id: 1, full_name: repo }));
  await client.repository(repo);
  await client.repository(repo);
  const used = host.seen.filter(({ method }) => method === 'GET').map(({ headers }) => headers.authorization);
  assert.deepEqual(used, ['Bearer ghs_short', `Bearer ${app.tokens[0]}`]);
});

test('reports that an installation is suspended or removed', async (t) => {
  for (const state of ['suspended', 'removed'] as const) {
    const { client, host, app } = await openApp(t);
    app.state = state;
    await assert.rejects(client.repository(repo), {
      kind: 'unauthorized',
      message: /installation 678 .* suspended or removed/,
    });
    assert.equal(host.asked(/GET/).length, 0);
  }
});

test('waits for limits and faults of the request for a token', async (t) => {
  const { client, host, waits } = await openApp(t);
  host.fail(mints, secondaryLimit(0));
  host.fail(mints, status(500));
  host.fail(mints, status(201, '{'));
  host.fail(mints, cut());
  assert.equal((await client.repository(repo)).full_name, repo);
  assert.deepEqual(
    waits.map(({ reason }) => reason),
    ['secondary_limit', 'server_error', 'server_error', 'server_error'],
  );
});

test('keeps the tokens of two hosts apart when installations have the same id', async (t) => {
  const opened = [await openApp(t), await openApp(t)];
  await Promise.all(opened.map(({ client }) => client.repository(repo)));
  for (const { host, app } of opened) assert.equal(host.asked(/GET/).length, app.tokens.length);
  assert.deepEqual(
    opened.map(({ host, app }) => host.seen.at(-1)?.headers.authorization === `Bearer ${app.tokens[0]}`),
    [true, true],
  );
});

test('the token of an app is not used any more after the app was removed or replaced', async (t) => {
  const { app, host } = await openApp(t);
  const other = new TestApp(temporaryFolder(t));
  const live: Host = { ...host.host, app: { id: app.id, key: app.key } };
  const client = new HostClient({ host: live, logger: pino({ level: 'silent' }), installationId: app.installationId });
  await client.repository(repo);
  assert.equal(host.seen.at(-1)?.headers.authorization, `Bearer ${app.tokens[0]}`);
  live.app = { id: '999', key: other.key };
  await assert.rejects(client.repository(repo), { kind: 'unauthorized' });
  live.app = undefined;
  await assert.rejects(client.repository(repo), { kind: 'unauthorized' });
  assert.equal(host.seen.at(-1)?.headers.authorization, undefined);
  assert.equal(app.tokens.length, 1);
});

test('does not quote a stored key that is not valid', async (t) => {
  const { app, host } = await openApp(t);
  const live: Host = { ...host.host, app: { id: app.id, key: 'planted-key' } };
  const client = new HostClient({ host: live, logger: pino({ level: 'silent' }), installationId: app.installationId });
  await assert.rejects(client.repository(repo), {
    kind: 'unauthorized',
    message: "The app's private key is not an RSA key.",
  });
});

test('names the file of an invalid key', async (t) => {
  const { client, app } = await openApp(t);
  for (const text of ['-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----', '']) {
    writeFileSync(app.keyFile, text);
    await assert.rejects(client.repository(repo), (error: Error) => {
      assert.match(error.message, /private key \(.*app\.pem\) cannot be read as an RSA key/);
      return !inspect(error).includes('c2VjcmV0');
    });
  }
});

test('shows no credential in errors and logs', async (t) => {
  const token = 'ghp_verySecretTokenOfTheSettings0001';
  const withToken = await openClient(t, { token });
  const withApp = await openApp(t);
  const echo = { message: `secondary rate limit for Bearer ${token}`, authorization: token };
  const refusals = [status(401, echo), status(403, { echo: token }), status(404, echo), status(422, echo)];
  const passing = [cut(), status(500, echo), status(200, echo), status(429, echo, { 'retry-after': '0' })];
  const shown: string[] = [];
  for (const { client, host } of [withToken, withApp]) {
    for (const fault of [...refusals, ...passing]) {
      host.fail(/GET/, fault, { times: 4 });
      const outcome = await client.repository(repo).catch((error: Error) => error);
      shown.push(inspect(outcome, { depth: 9, showHidden: true }));
      host.heal();
    }
  }
  const text = shown.join('\n') + withToken.log() + withApp.log();
  assert.ok(
    text.includes('waiting for the host') && text.includes('answered 401') && text.includes('no complete reply'),
  );
  const secrets = [token, ...withApp.app.tokens, withApp.app.key.split('\n')[1] as string, 'eyJhbGciOi'];
  for (const secret of secrets) assert.ok(!text.includes(secret), secret.slice(0, 8));
});
