/**
 * Creates an app on a host in a real browser, from the button of the dashboard to the first request with the key of the
 * app. The host is a real server on another site. The test needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, loaded, signedIn } from '../helpers/dashboard.ts';
import { filesWith } from '../helpers/files-with.ts';
import { TestApp } from '../helpers/host/app.ts';
import { AppPages } from '../helpers/host/app-pages.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the creation of an app was not tested';

test('an app is created, used and removed without a file', { skip }, async (t) => {
  const app = new TestApp(temporaryFolder(t));
  const pages = await AppPages.start(t, app);
  const host = await startHost(t, buildHistory(), { app, convert: (code) => pages.convert(code) });
  const { origin } = pages;
  const service = await startService(t, {
    env: { TIDINGS_HOST_ORIGIN: origin, TIDINGS_HOST_API_URL: host.apiUrl, TIDINGS_LOG_LEVEL: 'debug' },
  });
  const browser = await openBrowser(t, program as string);
  const { page, faults } = await signedIn(t, browser, service);
  const foreign = () => faults.filter((fault) => !fault.startsWith(`${origin}/`));
  const hostNow = async () => (await service.api('GET', '/api/hosts')).body.hosts[0];
  const checkNow = async () => (await service.api('POST', '/api/hosts/check', { origin })).body;
  const deliver = (event: string, payload: object) => {
    const body = JSON.stringify(payload);
    const signature = createHmac('sha256', pages.webhookSecret).update(body).digest('hex');
    return service.deliver(event, body, { 'x-hub-signature-256': `sha256=${signature}` });
  };
  let state = '';

  await t.test('the button leads to the host and back to the link for the installation', async () => {
    await page.goto(`${service.url}/app/settings/hosts`);
    await loaded(page);
    await auditBoth(page, 'hosts before');
    await page.getByRole('button', { name: 'Create a GitHub App' }).click();
    await auditBoth(page, 'new app', 'dialog');
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/hosts/app');
    const returned = page.waitForRequest((request) => new URL(request.url()).pathname === '/app/github-app');
    await page.getByLabel('Login of the organization').fill('acme');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create GitHub App' }).click();
    await page.getByText('is ready. Install it on your repositories.').waitFor();
    assert.equal(page.url(), `${service.url}/app/github-app`, 'neither the code nor the state stays');
    const install = page.getByRole('link', { name: 'Install the app' });
    assert.equal(await install.getAttribute('href'), `${origin}/github-apps/tidings-test/installations/new`);
    await auditBoth(page, 'app ready');

    // The browser sends the strict cookie not with the navigation from another site, but with the request of the page.
    const navigation = await returned;
    assert.equal(new URL(navigation.url()).searchParams.get('code'), pages.code);
    assert.equal((await navigation.allHeaders()).cookie, undefined);
    assert.match((await (await sent).allHeaders()).cookie ?? '', /tidings=/);
    state = new URL(navigation.url()).searchParams.get('state') ?? '';

    const [posted, ...more] = pages.posted;
    assert.equal(more.length, 0);
    assert.equal(posted?.path, '/organizations/acme/settings/apps/new');
    assert.deepEqual(posted?.manifest.hook_attributes, { url: `${service.url}/api/webhooks/scm`, active: true });
    assert.equal(posted?.manifest.redirect_url, `${service.url}/app/github-app`);
    assert.deepEqual(pages.exchanged, [pages.code]);
    await page.reload();
    await page.getByText('No app is being created.').waitFor();
    await page.goBack();
    assert.doesNotMatch(page.url(), /code=/);
    assert.deepEqual(foreign(), []);
  });

  await t.test('the service uses the app, and accepts its deliveries', async () => {
    const { credentials, app: used, webhookSecrets } = await hostNow();
    assert.deepEqual(credentials, ['app']);
    assert.deepEqual([used.source, used.id, webhookSecrets], ['stored', app.id, 2]);
    const check = await checkNow();
    assert.deepEqual([check.app?.state, check.mayRead], ['accepted', true]);
    const { owner, id, fullName } = host.history;
    const installation = { id: Number(app.installationId), account: { login: owner.login, id: owner.id } };
    const repositories = [{ id, full_name: fullName, name: fullName.split('/')[1], private: false }];
    const { status } = await deliver('installation', { action: 'created', installation, repositories });
    assert.equal(status, 202);
    // The command finds the installation only when its delivery is folded.
    await waitUntil('the repository is listed', async () => {
      return (await service.api('GET', `/api/repos?fullName=${fullName}`)).body.total === 1;
    });
    await service.run('backfill', fullName, '--no-wait', '--host', origin);
    await waitUntil('an installation token is used', () => app.tokens.length > 0 && host.asked(/\/pulls/).length > 0);
    const read = host.seen.find(({ url }) => url.includes('/pulls'));
    assert.ok(app.tokens.some((token) => read?.headers.authorization === `Bearer ${token}`));
    await page.goto(`${service.url}/app/settings/hosts`);
    await page.getByRole('link', { name: 'Install' }).waitFor();
    await loaded(page);
    await auditBoth(page, 'hosts after');
  });

  await t.test('a second app, a wrong state and the state of another key are refused', async () => {
    const again = await service.api('POST', '/api/hosts/app-manifest', { origin });
    assert.equal(again.status, 409);
    assert.match(again.body.message, /already has the app .*DELETE \/api\/hosts\/app/);
    await page.goto(`${service.url}/app/github-app?code=stolen&state=wrong`);
    await page
      .getByRole('alert')
      .getByText(/expected the state of POST/)
      .first()
      .waitFor();
    assert.equal(page.url(), `${service.url}/app/github-app`);
    await auditBoth(page, 'app refused');
    const { key } = (await service.api('POST', '/api/keys', { name: 'other', scopes: ['*'], instance: true })).body;
    const foreignState = await service.api('POST', '/api/hosts/app', { code: 'c', state }, key);
    assert.deepEqual([foreignState.status, Object.keys(foreignState.body.details)], [400, ['state']]);
    assert.match(foreignState.body.message, /of another key/);
    assert.equal(pages.exchanged.length, 1, 'no code was exchanged');
  });

  await t.test('the secrets of the app are nowhere in clear', async () => {
    const line = app.key.split('\n')[5] as string;
    for (const secret of [line, pages.webhookSecret, pages.clientSecret, pages.code]) {
      assert.deepEqual(filesWith(service.dataDir, secret), []);
      assert.ok(!service.log.includes(secret));
      for (const path of ['/api/hosts', '/api/webhook-secrets'])
        assert.ok(!JSON.stringify((await service.api('GET', path)).body).includes(secret), path);
    }
    assert.ok(!service.log.includes(state));
  });

  await t.test('a removed app is not used any more, and its state does not come back', async () => {
    await page.goto(`${service.url}/app/settings/hosts`);
    await page.getByRole('button', { name: `Remove app of ${origin}` }).click();
    await auditBoth(page, 'remove app', 'dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove app' }).click();
    await page.getByRole('button', { name: 'Create a GitHub App' }).waitFor();
    assert.deepEqual([(await hostNow()).app, (await hostNow()).webhookSecrets], [null, 1]);
    assert.equal((await deliver('push', {})).status, 401);
    await waitUntil('the host is checked without the app', async () => (await checkNow()).app === null);
    const reused = await service.api('POST', '/api/hosts/app', { code: pages.code, state });
    assert.deepEqual([reused.status, Object.keys(reused.body.details)], [400, ['state']]);
    assert.match(reused.body.message, /not used before/);
    assert.equal(pages.exchanged.length, 1);
  });

  assert.ok(
    foreign().every((fault) => /status of 400/.test(fault)),
    foreign().join('\n'),
  );
});
