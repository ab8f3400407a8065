/**
 * Attacks the dashboard in a real browser: planted cookies, requests and frames of another port of the same host, hostile
 * addresses, windows that other pages open, and sessions that end elsewhere.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { startServer } from '../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { open, screensOf, sendHistory, show, signedIn, writeDraft } from '../helpers/dashboard.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the dashboard was not attacked';

/** A page of another port of the same host. The browser sends it the cookie of the dashboard. */
async function startOther(t: TestContext): Promise<string> {
  const server = await startServer(
    '127.0.0.1',
    0,
    [
      {
        method: 'GET',
        path: '/',
        handle: (exchange) => exchange.reply(200, 'text/html', '<!doctype html><title>other port</title>'),
      },
    ],
    pino({ level: 'silent' }),
  );
  afterwards(t, () => server.stop(1000));
  return `http://127.0.0.1:${server.port}/`;
}

async function keysOf(service: TestService): Promise<string[]> {
  const { keys } = (await service.api('GET', '/api/keys?limit=100')).body;
  return keys.map(({ id }: { id: string }) => id);
}

async function signInWith(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
}

async function inbox(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
}

test('pages of other origins can neither use nor show the dashboard', { skip }, async (t) => {
  const service = await startService(t);
  await sendHistory(service);
  const shown = await writeDraft(service);
  const other = await startOther(t);
  const browser = await openBrowser(t, program as string);

  await t.test('a cookie that was planted before the sign-in gives no access after it', async (t) => {
    const planted = randomBytes(32).toString('base64url');
    const { context, page } = await open(t, browser, service);
    for (const path of ['/', '/api'])
      await page.evaluate(`document.cookie = 'tidings=${planted}; path=${path}; max-age=10000'`);
    await signInWith(page, service.adminKey);
    await inbox(page);
    const own = (await context.cookies(service.url)).find(({ httpOnly }) => httpOnly);
    assert.notEqual(own?.value, planted);
    const csrf = (await page.evaluate(`localStorage.getItem('tidings-csrf')`)) as string;
    const stolen = { cookie: `tidings=${planted}`, 'x-tidings-csrf': csrf, 'sec-fetch-site': 'same-origin' };
    assert.equal((await fetch(`${service.url}/api/session`, { headers: stolen })).status, 401);
    await page.reload();
    await inbox(page);
    assert.ok(!(await page.content()).includes(csrf), 'the second secret is not in the page');
  });

  await t.test('forms and requests of another port do nothing, with and without a session', async (t) => {
    const key = (await service.api('POST', '/api/keys', { name: 'victim', org: 'acme' })).body;
    const before = await keysOf(service);
    const body = JSON.stringify({ name: 'forged' });
    const attack = async (page: Page): Promise<void> => {
      await page.goto(other);
      for (const [method, path] of [
        ['POST', '/api/keys'],
        ['DELETE', `/api/keys/${key.id}`],
        ['DELETE', '/api/sessions'],
        ['POST', '/api/session'],
      ] as const) {
        for (const init of [
          { method, mode: 'no-cors', body },
          { method, body, headers: { 'content-type': 'application/json', 'x-tidings-csrf': 'x' } },
          { method, body, headers: { 'content-type': 'text/plain' } },
        ]) {
          const call = JSON.stringify({ ...init, credentials: 'include' });
          const outcome = await page.evaluate(
            `fetch(${JSON.stringify(service.url + path)}, ${call}).then((reply) => reply.type, () => 'blocked')`,
          );
          assert.ok(outcome === 'blocked' || outcome === 'opaque', `${method} ${path}: ${outcome}`);
        }
      }
      for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        await page.goto(other);
        const [reply] = await Promise.all([
          page.waitForResponse(`${service.url}/api/keys`),
          page.evaluate(`(() => {
            const form = Object.assign(document.createElement('form'), {
              method: 'post', enctype: '${enctype}', action: '${service.url}/api/keys',
            });
            const field = Object.assign(document.createElement('input'), { name: '{"name":"forged","x":"', value: '"}' });
            form.append(field);
            document.body.append(form);
            form.submit();
          })()`),
        ]);
        assert.ok(reply.status() >= 401 && reply.status() <= 415, `${enctype}: ${reply.status()}`);
        await page.waitForURL(`${service.url}/api/keys`);
      }
    };
    const visit = await signedIn(t, browser, service);
    await attack(visit.page);
    await attack((await open(t, browser, service)).page);
    assert.deepEqual(await keysOf(service), before);
    await visit.page.goto(service.url);
    await inbox(visit.page);
  });

  await t.test('no other page shows the dashboard in a frame', async (t) => {
    const paths = Object.values(screensOf(shown));
    for (const { page } of [await signedIn(t, browser, service), await open(t, browser, service)]) {
      await page.goto(other);
      for (const path of [...paths, '/notes/', '/docs', '/docs/guide']) {
        const url = JSON.stringify(service.url + path);
        await page.evaluate(`new Promise((done) => {
          const frame = document.createElement('iframe');
          frame.addEventListener('load', done);
          frame.src = ${url};
          document.body.replaceChildren(frame);
        })`);
        const frame = page.frames().find((each) => each !== page.mainFrame());
        const text = (await frame?.locator('body').textContent()) ?? '';
        assert.doesNotMatch(text, /Tidings|Inbox|API key|Release notes/, path);
      }
    }
  });

  await t.test('a window that another page opens has no way back, and links of the dashboard have none', async (t) => {
    const { context, page } = await signedIn(t, browser, service);
    await page.goto(other);
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`window.popup = window.open(${JSON.stringify(service.url)})`),
    ]);
    await inbox(popup);
    assert.equal(await popup.evaluate('window.opener'), null);
    assert.equal(await page.evaluate('window.popup.closed'), true, 'the opener has lost the window');
    await popup.close();
    for (const path of Object.values(screensOf(shown))) {
      await show(page, service.url + path);
      for (const link of await page.locator('a[target]').all())
        assert.match((await link.getAttribute('rel')) ?? '', /noreferrer|noopener/, await link.innerHTML());
    }
  });

  await t.test('hostile addresses run nothing, load nothing and lead nowhere else', async (t) => {
    const code = '<img src=x onerror=hacked=1>';
    const escaped = encodeURIComponent(code);
    const { page, faults } = await signedIn(t, browser, service);
    const paths = [
      `/app/${escaped}`,
      `/app/${encodeURIComponent('"><script>hacked=1</script>')}`,
      `/?q=${escaped}#${escaped}`,
      `/#${code}`,
      `/app/repositories?q=${escaped}`,
      `/app/publications?status=${escaped}`,
      `/app/deliveries?outcome=${escaped}`,
      `/app/deliveries?outcome=__proto__`,
      `/app/repositories/${escaped}/${escaped}`,
      `/app/repositories/javascript:hacked=1`,
      `/app/repositories/..%2f..%2fapi`,
      `/app/drafts/${escaped}`,
      `/app/drafts/%ff%fe`,
      `/app/publications/${escaped}`,
      `/app/constructor`,
      ...['/app//evil.test', '/app/%2f%2fevil.test', '/app/\\evil.test', '/app/%5c%5cevil.test'],
      '/app/?next=//evil.test&return=https://evil.test#//evil.test',
    ];
    for (const path of paths) {
      faults.length = 0;
      await page.goto(service.url + path);
      await page.locator('main h1').waitFor();
      await waitUntil('the screen has loaded', async () => (await page.locator('.skeleton').count()) === 0);
      assert.equal(await page.evaluate('typeof hacked'), 'undefined', path);
      assert.equal(new URL(page.url()).origin, service.url, path);
      assert.equal(await page.locator('main img, main script').count(), 0, path);
      // The browser itself writes a line to the console for each reply that is a refusal.
      assert.deepEqual(
        faults.filter((fault) => !/status of 4\d\d/.test(fault)),
        [],
        path,
      );
      const links = (await page.evaluate('[...document.links].map((link) => link.protocol + link.host)')) as string[];
      assert.deepEqual(
        links.filter((link) => link.includes('evil') || link.startsWith('javascript')),
        [],
        path,
      );
    }
  });

  await t.test('a sign-in stays at its address, whatever the address says', async (t) => {
    const { page } = await open(t, browser, service);
    await page.goto(`${service.url}/app//evil.test/?next=//evil.test#//evil.test`);
    await signInWith(page, service.adminKey);
    await page.getByRole('link', { name: 'Inbox' }).first().waitFor();
    assert.equal(new URL(page.url()).origin, service.url);
    await page.getByRole('link', { name: 'Inbox' }).first().click();
    await inbox(page);
    assert.equal(page.url(), `${service.url}/`);
    // An address with two slashes names another server if a page continues at it.
    for (const path of ['//evil.test', '//evil.test/#k=x', '/\\evil.test'])
      assert.equal((await fetch(service.url + path, { redirect: 'manual' })).status, 404, path);
  });
});

test('a session that ends elsewhere ends in the open pages', { skip }, async (t) => {
  const service = await startService(t);
  await sendHistory(service);
  const browser = await openBrowser(t, program as string);
  const made = async () => (await service.api('POST', '/api/keys', { name: 'brief', org: 'acme' })).body;
  const ended = (page: Page) => page.getByRole('heading', { name: 'Your session has ended' }).waitFor();

  await t.test('when its key is revoked', async (t) => {
    const key = await made();
    const { page } = await openWith(t, browser, service, key.key);
    await service.api('DELETE', `/api/keys/${key.id}`);
    await ended(page);
    assert.equal(await page.locator('.shell').count(), 0, 'nothing of the screen is left');
    assert.equal(await page.evaluate(`localStorage.getItem('tidings-csrf')`), null);
  });

  await t.test('when another browser signs out everywhere', async (t) => {
    const key = await made();
    const [first, second] = [
      await openWith(t, browser, service, key.key),
      await openWith(t, browser, service, key.key),
    ];
    const status = await second.page.evaluate(`fetch('/api/sessions', {
      method: 'DELETE',
      headers: { 'x-tidings-csrf': localStorage.getItem('tidings-csrf') },
    }).then((reply) => reply.status)`);
    assert.equal(status, 200);
    await ended(first.page);
    await ended(second.page);
  });

  await t.test('when another window of the browser signs out', async (t) => {
    const key = await made();
    const { context, page } = await openWith(t, browser, service, key.key);
    const window = await context.newPage();
    await window.goto(service.url);
    await inbox(window);
    await window.getByRole('button', { name: 'Sign out' }).click();
    await window.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('API key').waitFor();
  });

  await t.test('a person who guesses keys has to wait, and sees for how long', async (t) => {
    const { page } = await open(t, browser, service);
    const problem = page.locator('.field-problem');
    // The limit must still hold when the right key comes, also on a slow machine.
    await waitUntil('the limit is reached, and lasts for a while', async () => {
      await signInWith(page, `rn_live_${randomBytes(20).toString('hex')}`);
      await problem.waitFor();
      const [, seconds] = /Try again in (\d+) seconds/.exec((await problem.textContent()) ?? '') ?? [];
      return Number(seconds) > 20;
    });
    await signInWith(page, service.adminKey);
    await problem.waitFor();
    assert.match((await problem.textContent()) ?? '', /Try again in \d+ seconds/, 'the right key has to wait, too');
  });
});

async function openWith(t: TestContext, browser: Browser, service: TestService, key: string) {
  const visit = await open(t, browser, service);
  await signInWith(visit.page, key);
  await inbox(visit.page);
  return visit;
}
