/**
 * The page at `/`: what it shows to somebody without a key, and what it never shows.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { at, startPages } from '../../helpers/pages.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
const key = 'k'.repeat(20);
const dayMs = 86_400_000;

test('names the service, its version, where to go on, and the address for webhooks', async (t) => {
  const pages = await startPages(t);
  const { status, headers, body } = await pages.get('/');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(body, /<h1>Tidings<\/h1>/);
  assert.ok(body.includes(`Version ${version}<`));
  for (const path of ['docs', 'docs/guide', 'api/openapi.json', 'healthz'])
    assert.ok(body.includes(`href="${path}"`), path);
  assert.ok(body.includes(`<code>${pages.url}/api/webhooks/scm</code>`));
  assert.match(body, /TIDINGS_PUBLIC_URL/, 'nobody else reaches an address of the machine');
  assert.doesNotMatch(body, /Published notes/, 'there are none');
});

test('allows nothing but the stylesheet of the pages, and stays out of search engines', async (t) => {
  const pages = await startPages(t);
  const { headers, body } = await pages.get('/');
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'self'; img-src data:;/);
  assert.doesNotMatch(policy, /script|unsafe/);
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.match(body, /<meta name="robots" content="noindex">/);
  assert.doesNotMatch(body, /<script|<style|\bstyle=|\bon\w+=/i);
  const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(body) ?? [];
  assert.equal((await pages.get(`/${stylesheet}`)).headers.get('content-type'), 'text/css; charset=utf-8');
});

test('gives hosts the public address, which needs no advice', async (t) => {
  const pages = await startPages(t, 'https://notes.example/tidings/');
  await pages.note(await pages.repository());
  const { body } = await pages.get('/');
  for (const path of ['docs', 'healthz', 'notes/acme/rocket/']) assert.ok(body.includes(`href="${path}"`), path);
  assert.ok(body.includes('<code>https://notes.example/tidings/api/webhooks/scm</code>'));
  assert.doesNotMatch(body, /TIDINGS_PUBLIC_URL|127\.0\.0\.1/);
});

test('lists repositories with public notes, and names no other', async (t) => {
  const pages = await startPages(t);
  const add = async (nth: number, name: string, fields: { private?: boolean } = {}, notes = 1): Promise<string> => {
    const id = await pages.repository({ fullName: `acme/${name}`, ...fields }, nth);
    for (let i = 0; i < notes; i++) await pages.note(id, { version: `v${nth}.${i}`, date: at + (nth + i) * dayMs });
    return id;
  };
  const shown = await add(0, 'shown', {}, 2);
  await add(3, 'newer');
  await add(4, 'silent', {}, 0);
  await add(5, 'private', { private: true });
  await pages.settings(await add(6, 'opened', { private: true }), { visibility: 'public' });
  await pages.settings(await add(7, 'unlisted'), { visibility: 'unlisted', key });
  await pages.settings(await add(8, 'switched-off'), { visibility: 'off' });
  assert.equal((await pages.get('/notes/acme/opened/')).status, 200, 'its address works for those who have it');

  const { body } = await pages.get('/');
  const listed = [...body.matchAll(/href="notes\/([^"]*)\/">([^<]*)<\/a> <span class="date">([^<]*)/g)];
  assert.deepEqual(
    listed.map(([, path, name, newest]) => [path, name, newest]),
    [
      ['acme/newer', 'acme/newer', 'v3.0, '],
      ['acme/shown', 'acme/shown', 'v0.1, '],
    ],
  );
  assert.doesNotMatch(body, /silent|private|opened|unlisted|switched-off|kkkk/);

  await pages.settings(shown, { visibility: 'off' });
  assert.doesNotMatch((await pages.get('/')).body, /acme\/shown/, 'what is not public any more is gone at once');
});

test('names do nothing on the page', async (t) => {
  const pages = await startPages(t);
  await pages.note(await pages.repository({ fullName: 'acme/<i>"x' }), { version: '<b>v1\u202e</b>' });
  const { body } = await pages.get('/');
  assert.ok(body.includes('href="notes/acme/%3Ci%3E%22x/">acme/&lt;i&gt;&quot;x</a>'), body);
  assert.ok(body.includes('&lt;b&gt;v1&lt;/b&gt;, <time'), body);
});

test('knows what a reader has, and answers HEAD', async (t) => {
  const pages = await startPages(t);
  const etag = (await pages.get('/')).headers.get('etag') as string;
  assert.equal((await pages.get('/', { 'if-none-match': etag })).status, 304);
  const head = await fetch(`${pages.url}/`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('etag')], [200, etag]);
  const { status, headers } = await fetch(`${pages.url}/`, { method: 'POST' });
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
});

test('a browser that asks for an icon hears quietly that there is none', async (t) => {
  const pages = await startPages(t);
  const { status, body, headers } = await pages.get('/favicon.ico');
  assert.deepEqual([status, body], [204, '']);
  assert.equal(headers.get('cache-control'), 'public, max-age=86400');
});
