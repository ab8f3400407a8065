/** Runs the client in a real browser: it verifies a webhook and uses the API through the browser's own `fetch`. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type HttpRoute, startServer } from '../../src/http/server.ts';
import { chromiumPath, openBrowser, openContext } from '../helpers/browser.ts';
import { afterwards } from '../helpers/cleanup.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the client was not run in a browser';
const built = fileURLToPath(new URL('../../client/', import.meta.url));

test('the client works in a browser', { skip }, async (t) => {
  const keys: string[] = [];
  const files = readdirSync(built).filter((name) => name.endsWith('.js'));
  const routes: HttpRoute[] = [
    {
      method: 'GET',
      path: '/',
      handle: (exchange) => exchange.reply(200, 'text/html', '<!doctype html><title>x</title>'),
    },
    { method: 'GET', path: '/moved/api/stats', handle: (exchange) => exchange.reply(302, '', '', ['Location', '/']) },
    {
      method: 'POST',
      path: '/api/ranges',
      handle: (exchange) => {
        keys.push(exchange.headers['idempotency-key'] ?? '');
        if (keys.length === 1) return exchange.json(500, { error: 'Server error', message: 'Later.' });
        exchange.json(201, { id: 'range_1' }, ['X-Request-Id', 'r']);
      },
    },
    ...files.map((name): HttpRoute => {
      const text = readFileSync(`${built}${name}`);
      return {
        method: 'GET',
        path: `/client/${name}`,
        handle: (exchange) => exchange.reply(200, 'text/javascript', text),
      };
    }),
  ];
  const server = await startServer('127.0.0.1', 0, routes, pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  const url = `http://127.0.0.1:${server.port}`;
  const page = await (await openContext(t, await openBrowser(t, program as string), {})).newPage();
  await page.goto(url);

  const key = randomBytes(32);
  const body = '{"event":"endpoint.test","timestamp":"2026-03-02T09:00:00.000Z","data":{"endpointId":"é"}}';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  const input = JSON.stringify({ body, headers, secret: `whsec_${key.toString('base64')}`, url });
  const seen = (await page.evaluate(`(async ({ body, headers, secret, url }) => {
    const { createClient, metaOf, verifyWebhook } = await import('/client/index.js');
    const event = await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret);
    const fault = await verifyWebhook(body + ' ', headers, secret).catch((error) => error.fault);
    const client = createClient({ url, key: 'k' });
    const range = await client.createRange({ repoId: 'r', type: 'TAG_BASED', fromTag: 'a', toTag: 'b' });
    const redirect = await createClient({ url: url + '/moved', key: 'k' }).getStats().catch((error) => error.message);
    return { event, fault, range, status: metaOf(range).status, redirect };
  })(${input})`)) as Record<string, unknown>;
  assert.deepEqual(seen.event, JSON.parse(body));
  assert.equal(seen.fault, 'wrongSignature');
  assert.deepEqual([seen.range, seen.status], [{ id: 'range_1' }, 201]);
  assert.match(String(seen.redirect), /answered with a redirect/);
  assert.equal(keys.length, 2, 'it was sent again');
  assert.match(keys[0] ?? '', /^[0-9a-f]{36}$/);
  assert.equal(keys[0], keys[1]);
});
