/**
 * Tests the pages of notes over HTTP: their addresses, their headers, and who may see a page.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pagesOfPath, pagesUrl, pageUrl } from '../../../src/foundation/page-url.ts';
import { at, startPages } from '../../helpers/pages.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const key = 'k'.repeat(20);
const dayMs = 86_400_000;

test('the list shows the versions of a repository, the newest first', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  for (let i = 1; i <= 45; i++)
    await pages.note(id, { version: `v1.${i}.0`, date: at + i * dayMs, excerpt: `Sum ${i}` });
  const versions = async (path: string): Promise<string[]> =>
    [...(await pages.get(path)).body.matchAll(/<h2><a href="[^"]*">(.*?)<\/a>/g)].map(([, version = '']) => version);
  const all = Array.from({ length: 45 }, (_, i) => `v1.${45 - i}.0`);
  assert.deepEqual(await versions('/notes/acme/rocket/'), all.slice(0, 20));
  assert.deepEqual(await versions('/notes/acme/rocket/?page=2'), all.slice(20, 40));
  assert.deepEqual(await versions('/notes/acme/rocket/?page=3'), all.slice(40));
  for (const page of ['4', '0', '-1', 'x', '1e9', '']) {
    const { status } = await pages.get(`/notes/acme/rocket/?page=${page}`);
    assert.equal(status, 404, page);
  }
  const first = (await pages.get('/notes/acme/rocket/')).body;
  assert.match(first, /<time datetime="2026-03-20">March 20, 2026<\/time>/);
  assert.match(first, /<a rel="next" href="\.\/\?page=2">Older versions<\/a>/);
});

test('the page of a version has its date and one heading', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { version: 'v1.0.0', html: '<h2>New</h2>\n<p>Fast.</p>', excerpt: 'Fast & "good"' });
  const { status, body, headers } = await pages.get('/notes/acme/rocket/v1.0.0');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(body, /^<!doctype html>\n<html lang="en">/);
  assert.match(body, /<title>v1\.0\.0 · Release notes of acme\/rocket<\/title>/);
  assert.match(body, /<meta name="description" content="Fast &amp; &quot;good&quot;">/);
  assert.match(body, /<h1>v1\.0\.0<\/h1>[\s\S]*<h2 id="new">New<\/h2>.*\n<p>Fast\.<\/p>\n<\/article>/);
  assert.equal(body.match(/<h1/g)?.length, 1);
  assert.doesNotMatch(body, /<script|\bstyle=|\bon\w+=/i);
});

test('the pages do not show the line that earlier releases made from the draft’s flags', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { summary: 'Removed', excerpt: undefined });
  for (const path of ['', 'v1.0.0', 'atom.xml', 'feed.json']) {
    const { status, body } = await pages.get(`/notes/acme/rocket/${path}`);
    assert.equal(status, 200);
    assert.match(body, /v1\.0\.0/);
    assert.doesNotMatch(body, /Removed/, path);
  }
});

test('a new text of a version replaces the old one', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  await pages.note(id, { html: '<p>Second.</p>', date: at + dayMs });
  assert.match((await pages.get('/notes/acme/rocket/v1.0.0')).body, /Second\./);
  assert.equal((await pages.get('/notes/acme/rocket/')).body.match(/<h2>/g)?.length, 1);
});

test('removing a publication removes its page and feed entry', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  await pages.remove(id);
  assert.equal((await pages.get('/notes/acme/rocket/v1.0.0')).status, 404);
  for (const path of ['', 'atom.xml', 'feed.json'])
    assert.doesNotMatch((await pages.get(`/notes/acme/rocket/${path}`)).body, /v1\.0\.0/);
});

test('pages that are unknown, off, or requested without their key get the same reply', async (t) => {
  const pages = await startPages(t);
  const shown = await pages.repository({ fullName: 'acme/shown' }, 0);
  const off = await pages.repository({ fullName: 'acme/off' }, 1);
  const inside = await pages.repository({ fullName: 'acme/inside', private: true }, 2);
  const unlisted = await pages.repository({ fullName: 'acme/unlisted' }, 3);
  const keyless = await pages.repository({ fullName: 'acme/keyless' }, 4);
  for (const id of [shown, off, inside, unlisted, keyless]) await pages.note(id);
  await pages.settings(off, { visibility: 'off' });
  await pages.settings(unlisted, { visibility: 'unlisted', key });
  await pages.settings(keyless, { visibility: 'unlisted' });
  const missing = ['off', 'inside', 'unlisted', 'keyless', 'nothing'].flatMap((name) =>
    ['', 'v1.0.0', 'atom.xml', 'feed.json', `?key=${'x'.repeat(20)}`, '?key=', 'v1.0.0?key=undefined'].map(
      (path) => `/notes/acme/${name}/${path}`,
    ),
  );
  const others = ['/notes/acme/shown/v9', '/notes/a', '/notes/%zz/x/', '/notes/acme/shown/%zz', '/notes///'];
  // All replies to addresses of the same depth must be equal. Replies for different depths differ in the link to the
  // stylesheet.
  const replies = new Map<number, Set<string>>();
  for (const path of [...missing, ...others]) {
    const { status, body, headers } = await pages.get(path);
    const ownHeaders = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
    const depth = path.replace(/\?.*/, '').split('/').length;
    replies.set(depth, (replies.get(depth) ?? new Set()).add(JSON.stringify([status, body, ownHeaders])));
    assert.equal(status, 404, path);
  }
  assert.equal(replies.size, 2);
  for (const [depth, alike] of replies) assert.equal(alike.size, 1, String(depth));
  assert.equal((await pages.get('/notes/acme/shown/v1.0.0')).status, 200);
});

test('unlisted pages open with their key, and their links contain it', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository({ private: true });
  for (let i = 0; i < 25; i++) await pages.note(id, { version: `v${i}`, date: at + i });
  await pages.settings(id, { visibility: 'unlisted', key });
  const { body, headers, status } = await pages.get(`/notes/acme/rocket/?key=${key}`);
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'private, max-age=60');
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  const inner = links.filter((href) => href.includes('?key='));
  assert.ok(inner.length > 22);
  for (const href of inner) assert.equal((await pages.get(`/notes/acme/rocket/${href}`)).status, 200, href);
});

test('settings of a repository override those of its organization', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository({ private: true });
  await pages.note(id);
  await pages.settings('', { visibility: 'public', title: 'Rocket <news>', language: 'de' });
  const { body } = await pages.get('/notes/acme/rocket/v1.0.0');
  assert.match(body, /<html lang="de">[\s\S]*<title>v1\.0\.0 · Rocket &lt;news&gt;<\/title>[\s\S]*3\. Februar 2026/);
  await pages.settings(id, { visibility: 'off' });
  assert.equal((await pages.get('/notes/acme/rocket/v1.0.0')).status, 404);
});

test('the pages of a renamed repository are at its new name', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository({ fullName: 'acme/booster' });
  await pages.note(id);
  assert.equal((await pages.get('/notes/ACME/Booster/v1.0.0')).status, 200);
  await pages.repository({ fullName: 'acme/rocket' });
  assert.equal((await pages.get('/notes/acme/booster/v1.0.0')).status, 404);
  await pages.repository({ fullName: 'acme/booster', private: true }, 1);
  assert.equal((await pages.get('/notes/acme/booster/v1.0.0')).status, 404);
});

test('of two repositories with one name, the one on the default host is shown', async (t) => {
  const pages = await startPages(t);
  const other = await pages.repository({ origin: 'https://other.example' }, 1);
  await pages.note(other, { html: '<p>Other.</p>' });
  assert.match((await pages.get('/notes/acme/rocket/v1.0.0')).body, /Other\./);
  const id = await pages.repository({}, 0);
  await pages.note(id, { html: '<p>Own.</p>' });
  // An unknown name makes the server read all names again, but only after a pause. The longer the previous reading
  // took, the longer the pause is.
  await waitUntil('the default host’s is known', async () => {
    await pages.get('/notes/acme/elsewhere/');
    return /Own\./.test((await pages.get('/notes/acme/rocket/v1.0.0')).body);
  });
});

test('a version of any name has its own address', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  const versions = ['release/1.0#rc', '100%', 'a b', 'v1?x=1', '@scope/pkg@1.0.0', 'a//b', '../..', '<b>"\'&', 'ä/é🚀'];
  versions.push('atom.xml', 'feed.json', 'logo', 'embed', 'logo/x', '%61tom.xml', '%2F', 'a/./b', 'a/..', '...');
  versions.push('a', 'a/engineer', 'a/engineer/engineer', `a/internal/${'x'.repeat(22)}`);
  for (const [i, version] of versions.entries()) await pages.note(id, { version, html: `<p>Note ${i}.</p>` });
  const home = pagesUrl(pages.url, 'acme/rocket');
  for (const [i, version] of versions.entries()) {
    const { status, body } = await pages.get(pageUrl(home, version));
    assert.equal(status, 200, version);
    assert.match(body, new RegExp(`<p>Note ${i}\\.</p>`), version);
  }
  const lists = [await pages.get('/notes/acme/rocket/'), await pages.get('/notes/acme/rocket/?page=2')];
  const shown = lists.map(({ body }) => body).join('\n');
  const links = [...shown.matchAll(/<h2><a href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&#39;', "'"));
  for (const link of links) {
    const { status, body } = await pages.get(new URL(link, home).href);
    assert.deepEqual([status, /<p>Note \d+\.<\/p>/.test(body)], [200, true], link);
  }
  assert.equal(new Set(links).size, versions.length);
});

test('pages and feeds remove invisible and direction-changing characters from version names', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  const [version, excerpt] = ['v1\u202e1.2\u202c\u009b31m\u200b', 'Fast\u2066er\u0085\u{e0041}'];
  await pages.note(id, { version, excerpt });
  const home = pagesUrl(pages.url, 'acme/rocket');
  for (const address of [home, pageUrl(home, version), `${home}atom.xml`, `${home}feed.json`]) {
    const { status, body } = await pages.get(address);
    assert.equal(status, 200);
    assert.match(body, /v11\.231m/, address);
    assert.doesNotMatch(
      body,
      /[\u0080-\u0084\u0086-\u009f\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
      address,
    );
  }
});

test('links are relative, so that they work behind any proxy', async (t) => {
  for (const publicUrl of ['', 'https://notes.test/base/']) {
    const pages = await startPages(t, publicUrl);
    const id = await pages.repository({ formerNames: ['acme/old'] });
    for (let i = 0; i < 21; i++) await pages.note(id, { version: `release/1.${i}`, date: at + i });
    await pages.note(id, { version: 'release/1.9', persona: 'engineer', path: 'engineer' });
    const paths = ['rocket/', 'rocket/?page=2', 'rocket/release/1.9', 'rocket/release/1.9/engineer', 'rocket/a/b/c'];
    for (const path of [...paths, 'rocket', 'old/release/1.9']) {
      // The proxy serves Tidings below an additional path (`/deep/below`).
      const outside = new URL(`https://proxy.test/deep/below/notes/acme/${path}`);
      const { status, body, headers } = await pages.get(`/notes/acme/${path}`);
      const links = [...body.matchAll(/<(?!link rel="canonical")[^>]* href="([^"]*)"/g)].map(([, link = '']) => link);
      const location = headers.get('location');
      for (const link of [...links, ...(location === null ? [] : [location])]) {
        if (link === 'data:,') continue;
        assert.match(link, /^\.\.?\//, `${path}: ${link}`);
        const { pathname, search } = new URL(link, outside);
        assert.ok(pathname.startsWith('/deep/below/notes/'), `${path}: ${link}`);
        const target = await pages.get(pathname.replace('/deep/below', '') + search);
        assert.equal(target.status, 200, `${path}: ${link}`);
      }
      assert.ok(status !== 200 || links.length > 4, path);
    }
    const { body } = await pages.get('/notes/acme/rocket/release/1.9');
    const canonical = /<link rel="canonical" href="([^"]*)">/.exec(body)?.[1];
    assert.equal(canonical, publicUrl === '' ? undefined : `${publicUrl}notes/acme/rocket/release/1.9`);
  }
});

const anyVersion = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('.', '/', '%', '2', 'F', '/engineer', `/internal/${'a-_9'.repeat(5)}xy`),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
    minLength: 1,
  })
  .filter((version) => !/^\.{0,2}$/.test(version));

const anyPath = fc.constantFrom(undefined, 'engineer', `internal/${'a-_9'.repeat(5)}xy`);

test('each version has a different address, below the pages of its repository', () => {
  const home = pagesUrl('https://notes.test/base', 'acme/rocket');
  fc.assert(
    fc.property(anyVersion, anyPath, anyVersion, anyPath, (one, path, two, other) => {
      const [first, second] = [new URL(pageUrl(home, one, path)).href, new URL(pageUrl(home, two, other)).href];
      assert.ok(first.startsWith(home) && first.length > home.length, first);
      assert.equal(first === second, one.toWellFormed() === two.toWellFormed() && path === other);
      const [meant] = pagesOfPath(first.slice(home.length));
      assert.deepEqual([meant?.version, meant?.path], [one.toWellFormed(), path]);
    }),
    { numRuns: 2000 },
  );
});

test('pages return 304 to a reader that has them', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  for (const path of ['', 'v1.0.0', 'atom.xml', 'feed.json']) {
    const { headers } = await pages.get(`/notes/acme/rocket/${path}`);
    const etag = headers.get('etag') as string;
    assert.equal(headers.get('cache-control'), 'public, max-age=60');
    const again = await pages.get(`/notes/acme/rocket/${path}`, { 'if-none-match': etag });
    assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', etag], path);
  }
  const before = (await pages.get('/notes/acme/rocket/v1.0.0')).headers.get('etag') as string;
  await pages.note(id, { html: '<p>Other.</p>' });
  assert.equal((await pages.get('/notes/acme/rocket/v1.0.0', { 'if-none-match': before })).status, 200);
});

test('pages reply to HEAD like GET without a body, and return 405 for other methods', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  const url = `${pages.url}/notes/acme/rocket/v1.0.0`;
  const [head, get] = [await fetch(url, { method: 'HEAD' }), await fetch(url)];
  assert.deepEqual([head.status, await head.text()], [200, '']);
  assert.equal(head.headers.get('etag'), get.headers.get('etag'));
  await get.text();
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const { status } = await fetch(url, { method });
    assert.equal(status, 405, method);
  }
});

test('an address without a slash is redirected, whether the pages exist or not', async (t) => {
  const pages = await startPages(t, 'https://notes.test/base/');
  await pages.repository({ private: true });
  for (const name of ['rocket', 'nothing']) {
    const { status, headers } = await pages.get(`/notes/acme/${name}?key=${key}`);
    const location = new URL(headers.get('location') ?? '', `https://notes.test/base/notes/acme/${name}`);
    assert.deepEqual([status, location.pathname + location.search], [308, `/base/notes/acme/${name}/?key=${key}`]);
  }
});

test('a former name is redirected to the current one, until another repository takes it', async (t) => {
  const pages = await startPages(t, 'https://notes.test/base/');
  await pages.repository({ fullName: 'Acme/Lander', formerNames: ['acme/Rocket', 'acme/stone'] });
  const from = async (path: string) => {
    const { status, headers } = await pages.get(`/notes/${path}`);
    const location = headers.get('location');
    return [status, location && new URL(location, `https://notes.test/base/notes/${path}`).href];
  };
  for (const rest of ['', 'v1.0.0', 'release/1%2F0', 'atom.xml?page=2', '?page=2'])
    assert.deepEqual(
      await from(`acme/rocket/${rest}`),
      [308, `https://notes.test/base/notes/Acme/Lander/${rest}`],
      rest,
    );
  assert.match((await pages.get('/notes/acme/stone/')).headers.get('cache-control') ?? '', /^public, max-age=60$/);
  await pages.repository({ fullName: 'acme/stone', private: true }, 1);
  await waitUntil('the name is another’s', async () => (await from('acme/stone/'))[0] === 404);
  assert.equal((await from('acme/rocket/'))[0], 308);
});

test('a former name is not redirected for readers who may not see the pages', async (t) => {
  const pages = await startPages(t);
  const [off, unlisted] = [
    await pages.repository({ fullName: 'acme/a', formerNames: ['acme/off'] }, 0),
    await pages.repository({ fullName: 'acme/b', formerNames: ['acme/unlisted'] }, 1),
  ];
  await pages.settings(off, { visibility: 'off' });
  await pages.settings(unlisted, { visibility: 'unlisted', key });
  const unknown = await pages.get('/notes/acme/nothing/v1');
  for (const path of ['off/v1', 'unlisted/v1', `unlisted/v1?key=${'x'.repeat(20)}`]) {
    const { status, headers, body } = await pages.get(`/notes/acme/${path}`);
    assert.deepEqual([status, headers.get('location'), body], [404, null, unknown.body], path);
  }
  const known = await pages.get(`/notes/acme/unlisted/v1?key=${key}`);
  assert.equal(known.headers.get('location'), `./../../acme/b/v1?key=${key}`);
  assert.equal(known.headers.get('cache-control'), 'private, max-age=60');
});

test('pages may load only their own stylesheet', async (t) => {
  const pages = await startPages(t, 'https://notes.test/base/');
  const id = await pages.repository();
  await pages.note(id);
  const { body, headers } = await pages.get('/notes/acme/rocket/v1.0.0');
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'self'; img-src data:;/);
  assert.doesNotMatch(policy, /unsafe|script|\*/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  const [, path = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(body) ?? [];
  const style = await pages.get(new URL(path, `${pages.url}/notes/acme/rocket/v1.0.0`).href);
  assert.deepEqual([style.status, style.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
  assert.match(style.headers.get('cache-control') ?? '', /immutable/);
  assert.match(style.body, /prefers-color-scheme: dark/);
});
