/**
 * Tests the list of published notes at `/notes/`, which needs no key: the data that it shows, and the data that it never
 * shows.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startPages } from '../../helpers/pages.ts';

const key = 'k'.repeat(20);
const dayMs = 86_400_000;

test('the page leads to the dashboard and to the API', async (t) => {
  const pages = await startPages(t);
  const { status, headers, body } = await pages.get('/notes/');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(body, /<h1>Release notes<\/h1>/);
  for (const path of ['../', '../docs', '../docs/guide']) assert.ok(body.includes(`href="${path}"`), path);
  assert.match(body, /No repository has public notes yet/);
});

test('the page may load only its stylesheet, and search engines do not list it', async (t) => {
  const pages = await startPages(t);
  const { headers, body } = await pages.get('/notes/');
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'self'; img-src data:;/);
  assert.doesNotMatch(policy, /script|unsafe/);
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.match(body, /<meta name="robots" content="noindex">/);
  assert.doesNotMatch(body, /<script|<style|\bstyle=|\bon\w+=/i);
  const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(body) ?? [];
  assert.equal((await pages.get(`/notes/${stylesheet}`)).headers.get('content-type'), 'text/css; charset=utf-8');
});

test('the page lists only repositories with public notes', async (t) => {
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
  assert.equal((await pages.get('/notes/acme/opened/')).status, 200, 'its address works');

  const { body } = await pages.get('/notes/');
  const listed = [...body.matchAll(/href="([^"]*)\/">([^<]*)<\/a> <span class="date">([^<]*)/g)];
  assert.deepEqual(
    listed.map(([, path, name, newest]) => [path, name, newest]),
    [
      ['acme/newer', 'acme/newer', 'v3.0, '],
      ['acme/shown', 'acme/shown', 'v0.1, '],
    ],
  );
  assert.doesNotMatch(body, /silent|private|opened|unlisted|switched-off|kkkk/);

  await pages.settings(shown, { visibility: 'off' });
  assert.doesNotMatch((await pages.get('/notes/')).body, /acme\/shown/, 'it disappears immediately');
});

test('names are escaped on the page', async (t) => {
  const pages = await startPages(t);
  await pages.note(await pages.repository({ fullName: 'acme/<i>"x' }), { version: '<b>v1\u202e</b>' });
  const { body } = await pages.get('/notes/');
  assert.ok(body.includes('href="acme/%3Ci%3E%22x/">acme/&lt;i&gt;&quot;x</a>'), body);
  assert.ok(body.includes('&lt;b&gt;v1&lt;/b&gt;, <time'), body);
});

test('the page returns 304 to a reader that has it, and replies to HEAD', async (t) => {
  const pages = await startPages(t);
  const etag = (await pages.get('/notes/')).headers.get('etag') as string;
  assert.equal((await pages.get('/notes/', { 'if-none-match': etag })).status, 304);
  const head = await fetch(`${pages.url}/notes/`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('etag')], [200, etag]);
  const { status, headers } = await fetch(`${pages.url}/notes/`, { method: 'POST' });
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
});

test('returns 204 for the icon that browsers request', async (t) => {
  const pages = await startPages(t);
  const { status, body, headers } = await pages.get('/favicon.ico');
  assert.deepEqual([status, body], [204, '']);
  assert.equal(headers.get('cache-control'), 'public, max-age=86400');
});
