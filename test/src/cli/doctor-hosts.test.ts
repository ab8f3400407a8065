/**
 * Tests the findings of `tidings doctor` about hosts, including common mistakes in the settings. The hosts are real
 * HTTP servers that answer as GitHub and Gitea do.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import { checkHosts, faultsOfHosts } from '../../../src/cli/doctor-hosts.ts';
import { writeHostApp } from '../../../src/store/tables/host-apps.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { TestApp } from '../../helpers/host/app.ts';
import { buildHistory } from '../../helpers/host/build.ts';
import { startHost, type TestHostOptions } from '../../helpers/host/server.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { freePort, temporaryFolder } from '../../helpers/ports.ts';

const history = buildHistory({ numbers: 4 });

/**
 * Starts a host and returns the findings about it. The settings fit this host, but `env` can replace some of them. In
 * the findings, HOST replaces the host's address.
 */
async function said(t: TestContext, options: TestHostOptions, env: Record<string, string> = {}) {
  const host = await startHost(t, history, options);
  const findings = await checkHosts(loadSettings({ ...host.env, ...env }));
  return {
    host,
    lines: findings.map(({ verdict, text }) => `${verdict}: ${text.replaceAll(host.origin, 'HOST')}`),
  };
}

test('the kind and the token of a correct host are reported', async (t) => {
  const github = await said(t, { token: 'secret-token', scopes: ['repo', 'read:org'] });
  assert.deepEqual(github.lines, [
    'ok: host HOST: HOST/api/v3 answers as GitHub',
    'ok: host HOST: TIDINGS_HOST_TOKEN is accepted. Scopes: repo, read:org',
  ]);
  const gitea = await said(t, { kind: 'gitea', token: 'secret-token' });
  assert.deepEqual(gitea.lines, [
    'ok: host HOST: HOST/api/v1 answers as Gitea or Forgejo 1.26.0',
    'ok: host HOST: TIDINGS_HOST_TOKEN is accepted',
  ]);
  const bare = await said(t, { kind: 'gitea' });
  assert.deepEqual(bare.lines.slice(1), [
    'note: host HOST: no credentials. To backfill history and to compare tags on the host, set TIDINGS_HOST_TOKEN',
  ]);
});

test('a wrong kind is reported with the right one, and the token is not sent', async (t) => {
  const wrong = { TIDINGS_HOST_KIND: 'github', TIDINGS_HOST_API_URL: '', TIDINGS_HOST_TOKEN: 'secret-token' };
  const gitea = await said(t, { kind: 'gitea', token: 'secret-token' }, wrong);
  assert.deepEqual(gitea.lines, [
    'fault: host HOST: TIDINGS_HOST_KIND is github, but the host answers as Gitea or Forgejo 1.26.0. Set TIDINGS_HOST_KIND to gitea',
  ]);
  const github = await said(t, { token: 'secret-token' }, { ...wrong, TIDINGS_HOST_KIND: 'forgejo' });
  assert.deepEqual(github.lines, [
    'fault: host HOST: TIDINGS_HOST_KIND is gitea, but the host answers as GitHub. Set TIDINGS_HOST_KIND to github',
  ]);
  for (const { host } of [gitea, github]) {
    assert.ok(host.probed.length > 0);
    for (const { headers } of [...host.probed, ...host.seen]) assert.equal(headers.authorization, undefined);
  }
});

test('a host of the list is named by its index', async (t) => {
  const host = await startHost(t, history, { kind: 'gitea', token: 'secret-token' });
  const hosts = JSON.stringify([{ origin: host.origin, token: 'secret-token' }]);
  const [first, second] = await checkHosts(loadSettings({ TIDINGS_HOSTS: hosts }));
  assert.equal(first?.verdict, 'note');
  assert.match(first?.text ?? '', /^host https:\/\/github\.com: not checked, because no credentials are set\./);
  assert.match(second?.text ?? '', /TIDINGS_HOSTS\[0\]\.kind is github, .* Set TIDINGS_HOSTS\[0\]\.kind to gitea$/);
});

test('a stored app that is not used is reported with the reason', async (t) => {
  const dataDir = temporaryFolder(t);
  const directory = openTestPartition(t, 'directory', dataDir);
  const origin = 'https://old.example';
  const app = { origin, appId: '7', slug: 'notes', name: 'Notes', url: `${origin}/apps/notes`, secretId: 's' };
  await directory.write(() => writeHostApp(directory, { ...app, sealed: '', createdAt: 0 }));
  await directory.root.flushed;
  const [, finding] = await checkHosts(loadSettings({ TIDINGS_DATA_DIR: dataDir }));
  assert.deepEqual(finding, {
    verdict: 'note',
    text: 'host https://old.example: the stored app Notes is not used, because the settings do not have this host. Its deliveries get 401. Remove it in the settings of the dashboard, or change the settings',
  });
});

test('a token that is refused or lacks a scope is reported', async (t) => {
  const wrong = { TIDINGS_HOST_TOKEN: 'another-token' };
  for (const kind of ['github', 'gitea'] as const) {
    const { lines } = await said(t, { kind, token: 'secret-token' }, wrong);
    assert.equal(
      lines[1],
      'fault: host HOST: TIDINGS_HOST_TOKEN is rejected (401): it is wrong, has expired or was revoked. Make a new token on the host',
    );
    assert.doesNotMatch(lines.join(), /another-token|secret-token/);
  }
  const gitea = await said(t, { kind: 'gitea', token: 'secret-token', scopes: ['read:repository'] });
  assert.equal(
    gitea.lines[1],
    'fault: host HOST: TIDINGS_HOST_TOKEN lacks read:issue. Create a token that also has read:issue. To publish on this host, the token also needs write:repository',
  );
  const github = await said(t, { token: 'secret-token', scopes: ['public_repo'] });
  assert.match(
    github.lines[1] ?? '',
    /^note: .* Scopes: public_repo\. For private repositories .* needs the scope "repo"$/,
  );
});

test('the key and the permissions of an app are checked', async (t) => {
  const app = new TestApp(temporaryFolder(t));
  const { lines } = await said(t, { app });
  assert.equal(lines[1], 'ok: host HOST: the app tidings-test is accepted');
  app.permissions = ['metadata', 'contents'];
  assert.equal(
    (await said(t, { app })).lines[1],
    "fault: host HOST: the app tidings-test is accepted, but lacks the permissions issues, pull_requests. Add them with read access in the app's settings",
  );
  const other = new TestApp(temporaryFolder(t));
  assert.equal(
    (await said(t, { app }, { TIDINGS_HOST_APP_KEY_FILE: other.keyFile })).lines[1],
    'fault: host HOST: the app is rejected (the host answers 401). Check TIDINGS_HOST_APP_ID and TIDINGS_HOST_APP_KEY_FILE',
  );
});

test('a host that does not answer and a server that is not a host are distinguished', async (t) => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const [away] = await checkHosts(loadSettings({ TIDINGS_HOST_ORIGIN: origin, TIDINGS_HOST_KIND: 'gitea' }));
  assert.deepEqual(away, {
    verdict: 'fault',
    text: `host ${origin}: ${origin}/api/v1 does not answer (ECONNREFUSED). Check TIDINGS_HOST_ORIGIN and TIDINGS_HOST_API_URL`,
  });
  const server = createServer((_, response) => response.writeHead(404).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const here = `http://127.0.0.1:${port}`;
  const [unknown] = await checkHosts(loadSettings({ TIDINGS_HOST_ORIGIN: here, TIDINGS_HOST_TOKEN: 'secret-token' }));
  assert.deepEqual(unknown, {
    verdict: 'fault',
    text: `host ${here}: ${here}/api/v3 answers 404, but the reply is not from the API of GitHub. Check TIDINGS_HOST_KIND and TIDINGS_HOST_API_URL`,
  });
});

test('a password in an address is not shown', async () => {
  const apiUrl = `http://user:pass-word@127.0.0.1:${await freePort()}/api/v1`;
  const [finding] = await checkHosts(
    loadSettings({
      TIDINGS_HOST_ORIGIN: 'http://127.0.0.1:1',
      TIDINGS_HOST_KIND: 'gitea',
      TIDINGS_HOST_API_URL: apiUrl,
    }),
  );
  assert.equal(finding?.verdict, 'fault');
  assert.doesNotMatch(finding?.text ?? '', /pass-word/);
});

test('a start asks only hosts with credentials, and reports only faults', async (t) => {
  const { signal } = new AbortController();
  const bare = await startHost(t, history, { kind: 'gitea' });
  const wrongKind = { TIDINGS_HOST_ORIGIN: bare.origin, TIDINGS_HOST_KIND: 'github' };
  assert.deepEqual(await faultsOfHosts(loadSettings(wrongKind), signal), []);
  assert.deepEqual([...bare.probed, ...bare.seen], []);
  const [fault] = await faultsOfHosts(loadSettings({ ...wrongKind, TIDINGS_HOST_TOKEN: 'secret-token' }), signal);
  assert.match(fault?.text ?? '', /Set TIDINGS_HOST_KIND to gitea$/);
  const good = await startHost(t, history, { token: 'secret-token' });
  assert.deepEqual(await faultsOfHosts(loadSettings(good.env), signal), []);
});
