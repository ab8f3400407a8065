/**
 * Tests what the settings of pages change: color, logo and frames. Also tests marks, links between versions, and hostile
 * names in all of these places.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesUrl, pageUrl } from '../../../src/foundation/page-url.ts';
import { at, startPages } from '../../helpers/pages.ts';
import { dataUri, png } from '../../helpers/pictures.ts';

const key = 'k'.repeat(20);
const logo = dataUri('png', png());
const home = '/notes/acme/rocket/';
const policyOf = (headers: Headers): string => headers.get('content-security-policy') ?? '';

test('the accent color is part of the address of the stylesheet, and no page contains a style', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  await pages.settings(id, { accent: '#FFD400' });
  for (const path of ['', 'v1.0.0']) {
    const { body, headers } = await pages.get(home + path);
    const [, href = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(body) ?? [];
    assert.match(href, /style\.css\?v=[\w-]+&amp;accent=ffd400$/);
    assert.doesNotMatch(body, /<style|\bstyle=/);
    assert.match(policyOf(headers), /style-src 'self';/);
    const style = await pages.get(new URL(href.replaceAll('&amp;', '&'), pages.url + home + path).href);
    assert.match(style.headers.get('cache-control') ?? '', /immutable/);
    assert.match(style.body, /dark\) \{ :root \{ --accent: #ffd400; \} \}/);
    assert.doesNotMatch(style.body, /media screen \{ :root \{ --accent: #ffd400/);
  }
  const plain = (await pages.get('/notes/style.css')).body;
  for (const accent of ['', 'red', '}body{display:none', 'FFD400', '%0a'])
    assert.equal((await pages.get(`/notes/style.css?accent=${encodeURIComponent(accent)}`)).body, plain, accent);
});

test('settings that were stored without being checked cannot leave their place', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  const evil = `"><script>alert(1)</script>`;
  await pages.settings(id, {
    title: `Rocket ${evil}\u202e`,
    accent: `#fff${evil}`,
    logo: `data:image/svg+xml;base64,${evil}`,
    logoAlt: evil,
    embedIn: [`https://a.test; script-src *`, `https://a.test/path`, 'javascript:x', "'self'", 'https://*.test', ''],
  });
  for (const path of ['', 'v1.0.0', 'atom.xml', 'feed.json', '?q=%22%3E%3Cscript%3E%E2%80%AE']) {
    const { status, body, headers } = await pages.get(home + path);
    assert.equal(status, 200);
    // A JSON Feed contains plain text, which readers escape.
    if (path !== 'feed.json') assert.doesNotMatch(body, /<script/, path);
    assert.doesNotMatch(body, /svg\+xml|accent=/, path);
    assert.doesNotMatch(body, /\u202e/, path);
    assert.match(policyOf(headers), /frame-ancestors 'none'$/);
  }
  assert.equal((await pages.get(`${home}embed`)).status, 404);
  assert.equal((await pages.get(`${home}logo`)).status, 404);
});

test('the logo is a file of its own that browsers cache permanently', async (t) => {
  const pages = await startPages(t, 'https://notes.test');
  const id = await pages.repository();
  await pages.note(id);
  assert.equal((await pages.get(`${home}logo`)).status, 404);
  assert.match(policyOf((await pages.get(home)).headers), /img-src data:;/);
  await pages.settings(id, { logo, logoAlt: 'Rocket & "Co"' });
  for (const path of ['', 'v1.0.0']) {
    const { body, headers } = await pages.get(home + path);
    assert.match(policyOf(headers), /img-src 'self' data:;/);
    const [, src = '', alt] = /<img class="logo" src="([^"]+)" alt="([^"]*)">/.exec(body) ?? [];
    assert.match(src, /^\.\/logo\?v=[\w-]{22}$/);
    assert.equal(alt, 'Rocket &amp; &quot;Co&quot;');
    const response = await fetch(new URL(src, pages.url + home + path));
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), png());
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const etag = response.headers.get('etag') ?? '';
    assert.equal((await pages.get(home + src.slice(2), { 'if-none-match': etag })).status, 304);
  }
  assert.equal((await pages.get(`${home}logo?v=old`)).headers.get('cache-control'), 'public, no-cache');
  for (const feed of ['atom.xml', 'feed.json'])
    assert.match((await pages.get(home + feed)).body, /https:\/\/notes\.test\/notes\/acme\/rocket\/logo\?v=[\w-]{22}/);
});

test('the logo of unlisted pages needs their key', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  await pages.settings(id, { visibility: 'unlisted', key, logo });
  const { body } = await pages.get(`${home}?key=${key}`);
  const [, src = ''] = /<img class="logo" src="\.\/([^"]+)" alt="">/.exec(body) ?? [];
  const own = await pages.get(home + src.replaceAll('&amp;', '&'));
  assert.deepEqual([own.status, own.headers.get('cache-control')], [200, 'private, max-age=31536000, immutable']);
  assert.equal((await pages.get(`${home}logo`)).status, 404);
  assert.match(
    (await pages.get(`${home}atom.xml?key=${key}`)).body,
    /<logo>[^<]*logo\?key=k{20}&amp;v=[\w-]{22}<\/logo>/,
  );
});

test('a frame is allowed only for the origins in the settings', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  for (let i = 0; i < 7; i++) await pages.note(id, { version: `v1.${i}`, date: at + i, marks: ['new'] });
  const missing = await pages.get(`${home}embed`);
  assert.deepEqual([missing.status, missing.body], [404, (await pages.get(`${home}nothing`)).body]);
  await pages.settings(id, { embedIn: ['https://docs.test', 'https://a-b.test:8443', 'http://localhost:3000'] });
  const { status, body, headers } = await pages.get(`${home}embed`);
  assert.equal(status, 200);
  assert.match(
    policyOf(headers),
    /frame-ancestors https:\/\/docs\.test https:\/\/a-b\.test:8443 http:\/\/localhost:3000$/,
  );
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.equal(body.match(/<h2>/g)?.length, 5);
  for (const [link] of body.matchAll(/<a [^>]*>/g)) assert.match(link, / target="_blank" rel="noopener">$/);
  assert.match(body, /<a href="\.\/v1\.6" /);
  assert.doesNotMatch(body, /<script|<form|\bstyle=/);
  for (const path of ['', 'v1.0', 'atom.xml', 'logo'])
    assert.match(policyOf((await pages.get(home + path)).headers), /frame-ancestors 'none'$/, path);
  await pages.settings(id, { embedIn: ['*'] });
  const open = await pages.get(`${home}embed`, { 'if-none-match': headers.get('etag') ?? '' });
  assert.equal(open.status, 200, 'another policy is another reply');
  assert.match(policyOf(open.headers), /frame-ancestors \*$/);
});

test('pages that are not public are in no frame', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id);
  await pages.settings(id, { visibility: 'unlisted', key, embedIn: ['*'] });
  for (const path of ['embed', `embed?key=${key}`]) assert.equal((await pages.get(home + path)).status, 404, path);
});

test('tags that are named like a file of the pages keep their former address while there is no such file', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  for (const version of ['embed', 'logo']) await pages.note(id, { version, html: `<p>Note ${version}.</p>` });
  for (const version of ['embed', 'logo']) {
    assert.match((await pages.get(home + version)).body, new RegExp(`Note ${version}\\.`));
    assert.doesNotMatch(pageUrl(pagesUrl('', 'acme/rocket'), version), /embed|logo/);
  }
  await pages.settings(id, { embedIn: ['*'], logo });
  assert.doesNotMatch((await pages.get(`${home}embed`)).body, /Note embed/);
  for (const version of ['embed', 'logo'])
    assert.match(
      (await pages.get(pageUrl(pagesUrl('', 'acme/rocket'), version))).body,
      new RegExp(`Note ${version}\\.`),
    );
});

test('pages link to the versions before and after, for the same persona if there is one', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  for (const [i, version] of ['v1', 'v2', 'v3'].entries()) await pages.note(id, { version, date: at + i });
  for (const version of ['v1', 'v2'])
    await pages.note(id, { version, persona: 'engineer', path: 'engineer', date: at + 9 });
  await pages.note(id, { version: 'v2', persona: 'internal', path: `internal/${'x'.repeat(22)}` });
  const ways = async (path: string) =>
    [...(await pages.get(home + path)).body.matchAll(/<a rel="(prev|next)" href="([^"]+)">([^<]+)</g)].map((way) =>
      way.slice(1),
    );
  assert.deepEqual(await ways('v1'), [['next', './v2', 'Next version: v2']]);
  assert.deepEqual(await ways('v2'), [
    ['prev', './v1', 'Previous version: v1'],
    ['next', './v3', 'Next version: v3'],
  ]);
  assert.deepEqual(await ways('v3'), [['prev', './v2', 'Previous version: v2']]);
  assert.deepEqual(await ways('v2/engineer'), [
    ['prev', '../v1/engineer', 'Previous version: v1'],
    ['next', '../v3', 'Next version: v3'],
  ]);
  assert.deepEqual(await ways(`v2/internal/${'x'.repeat(22)}`), []);
});

test('old internal notes are passed over between versions', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  for (const [i, version] of ['v1', 'v2', 'v3'].entries())
    await pages.note(id, {
      version,
      date: at + i,
      ...(version === 'v2' && { persona: 'internal' as const, excerpt: undefined }),
    });
  assert.match((await pages.get(`${home}v1`)).body, /Next version: v3/);
  assert.doesNotMatch((await pages.get(`${home}v3`)).body, /v2/);
});

test('lists show marks in words, and muted text for versions without changes', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { version: 'v1', date: at, excerpt: 'No changes for customers in this range.' });
  await pages.note(id, { version: 'v2', date: at + 1, excerpt: '', html: '' });
  await pages.note(id, { version: 'v3', date: at + 2, marks: ['breaking', 'fixed'] });
  const { body } = await pages.get(home);
  assert.match(body, /<span class="mark breaking">Breaking<\/span><\/li><li><span class="mark fixed">Fixed<\/span>/);
  assert.equal(body.match(/class="marks"/g)?.length, 1);
  assert.match(body, /v2<\/a><\/h2>\n.*\n<p class="none">No notes for customers\.<\/p>/);
  assert.match(body, /v1<\/a><\/h2>\n.*\n<p class="none">No changes for customers in this range\.<\/p>/);
  assert.match((await pages.get(`${home}v2`)).body, /<p class="none">No notes for customers\.<\/p>/);
});

test('hostile names stay text in links between versions, marks and frames', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  const names = ['"><img src=x>', "'onload='x", 'a\u202eb', 'word'.repeat(60), '<b>&amp;'];
  for (const [i, version] of names.entries())
    await pages.note(id, { version, date: at + i, html: '<h2>&lt;b&gt;</h2>' });
  await pages.settings(id, { embedIn: ['*'], logo, logoAlt: '"><b>' });
  const addresses = names.map((version) => pageUrl(pagesUrl('', 'acme/rocket'), version));
  for (const address of [...addresses, home, `${home}embed`]) {
    const { status, body } = await pages.get(address);
    assert.equal(status, 200, address);
    assert.doesNotMatch(body, /<img src=x|<b>|\u202e/, address);
    assert.equal(body.match(/<img/g)?.length, 1, address);
  }
});
