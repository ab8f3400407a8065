/** Tests how the dashboard is served: its addresses, headers, encodings and size. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { startServer } from '../../../src/http/server.ts';
import { dashboardRoutes } from '../../../src/pages/dashboard.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { send } from '../../helpers/proxy.ts';

const folder = new URL('../../../dashboard/files/', import.meta.url);
const names = readdirSync(folder);
const nameOf = (start: string, end: string): string =>
  names.find((name) => name.startsWith(start) && name.endsWith(end)) as string;
const script = nameOf('dashboard-', '.js');
const style = nameOf('style-', '.css');

/** Returns scripts with those that they import before they run. */
function withImports(found: Set<string>): Set<string> {
  for (const name of found) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g))
      found.add(imported as string);
  }
  return found;
}

async function start(t: TestContext): Promise<string> {
  const server = await startServer('127.0.0.1', 0, dashboardRoutes(), pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  return `http://127.0.0.1:${server.port}`;
}

test('every address of the dashboard gets the same page, with links that are relative to the address', async (t) => {
  const url = await start(t);
  for (const [path, root] of [
    ['/', './'],
    ['/app', './'],
    ['/app/', '../'],
    ['/app/repositories', '../'],
    ['/app/repositories/repo_1/releases?x=/a/b', '../../../'],
    ['/app/x/%22%3E%3Cscript%3E', '../../'],
  ] as const) {
    const { status, headers, body } = await send(url + path);
    const html = body.toString('utf8');
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.ok(html.includes(`src="${root}assets/${script}"`), `${path}: ${html}`);
    assert.ok(html.includes(`href="${root}assets/${style}"`), path);
    assert.doesNotMatch(html, /\{\{|<script>|\bstyle=|\bon\w+=/);
  }
  for (const path of ['/apps', '/assets/', '/assets/index.html', `/assets/${script}.br`, '/assets/../dashboard.js'])
    assert.equal((await send(url + path)).status, 404, path);
});

test('the page and its files have the policies of the dashboard', async (t) => {
  const url = await start(t);
  for (const path of ['/', '/app/repositories', `/assets/${script}`, `/assets/${style}`]) {
    const { headers } = await send(url + path);
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      path,
    );
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin', path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
  }
});

test('files are sent in the encoding that the browser prefers, and may be kept for ever', async (t) => {
  const url = await start(t);
  const plain = readFileSync(new URL(script, folder));
  for (const [encoding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await send(`${url}/assets/${script}`, { headers: { 'accept-encoding': encoding } });
    assert.equal(headers['content-encoding'], encoding);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.ok(decode(body).equals(plain), encoding);
  }
  const { headers, body } = await send(`${url}/assets/${script}`);
  assert.equal(headers['content-encoding'], undefined);
  assert.ok(body.equals(plain));
});

test('the page is asked for again each time, and costs nothing while it is the same', async (t) => {
  const url = await start(t);
  const { headers } = await send(`${url}/app/repositories`);
  assert.equal(headers['cache-control'], 'no-cache');
  const again = await send(`${url}/app/repositories`, { headers: { 'if-none-match': headers.etag as string } });
  assert.deepEqual([again.status, again.body.length], [304, 0]);
  const elsewhere = await send(`${url}/`, { headers: { 'if-none-match': headers.etag as string } });
  assert.equal(elsewhere.status, 200, 'its links differ');
});

test('the first screen loads at most 60 kB compressed, and what people open rarely at most 50 kB', (t) => {
  const size = (name: string): number => statSync(new URL(`${name}.gz`, folder)).size;
  const scripts = names.filter((name) => name.endsWith('.js'));
  const page = readFileSync(new URL('index.html', folder), 'utf8');
  const preloaded = [...page.matchAll(/assets\/([\w-]+\.js)/g)].map(([, name]) => name as string);
  const first = [...withImports(new Set([script, ...preloaded])), style];
  const sum = (files: readonly string[]): number => files.reduce((bytes, name) => bytes + size(name), 0);
  t.diagnostic(
    `${sum(first)} bytes at first, ${sum([...scripts, style])} bytes in ${scripts.length} scripts and a style`,
  );
  assert.ok(sum(first) <= 60_000, `${first.map((name) => `${name}: ${size(name)}`)}`);
  const rare = scripts.filter((name) => !first.includes(name));
  assert.ok(sum(rare) <= 50_000, `${rare.map((name) => `${name}: ${size(name)}`)}`);
});

/** Servers that the dashboard names: namespaces of XML, links that a person follows, and examples in forms. */
const named = [
  'www.w3.org',
  'www.standardwebhooks.com',
  ...['docs.example.com', 'hooks.example.com', 'hooks.slack.com', 'slack.com'],
  ...['api.intercom.io', 'api.eu.intercom.io'],
];

test('the files of the dashboard name no other server or source map, and the packages in them are credited', () => {
  assert.ok(!names.some((name) => name.includes('.map')));
  for (const name of names.filter((each) => /\.(js|css|html)$/.test(each))) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    assert.doesNotMatch(text, /sourceMappingURL|["'(]\/\/[a-z][\w-]*\.|@import/, name);
    const servers = [...text.matchAll(/https?:\/\/([a-z][a-z\d-]*(?:\.[a-z\d-]+)+)/g)].map(([, server]) => server);
    assert.deepEqual(
      servers.filter((server) => !named.includes(server as string)),
      [],
      name,
    );
  }
  const licenses = readFileSync(new URL(nameOf('licenses-', '.txt'), folder), 'utf8');
  for (const name of ['preact', '@preact/signals', '@preact/signals-core', 'wouter-preact', 'regexparam'])
    assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'), name);
  assert.match(licenses, /Permission is hereby granted/);
});

test('without the files of the build there are no routes', () => {
  const missing = new URL('missing/', folder);
  assert.ok(!existsSync(missing));
  assert.deepEqual(dashboardRoutes([], missing), []);
});

test('forms may go to the given hosts only, and an origin cannot add a directive', async (t) => {
  const targets = [
    'https://github.com',
    'http://127.0.0.1:3000',
    "https://x.example;script-src 'unsafe-inline'",
    'https://*',
  ];
  const server = await startServer('127.0.0.1', 0, dashboardRoutes(targets), pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  const reply = await fetch(`http://127.0.0.1:${server.port}/app/settings`);
  const policy = reply.headers.get('content-security-policy') ?? '';
  const directives = policy.split('; ');
  assert.ok(directives.includes("form-action 'self' https://github.com http://127.0.0.1:3000"), policy);
  assert.equal(directives.filter((each) => each.startsWith('script-src')).length, 1);
});
