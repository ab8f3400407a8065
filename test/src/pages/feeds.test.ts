/**
 * Tests the feeds of notes: a parser reads each feed, and the test compares the result with the published notes.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { at, startPages } from '../../helpers/pages.ts';

/** The XML parser inside the package that writes feeds. The parser throws when the XML is not well formed. */
const { xml2js } = createRequire(import.meta.resolve('feed'))('xml-js') as {
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of any document
  xml2js: (xml: string, options: object) => any;
};

const service = 'https://notes.test';
const hostile = '<p>a]]&gt;b &amp; “c” \u0001\u000b\ufffe<a href="https://a.test/?x=1&amp;y=2">d</a></p>';

test('the Atom feed contains the newest versions with their texts', async (t) => {
  const pages = await startPages(t, service);
  const id = await pages.repository();
  for (let i = 0; i < 25; i++)
    await pages.note(id, { version: `v${i}.0/<b>&"`, date: at + i, html: hostile, excerpt: `Sum & ${i} <i>\u0002` });
  const { status, headers, body } = await pages.get('/notes/acme/rocket/atom.xml');
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/atom+xml; charset=utf-8']);
  const { feed } = xml2js(body, { compact: true });
  assert.equal(feed._attributes.xmlns, 'http://www.w3.org/2005/Atom');
  assert.equal(feed.id._text, `${service}/notes/acme/rocket/`);
  assert.equal(feed.entry.length, 20);
  const [entry] = feed.entry;
  assert.deepEqual([entry.title._cdata, entry.title._attributes.type], ['v24.0/&lt;b&gt;&amp;&quot;', 'html']);
  assert.equal(entry.id._text, `${service}/notes/acme/rocket/v24.0/%3Cb%3E%26%22`);
  assert.equal(entry.link._attributes.href, entry.id._text);
  assert.equal(
    entry.content._cdata,
    ['\u0001', '\u000b', '\ufffe'].reduce((text, mark) => text.replaceAll(mark, ''), hostile),
  );
  assert.equal(entry.summary._cdata, 'Sum &amp; 24 &lt;i&gt;');
  assert.equal(new Date(entry.updated._text).getTime(), at);
  const links = feed.link.map(({ _attributes }: { _attributes: { rel: string; href: string } }) => _attributes);
  assert.ok(links.some(({ rel, href }: { rel: string; href: string }) => rel === 'self' && href.endsWith('/atom.xml')));
});

test('the JSON Feed contains the newest versions with their texts', async (t) => {
  const pages = await startPages(t, service);
  const id = await pages.repository();
  for (let i = 0; i < 3; i++) await pages.note(id, { version: `v${i}`, date: at + i, html: hostile });
  const { headers, body } = await pages.get('/notes/acme/rocket/feed.json');
  assert.equal(headers.get('content-type'), 'application/feed+json; charset=utf-8');
  const feed = JSON.parse(body);
  assert.match(feed.version, /^https:\/\/jsonfeed\.org\/version\/1/);
  assert.equal(feed.home_page_url, `${service}/notes/acme/rocket/`);
  assert.deepEqual(
    feed.items.map((item: { id: string; url: string; title: string }) => [item.id === item.url, item.title]),
    [
      [true, 'v2'],
      [true, 'v1'],
      [true, 'v0'],
    ],
  );
  assert.match(feed.items[0].content_html, /^<p>a\]\]&gt;b/);
});

test('links in feeds begin with the public address, else with the address in the request', async (t) => {
  const ofFeed = async (publicUrl: string, host: string) => {
    const pages = await startPages(t, publicUrl);
    await pages.note(await pages.repository());
    const { port } = new URL(pages.url);
    const get = (path: string) => pages.getAs(host, `/notes/acme/rocket/${path}`);
    const { home_page_url: home, feed_url: own, items } = JSON.parse(await get('feed.json'));
    const atom = xml2js(await get('atom.xml'), { compact: true }).feed;
    assert.deepEqual([atom.id._text, atom.entry.id._text], [home, items[0].url]);
    assert.deepEqual([own, items[0].url], [`${home}feed.json`, `${home}v1.0.0`]);
    return home.replace(`:${port}/`, ':PORT/');
  };
  assert.equal(await ofFeed('', 'inside.test:8080'), 'http://inside.test:8080/notes/acme/rocket/');
  assert.equal(await ofFeed('', '[::1]:8080'), 'http://[::1]:8080/notes/acme/rocket/');
  assert.equal(await ofFeed('https://notes.test/base/', 'inside.test'), 'https://notes.test/base/notes/acme/rocket/');
  for (const odd of ['evil.test/x', 'a@b', '"><script>', 'ü'])
    assert.equal(await ofFeed('', odd), 'http://127.0.0.1:PORT/notes/acme/rocket/', odd);
});

test('a repository without notes has feeds without entries', async (t) => {
  const pages = await startPages(t);
  await pages.repository();
  const atom = xml2js((await pages.get('/notes/acme/rocket/atom.xml')).body, { compact: true });
  assert.equal(atom.feed.entry, undefined);
  assert.deepEqual(JSON.parse((await pages.get('/notes/acme/rocket/feed.json')).body).items, []);
});

test('a feed has a maximum size however long the notes are', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  const html = `<p>${'x'.repeat(900_000)}</p>`;
  for (let i = 0; i < 5; i++) await pages.note(id, { version: `v${i}`, date: at + i, html });
  const { body } = await pages.get('/notes/acme/rocket/feed.json');
  const items = JSON.parse(body).items as { content_html: string }[];
  assert.deepEqual(
    items.map(({ content_html: text }) => text.length),
    [900_007, 900_007, 12, 12, 12],
  );
});
