/**
 * Serves `GET /docs`: the API reference, a page on which requests can be tried. swagger-ui-dist renders the page from
 * the OpenAPI document. This service serves all files of the page, and the page may send requests to this service only.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Asset } from '../http/asset.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import { referenceScript, referenceStyle } from './docs-files.ts';
import { head } from './html.ts';

/** Path of the page. */
export const docsPath = '/docs';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The files of the page in loading order. The page refers to the files by relative addresses. Therefore, a proxy may
 * serve the page below another path.
 */
const files = [
  {
    path: 'docs/swagger-ui.css',
    type: 'text/css; charset=utf-8',
    read: () => packaged(import.meta.resolve('swagger-ui-dist/swagger-ui.css')),
  },
  { path: 'docs/page.css', type: 'text/css; charset=utf-8', read: () => referenceStyle },
  {
    path: 'docs/swagger-ui-bundle.js',
    type: 'text/javascript; charset=utf-8',
    read: () => packaged(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  { path: 'docs/start.js', type: 'text/javascript; charset=utf-8', read: () => referenceScript },
];

/** Returns the link to an operation on the page. The page describes the operation and its errors. */
export function helpFor(tag: string, operation: string): string {
  return `${docsPath}#/${tag}/${operation}`;
}

/** Returns the routes of the page and its files. */
export function docsRoutes(): HttpRoute[] {
  const assets = files.map(({ path, type, read }) => ({ path, asset: new Asset(type, read(), pageHeaders(policy)) }));
  const addresses = assets.map(({ path, asset }) => `${path}?v=${asset.version}`);
  const page = new Asset('text/html; charset=utf-8', pageWith(addresses), pageHeaders(policy));
  return [page.route(docsPath), ...assets.map(({ path, asset }) => asset.route(`/${path}`))];
}

function packaged(address: string): Buffer {
  return readFileSync(fileURLToPath(address));
}

function pageWith(addresses: readonly string[]): string {
  const styles = addresses.filter((address) => address.includes('.css'));
  const scripts = addresses.filter((address) => !address.includes('.css'));
  return `${head('en', [
    '<title>Tidings API</title>',
    ...styles.map((address) => `<link rel="stylesheet" href="${address}">`),
  ])}
<nav class="documents" aria-label="Documents">
<a href="docs/guide">Guide</a>
<a href="api/openapi.json">OpenAPI document</a>
<a href="sdk/tidings-client.tgz">Client package</a>
</nav>
<div id="reference"></div>
${scripts.map((address) => `<script src="${address}"></script>`).join('\n')}
</body>
</html>
`;
}
