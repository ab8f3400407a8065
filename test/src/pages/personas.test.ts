/**
 * Tests the pages of each persona: their addresses, and which notes the lists and feeds show. Also tests the notes that
 * earlier releases of Tidings published, which have one page per version.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personaPath } from '../../../src/foundation/page-url.ts';
import { at, startPages, type TestPages } from '../../helpers/pages.ts';

const secret = 'S3cret-of_22-letters01abcdefg';
const inside = personaPath('internal', secret) as string;
const customers = { html: '<p>For all.</p>', excerpt: 'All', publicationId: 'pub_c' };
const engineers = {
  persona: 'engineer' as const,
  path: 'engineer',
  html: '<p>For builders.</p>',
  excerpt: 'Builders',
  publicationId: 'pub_e',
};
const internal = {
  persona: 'internal' as const,
  path: inside,
  html: '<p>Among us.</p>',
  excerpt: 'Us',
  publicationId: 'pub_i',
};
/**
 * Fields of notes in the form of earlier releases of Tidings. These releases published the notes of all personas on one
 * page per version. They stored one line (`summary`), made from the draft's flags, where newer releases store an
 * excerpt of the notes.
 */
const former = { path: undefined, excerpt: undefined, summary: 'Flags' };

const lists = ['', 'atom.xml', 'feed.json'];
const below = (path: string): string => `/notes/acme/rocket/${path}`;

/**
 * Returns the texts that anyone can find: the list and both feeds. The version of the stylesheet is left out, because its
 * random letters can contain a word that is searched for.
 */
async function listed(pages: TestPages): Promise<string> {
  const texts = [];
  for (const path of lists) texts.push((await pages.get(below(path))).body);
  return texts.join('\n').replace(/style\.css\?v=[\w-]+/, 'style.css');
}

async function text(pages: TestPages, path: string): Promise<string> {
  const { status, body } = await pages.get(below(path));
  return status === 200 ? (/<\/header>\n(.*)\n<\/article>/s.exec(body)?.[1] ?? '') : String(status);
}

test('each persona has its own page, which no other persona replaces', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  for (const note of [customers, engineers, internal]) await pages.note(id, note);
  const all = async () => [
    await text(pages, 'v1.0.0'),
    await text(pages, 'v1.0.0/engineer'),
    await text(pages, `v1.0.0/${inside}`),
  ];
  assert.deepEqual(await all(), ['<p>For all.</p>', '<p>For builders.</p>', '<p>Among us.</p>']);
  await pages.note(id, { ...engineers, html: '<p>Again.</p>' });
  assert.deepEqual(await all(), ['<p>For all.</p>', '<p>Again.</p>', '<p>Among us.</p>']);
  await pages.remove(id, { publicationId: 'pub_c' });
  assert.deepEqual(await all(), ['404', '<p>Again.</p>', '<p>Among us.</p>']);
  for (const note of [engineers, internal]) await pages.remove(id, note);
  assert.deepEqual(await all(), ['404', '404', '404']);
});

test('the customers’ and the engineers’ page of a version link each other', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, customers);
  assert.doesNotMatch((await pages.get(below('v1.0.0'))).body, /Notes for/);
  await pages.note(id, engineers);
  await pages.note(id, internal);
  const own = (await pages.get(below('v1.0.0'))).body;
  assert.match(own, /<a href="\.\/v1\.0\.0\/engineer">Notes for engineers<\/a>/);
  const other = (await pages.get(below('v1.0.0/engineer'))).body;
  assert.match(other, /<a href="\.\.\/v1\.0\.0">Notes for customers<\/a>/);
  assert.match(other, /<title>v1\.0\.0, for engineers · /);
  for (const body of [own, other]) assert.doesNotMatch(body, /internal|noindex/i);
});

test('lists and feeds show the customers’ note, else the engineers’, and never an internal one', async (t) => {
  const pages = await startPages(t, 'https://notes.test');
  const id = await pages.repository();
  await pages.note(id, { ...internal, date: at + 3 });
  assert.match((await pages.get(below(''))).body, /Nothing is published yet/);
  assert.doesNotMatch(await listed(pages), /v1\.0\.0|Us|Among/);
  await pages.note(id, { ...engineers, date: at + 2 });
  const first = await listed(pages);
  assert.match(
    first,
    /<a href="\.\/v1\.0\.0\/engineer">v1\.0\.0<\/a><\/h2>\n.* · For engineers<\/p>\n<p>Builders<\/p>/,
  );
  assert.match(first, /<id>https:\/\/notes\.test\/notes\/acme\/rocket\/v1\.0\.0\/engineer<\/id>/);
  assert.match(first, /"title": "v1\.0\.0, for engineers"/);
  await pages.note(id, { ...customers, date: at });
  const second = await listed(pages);
  assert.match(second, /<a href="\.\/v1\.0\.0">v1\.0\.0<\/a><\/h2>/);
  assert.equal(second.match(/<h2>/g)?.length, 1);
  assert.doesNotMatch(second, /engineer|Builders|Us|Among/i);
  await pages.remove(id, { publicationId: 'pub_c' });
  assert.equal(await listed(pages), first);
  await pages.remove(id, engineers);
  assert.match((await pages.get(below(''))).body, /Nothing is published yet/);
});

test('an internal page is readable at its secret address, and search engines do not list it', async (t) => {
  const pages = await startPages(t, 'https://notes.test');
  const id = await pages.repository();
  await pages.note(id, customers);
  await pages.note(id, internal);
  const { status, body, headers } = await pages.get(below(`v1.0.0/${inside}`));
  assert.equal(status, 200);
  assert.match(body, /<meta name="robots" content="noindex">/);
  assert.doesNotMatch(body, /rel="canonical"|rel="(?:prev|next)"/);
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.equal(headers.get('cache-control'), 'private, max-age=60');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
});

test('a guessed or wrong address of a persona returns the usual 404', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, internal);
  const guesses = ['', '/engineer', '/internal', '/internal/', '/customer', `/internal/${'A'.repeat(22)}`];
  guesses.push(`/${inside.slice(0, -1)}`, `/${inside}x`, `/${inside.toUpperCase()}`, `/${inside}/`, `%2F${inside}`);
  const unknown = await pages.get('/notes/acme/nothing/v1');
  // How far up the links of the page lead depends on the requested address alone.
  const withoutDepth = (page: string) => page.replace(/(?:\.\.?\/)+/g, '');
  for (const guess of guesses) {
    const { status, body, headers } = await pages.get(below(`v1.0.0${guess}`));
    assert.equal(status, 404, guess);
    assert.equal(withoutDepth(body), withoutDepth(unknown.body), guess);
    assert.equal(headers.get('cache-control'), 'no-store');
  }
});

test('the address of an internal page contains 132 bits of the secret', () => {
  assert.match(inside, /^internal\/[\w-]{22}$/);
  assert.ok(secret.startsWith(inside.slice('internal/'.length)));
  assert.deepEqual([personaPath('engineer', secret), personaPath('customer', secret)], ['engineer', undefined]);
});

test('unlisted pages need their key for every persona', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  const key = 'k'.repeat(20);
  for (const note of [customers, engineers, internal]) await pages.note(id, note);
  await pages.settings(id, { visibility: 'unlisted', key });
  for (const path of ['v1.0.0', 'v1.0.0/engineer', `v1.0.0/${inside}`])
    assert.deepEqual(
      [(await pages.get(below(path))).status, (await pages.get(below(`${path}?key=${key}`))).status],
      [404, 200],
    );
  await pages.settings(id, { visibility: 'off' });
  assert.equal((await pages.get(below(`v1.0.0/${inside}?key=${key}`))).status, 404);
});

test('an engineers’ note of an earlier release stays on the version’s page until it gets its own page', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { ...engineers, ...former });
  assert.equal(await text(pages, 'v1.0.0'), '<p>For builders.</p>');
  assert.match(await listed(pages), /<a href="\.\/v1\.0\.0">/);
  await pages.note(id, { ...engineers, html: '<p>Moved.</p>', publicationId: 'pub_f' });
  const { status, headers } = await pages.get(below('v1.0.0'));
  assert.deepEqual([status, headers.get('location')], [307, './v1.0.0/engineer']);
  assert.equal(await text(pages, 'v1.0.0/engineer'), '<p>Moved.</p>');
  assert.match(await listed(pages), /<a href="\.\/v1\.0\.0\/engineer">/);
  assert.doesNotMatch(await listed(pages), /For builders\./);
  await pages.remove(id, { publicationId: 'pub_e' });
  assert.equal(await text(pages, 'v1.0.0/engineer'), '<p>Moved.</p>', 'the former publication no longer has a page');
  await pages.note(id, customers);
  assert.equal(await text(pages, 'v1.0.0'), '<p>For all.</p>');
  await pages.remove(id, { publicationId: 'pub_c' });
  await pages.remove(id, { ...engineers, publicationId: 'pub_f' });
  assert.deepEqual([await text(pages, 'v1.0.0'), await text(pages, 'v1.0.0/engineer')], ['404', '404']);
});

test('removing the publication of a moved page also removes its former address', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { ...engineers, ...former });
  await pages.note(id, { ...engineers, publicationId: 'pub_f' });
  await pages.remove(id, { ...engineers, publicationId: 'pub_f' });
  assert.deepEqual([await text(pages, 'v1.0.0'), await text(pages, 'v1.0.0/engineer')], ['404', '404']);
  assert.match((await pages.get(below(''))).body, /Nothing is published yet/);
});

test('an internal note of an earlier release stays readable, is not listed, and reveals no new address', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { ...internal, ...former });
  const { body, headers } = await pages.get(below('v1.0.0'));
  assert.match(body, /Among us\./);
  assert.match(body, /<meta name="robots" content="noindex">/);
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.doesNotMatch(await listed(pages), /v1\.0\.0/);
  await pages.note(id, engineers);
  assert.match(await listed(pages), /v1\.0\.0\/engineer/);
  await pages.note(id, internal);
  assert.equal(await text(pages, 'v1.0.0'), '404', 'a guessed version is not redirected');
  assert.equal(await text(pages, `v1.0.0/${inside}`), '<p>Among us.</p>');
});

test('an old internal publication is removed while lists show the engineers’ note', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { ...internal, ...former });
  await pages.note(id, engineers);
  await pages.remove(id, { publicationId: 'pub_i' });
  assert.equal(await text(pages, 'v1.0.0'), '404');
  assert.match(await listed(pages), /v1\.0\.0\/engineer/);
});
