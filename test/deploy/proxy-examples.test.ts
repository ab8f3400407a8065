/**
 * Tests the reverse proxy examples of the handbook: they forward every route of the gateway, and forward nothing to the
 * operations port.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type SettingEntry, settingEntries } from '../../config/load.ts';
import { documentRoute } from '../../src/api/document.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { docsRoutes } from '../../src/pages/docs-page.ts';
import { pageRoutes } from '../../src/pages/routes.ts';
import { unsubscribeRoutes } from '../../src/pages/unsubscribe-page.ts';
import { exampleOf } from '../helpers/proxy.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const settings = Object.fromEntries(settingEntries.map(({ name, ...entry }) => [name, entry.default]));

/** Paths that the gateway serves. No route is called here, so the dependencies of the routes are left undefined. */
const paths = [
  '/',
  '/api/webhooks/scm',
  ...[
    ...apiRoutes,
    documentRoute(apiRoutes),
    ...docsRoutes(),
    ...pageRoutes(undefined as never, settings as never),
    ...unsubscribeRoutes(undefined as never, undefined as never, undefined as never),
  ].map(({ path }) => path.replace(/:\w+/g, 'x').replace('*', 'acme/rocket/atom.xml')),
];

function defaultOf(variable: string): number {
  return (settingEntries.find(({ env }) => env === variable) as SettingEntry).default as number;
}

/**
 * Returns a map of the locations in an nginx configuration. Each key is the prefix of a location. The value is true if
 * the location forwards requests.
 */
function locationsOf(config: string): Map<string, boolean> {
  const blocks = config.matchAll(/location (\S+) \{([^}]*)\}/g);
  return new Map(
    [...blocks].map(([, prefix, body]) => [prefix as string, /proxy_pass http:\/\/tidings;/.test(body ?? '')]),
  );
}

/** Whether nginx forwards a path. The location with the longest prefix decides. */
function isSentOn(locations: ReadonlyMap<string, boolean>, path: string): boolean {
  const prefixes = [...locations.keys()].filter((prefix) => path.startsWith(prefix));
  const longest = prefixes.sort((a, b) => b.length - a.length)[0];
  return longest !== undefined && locations.get(longest) === true;
}

test('nginx forwards every route', () => {
  const config = exampleOf('nginx');
  const locations = locationsOf(config);
  assert.ok(paths.length > 60 && locations.size > 0);
  assert.deepEqual(
    paths.filter((path) => !isSentOn(locations, path)),
    [],
  );
  // Shows that the check above can fail: a configuration that forwards only the API does not forward the paths below.
  const apiOnly = locationsOf('location /api/ {\n proxy_pass http://tidings;\n}');
  const left = paths.filter((path) => !isSentOn(apiOnly, path));
  for (const path of ['/', '/docs', '/notes/acme/rocket/atom.xml', '/unsubscribe/x'])
    assert.ok(left.includes(path), path);
});

test('nginx accepts bodies of the default maximum size and closes idle connections before the service does', () => {
  const config = exampleOf('nginx');
  const [, megabytes] = /client_max_body_size (\d+)m;/.exec(config) ?? [];
  assert.equal(Number(megabytes) * 1_048_576, defaultOf('TIDINGS_MAX_BODY_BYTES'));
  const [, idle] = /keepalive_timeout (\d+)s;/.exec(config) ?? [];
  assert.ok(Number(idle) < 10);
  for (const header of ['Host', 'X-Forwarded-For', 'X-Forwarded-Proto'])
    assert.match(config, new RegExp(`proxy_set_header ${header} \\$`));
});

test('Caddy forwards all paths, and deploy/Caddyfile equals the example', () => {
  const example = exampleOf('caddy');
  // Caddy's directive has no matcher, so it applies to all paths.
  assert.match(example, /^\treverse_proxy 127\.0\.0\.1:8080 \{$/m);
  assert.doesNotMatch(example, /^\s*(handle|route|@\w+|respond)\b/m);
  assert.match(example, /max_size 25MiB/);
  const deployed = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8').replace(/^#.*\n/gm, '');
  const expected = example.replace('tidings.example.com', '{$SITE}').replace('127.0.0.1:8080', 'tidings:8080');
  assert.equal(deployed, expected);
});

test('no proxy example forwards to the operations port', () => {
  const port = String(defaultOf('TIDINGS_OPS_PORT'));
  for (const name of ['nginx', 'caddy'] as const) {
    const example = exampleOf(name);
    assert.ok(!example.includes(port) && example.includes(`127.0.0.1:${defaultOf('TIDINGS_PORT')}`), name);
  }
});
