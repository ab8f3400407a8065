/**
 * Signs a real browser in, and tests that a page of another port of the same host cannot use the session, although the
 * browser sends it the cookie.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { startServer } from '../../src/http/server.ts';
import { chromiumPath, openBrowser, openContext } from '../helpers/browser.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { startService } from '../helpers/service.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: no browser was signed in';

/** Sends a request as a page and returns its status and body; `blocked` if the browser does not show the reply. */
const request = `async (url, init) => {
  try {
    const reply = await fetch(url, init);
    return { status: reply.status, body: reply.type === 'opaque' ? undefined : await reply.json() };
  } catch {
    return 'blocked';
  }
}`;

interface Reply {
  status: number;
  body: Record<string, unknown>;
}

test('a browser uses its session on pages of the service only', { skip }, async (t) => {
  const service = await startService(t);
  const cookies: string[] = [];
  const other = await startServer(
    '127.0.0.1',
    0,
    [
      {
        method: 'GET',
        path: '/',
        handle: (exchange) => {
          cookies.push(exchange.headers.cookie ?? '');
          exchange.reply(200, 'text/html', '<!doctype html><title>other port</title>');
        },
      },
    ],
    pino({ level: 'silent' }),
  );
  afterwards(t, () => other.stop(1000));
  const context = await openContext(t, await openBrowser(t, program as string), {});
  const page = await context.newPage();
  const send = (url: string, init: object = {}) =>
    page.evaluate(`(${request})(${JSON.stringify(url)}, ${JSON.stringify(init)})`) as Promise<Reply | 'blocked'>;
  const signIn = { method: 'POST', body: JSON.stringify({ key: service.adminKey }) };

  await page.goto(`${service.url}/docs`);
  const json = { 'content-type': 'application/json' };
  const { status, body } = (await send('/api/session', { ...signIn, headers: json })) as Reply;
  assert.equal(status, 200, JSON.stringify(body));
  const headers = { 'x-tidings-csrf': String(body.csrf) };
  await page.evaluate(`localStorage.setItem('csrf', ${JSON.stringify(body.csrf)})`);
  assert.deepEqual(await send('/api/session', { headers }), { status: 200, body });
  assert.equal(await page.evaluate('document.cookie'), '', 'scripts cannot read the cookie');
  assert.equal(((await send('/api/session')) as Reply).status, 403);

  await page.goto(`http://127.0.0.1:${other.port}/`);
  assert.match(cookies[0] ?? '', /^tidings=[\w-]{43}$/, 'the browser sends the cookie to all ports');
  assert.equal(await page.evaluate(`localStorage.getItem('csrf')`), null);
  const session = `${service.url}/api/session`;
  assert.equal(await send(session, { credentials: 'include' }), 'blocked');
  assert.equal(await send(session, { credentials: 'include', headers }), 'blocked');
  const before = await context.cookies();
  await send(session, { ...signIn, credentials: 'include', mode: 'no-cors' });
  assert.equal(await send(session, { ...signIn, headers: json, credentials: 'include' }), 'blocked');
  assert.deepEqual(await context.cookies(), before, 'another port cannot sign the browser in');
  const stolen = { cookie: cookies[0] as string, 'sec-fetch-site': 'same-origin' };
  assert.equal((await fetch(session, { headers: stolen })).status, 403, 'the cookie alone opens nothing');

  // A cookie of a longer path is sent before that of the service.
  await page.evaluate(`document.cookie = 'tidings=${'x'.repeat(43)}; path=/api'`);
  await page.goto(`${service.url}/docs`);
  assert.equal(((await send('/api/repos', { headers })) as Reply).status, 200, 'the page is still signed in');
  assert.equal(((await send('/api/session', { method: 'DELETE', headers })) as Reply).status, 200);
  assert.deepEqual(
    (await context.cookies()).map(({ path }) => path),
    ['/api'],
    'only the cookie of the other port is left',
  );
  assert.equal(((await send('/api/repos', { headers })) as Reply).status, 401);
});
