/**
 * Serves the dashboard, a program for browsers. The page is sent at `GET /` and at each address below `/app/`, because
 * the program itself shows the screen of an address. Its files are below `/assets/`. All files are read once, when the
 * service starts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { digestOf, isKnown, toEtag } from '../foundation/etag.ts';
import { Asset } from '../http/asset.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';

const builtFolder = new URL('../../dashboard/files/', import.meta.url);

/**
 * Returns the Content-Security-Policy of the dashboard. Nothing comes from other servers, and no script is in the page.
 * @param formTargets origins that forms may be sent to besides this service
 */
function policyFor(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ["form-action 'self'", ...formTargets.filter(isPlainOrigin)].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Whether an origin of the settings contains no character that ends a directive or matches other hosts. */
function isPlainOrigin(origin: string): boolean {
  return /^https?:\/\/([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(origin);
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Returns the routes of the dashboard; an empty list if the build has not made its files.
 * @param formTargets origins of the hosts on which the dashboard creates apps
 */
export function dashboardRoutes(formTargets: readonly string[] = [], folder: URL = builtFolder): HttpRoute[] {
  if (!existsSync(new URL('index.html', folder))) return [];
  const headers = [...pageHeaders(policyFor(formTargets)), 'Cross-Origin-Opener-Policy', 'same-origin'];
  const template = readFileSync(new URL('index.html', folder), 'utf8');
  const sendPage = (exchange: Exchange): void => {
    const body = template.replaceAll('{{root}}', pathToRoot(exchange.url));
    const etag = toEtag(digestOf(body));
    const all = [...headers, 'Cache-Control', 'no-cache', 'ETag', etag, 'X-Robots-Tag', 'noindex'];
    if (isKnown(exchange.headers['if-none-match'], etag)) exchange.reply(304, '', '', all);
    else exchange.reply(200, 'text/html; charset=utf-8', body, all);
  };
  const pages = ['/', '/app', '/app/*'].map((path): HttpRoute => ({ method: 'GET', path, handle: sendPage }));
  const assets = readdirSync(folder)
    .filter((name) => extname(name) in types && name !== 'index.html')
    .map((name) => {
      const read = (suffix: string): Buffer => readFileSync(new URL(name + suffix, folder));
      const encoded = { br: read('.br'), gzip: read('.gz') };
      const asset = new Asset(types[extname(name)] as string, read(''), headers, { encoded, isNamedByDigest: true });
      return asset.route(`/assets/${name}`);
    });
  return [...pages, ...assets];
}

/**
 * Returns the relative link from a page to the root of the service, `../` for `/app/repositories`. Such links work
 * behind a proxy that serves the service below another path.
 */
function pathToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}
