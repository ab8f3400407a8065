/** Tests the search in the notes of a repository: its results, its bounds, and what it must not find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Exchange } from '../../../src/http/exchange.ts';
import { startServer } from '../../../src/http/server.ts';
import { replyTo } from '../../../src/pages/replies.ts';
import { comparable } from '../../../src/pages/search.ts';
import { SearchLimiter } from '../../../src/pages/search-limiter.ts';
import { type Reply, sendPage } from '../../../src/pages/send.ts';
import { WorkLimiter } from '../../../src/pages/work-limiter.ts';
import type { RepositoryRecord } from '../../../src/protocol/stored.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { at, startPages, type TestPages } from '../../helpers/pages.ts';
import { freePort } from '../../helpers/ports.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const home = '/notes/acme/rocket/';
const key = 'k'.repeat(20);

/** Searches until the limit of searches allows it. Returns the found versions and the reply. */
async function search(pages: TestPages, text: string, more = '', path = home) {
  let reply = await pages.get(`${path}?q=${encodeURIComponent(text)}${more}`);
  await waitUntil('the search is carried out', async () => {
    if (reply.status === 429) reply = await pages.get(`${path}?q=${encodeURIComponent(text)}${more}`);
    return reply.status !== 429;
  });
  const found = [...reply.body.matchAll(/<h2><a href="[^"]*">(.*?)<\/a>/g)].map(([, version]) => version);
  return { ...reply, found };
}

test('a search finds the versions whose names or texts contain all words', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { version: 'v1', date: at, html: '<p>Faster <strong>start</strong> &amp; &lt;stop&gt;</p>' });
  await pages.note(id, {
    version: 'v2',
    date: at + 1,
    html: '<p>A faster stop. <a href="https://href.test/">Café</a></p>',
  });
  for (const [text, found] of [
    ['FASTER', ['v2', 'v1']],
    ['stop faster', ['v2', 'v1']],
    ['start', ['v1']],
    ['& <stop>', ['v1']],
    ['v2 faster', ['v2']],
    ['cafe\u0301', ['v2']],
    ['href', []],
    ['amp', []],
    ['strong', []],
    ['nowhere', []],
    ['', []],
  ] as const) {
    const result = await search(pages, text);
    assert.equal(result.status, 200, text);
    assert.deepEqual(result.found, found, text);
  }
});

test('the page of a search repeats the text, has a policy for its form, and is not listed', async (t) => {
  const pages = await startPages(t, 'https://notes.test');
  const id = await pages.repository();
  await pages.note(id);
  assert.doesNotMatch((await pages.get(home)).body, /<form/, 'one note needs no search');
  await pages.note(id, { version: 'v2' });
  const list = await pages.get(home);
  assert.match(list.body, /<form class="search" role="search" action="\.\/" method="get">/);
  assert.match(list.headers.get('content-security-policy') ?? '', /form-action 'self'; frame-ancestors 'none'$/);
  assert.match((await pages.get(`${home}v2`)).headers.get('content-security-policy') ?? '', /form-action 'none'/);
  const { body, headers } = await search(pages, '"><script>x');
  assert.match(body, /value="&quot;&gt;&lt;script&gt;x"/);
  assert.doesNotMatch(body, /<script|canonical/);
  assert.match(body, /<meta name="robots" content="noindex">/);
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  assert.match((await search(pages, 'x'.repeat(2000))).body, /value="x{100}"/);
});

test('a search finds only notes that lists show, and only for readers who may see them', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  await pages.note(id, { html: '<p>For all.</p>' });
  await pages.note(id, { persona: 'internal', path: `internal/${'x'.repeat(22)}`, html: '<p>Among us.</p>' });
  await pages.note(id, { version: 'v2', persona: 'engineer', path: 'engineer', html: '<p>For builders.</p>' });
  assert.deepEqual((await search(pages, 'among')).found, []);
  assert.deepEqual((await search(pages, 'builders')).found, ['v2']);
  await pages.settings(id, { visibility: 'unlisted', key });
  assert.equal((await pages.get(`${home}?q=all`)).status, 404);
  const own = await search(pages, 'all', `&key=${key}`);
  assert.deepEqual(own.found, ['v1.0.0']);
  assert.match(own.body, new RegExp(`<input type="hidden" name="key" value="${key}">`));
});

test('a search reads a bounded number of notes and characters', async (t) => {
  const pages = await startPages(t);
  const id = await pages.repository();
  const long = `<p>${'x'.repeat(600_000)} end</p>`;
  for (let i = 0; i < 3; i++) await pages.note(id, { version: `v${i}`, date: at + i, html: long });
  const { found, body } = await search(pages, 'end');
  assert.deepEqual(found, ['v2'], 'the second note is read in part, the third one not at all');
  assert.match(body, /Older versions were not searched\./);
  const many = await pages.repository({ fullName: 'acme/many' }, 1);
  for (let i = 0; i < 205; i++) await pages.note(many, { version: `v${i}`, date: at + i, html: `<p>n${i}</p>` });
  const rocket = (text: string) => pages.get(`/notes/acme/many/?q=${text}`);
  await waitUntil('a search among many is carried out', async () => (await rocket('n5')).status === 200);
  const reply = await waitUntil('the oldest is not found', async () => {
    const { status, body: page } = await rocket('n4');
    return status === 200 && page;
  });
  assert.doesNotMatch(String(reply), />v4</);
});

test('a search during the pause is refused with the time of the next one', async (t) => {
  let now = 0;
  const searches = new SearchLimiter(() => now);
  searches.run('repo_1', () => {
    now += 150;
  });
  now += 200;
  const repository = { id: 'repo_1', fullName: 'acme/rocket' } as RepositoryRecord;
  const pages = { repository, settings: { visibility: 'public' as const }, partition: undefined as never };
  const asked = { rest: '', page: null, search: 'x', searches, logoVersion: null, service: '', isPublic: false };
  const reply = replyTo(pages, { ...asked, stylesheet: 's' });
  assert.ok(typeof reply === 'object');
  const route = { method: 'GET', path: '/', handle: (exchange: Exchange) => sendPage(exchange, reply) } as const;
  const server = await startServer('127.0.0.1', await freePort(), [route], pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '5']);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('content-security-policy') ?? '', /form-action 'self'/);
  assert.match(await response.text(), /value="x"[\s\S]*Search again in 5 seconds\./);
  assert.equal((replyTo(pages, { ...asked, search: ' ', stylesheet: 's' }) as Reply).retryAfter, undefined);
});

test('a repository that is searched too much does not stop the search of others, but all together are limited', () => {
  let now = 0;
  const limiter = new SearchLimiter(() => now);
  const search = (repository: number) =>
    limiter.run(`repo_${repository}`, () => {
      now += 100;
    });
  assert.equal(search(1), 0);
  // 100 ms were spent and 50 ms were saved up, so 50 ms are missing. They come in within 50 × 50 ms.
  assert.equal(search(1), 2500);
  assert.equal(search(2), 0);
  assert.equal(search(3), 0);
  const wait = search(4);
  assert.ok(wait > 0 && wait <= 1000, String(wait));
  now += wait + 1;
  assert.equal(search(4), 0);
  for (let at = 10; at < 1100; at++) {
    now += 2_001;
    assert.equal(search(at), 0);
  }
  assert.equal(search(1099) > 0, true, 'the budget of the last repositories is kept');
});

test('a failed search counts too', () => {
  let now = 0;
  const limiter = new SearchLimiter(() => now);
  const fail = () =>
    limiter.run('repo_1', () => {
      now += 100;
      throw new Error('no store');
    });
  assert.throws(fail, /no store/);
  assert.ok(limiter.run('repo_1', () => {}) > 0);
});

test('a page says which limit of a search was reached', async (t) => {
  const pages = await startPages(t);
  const one = await pages.repository();
  await pages.note(one, { html: `<p>${'x'.repeat(1_100_000)} end</p>` });
  const many = await pages.repository({ fullName: 'acme/many' }, 1);
  for (let i = 0; i < 51; i++) await pages.note(many, { version: `v${i}`, date: at + i, html: '<p>a</p><p>b</p>' });
  const get = (text: string) => search(pages, text, '', '/notes/acme/many/');
  assert.match((await search(pages, 'end')).body, /No version found for “end”\. The end of the oldest note was not/);
  assert.match((await get('a b')).body, /More than 50 versions found for “a b”\. The newest 50 are shown\./);
  assert.match((await get('v0')).body, /1 version found for “v0”\. </);
  assert.match((await get('ab')).body, /No version found for “ab”\. </);
  assert.match((await get(' ')).body, /Enter words to search for\./);
});

test('texts are compared without regard to case and form, and by the first marks of a letter', () => {
  assert.equal(comparable('CAFE\u0301 ﬁx Ｗ'), 'café fix w');
  assert.equal(comparable('a\u0323\u0301'), comparable('a\u0301\u0323'));
  assert.equal(comparable(`a${'\u20d0'.repeat(8)}b`), `a${'\u20d0'.repeat(8)}b`);
  assert.equal(comparable(`a${'\u0301\u0323'.repeat(50)}b`), comparable(`a${'\u0301\u0323'.repeat(4)}b`));
  assert.equal(comparable('か\uff9e'), 'が');
});

test('work that was slow rests for a multiple of its time', () => {
  let runs = 0;
  const limiter = new WorkLimiter(0, 1000);
  const work = (): void => {
    runs += 1;
    for (const end = performance.now() + 20; performance.now() < end; );
  };
  assert.deepEqual([limiter.run(work), limiter.run(work), runs], [true, false, 1]);
});
