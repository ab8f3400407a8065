/**
 * `GET /docs`: the API's reference as a page to read and try, made by swagger-ui-dist from the OpenAPI document. All files come
 * from this service, and the page may talk to nobody else.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Exchange } from './http/exchange.ts';
import { pageHeaders } from './http/page-headers.ts';
import type { HttpRoute } from './http/server.ts';

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

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tidings API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** A validator of its own choice would be told the document's address. Keys are not kept in the browser. Light or dark is the reader's choice. */
const start = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
});
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

/** No operation has links to others: their empty column would push the page wider than a narrow window. */
const style = `.swagger-ui .response-col_links { display: none; }
.swagger-ui .responses-inner pre { overflow-wrap: anywhere; white-space: pre-wrap; }
html.dark-mode .swagger-ui .headers td { color: #e4e6e6; }
`;

/** Files of the package, with their addresses and types. */
const packaged = [
  {
    path: '/docs/swagger-ui.css',
    type: 'text/css; charset=utf-8',
    file: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  },
  {
    path: '/docs/swagger-ui-bundle.js',
    type: 'text/javascript; charset=utf-8',
    file: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  },
];

/** The place on the page where an operation and its refusals are explained. */
export function helpFor(tag: string, operation: string): string {
  return `${docsPath}#/${tag}/${operation}`;
}

/** The routes of the page and its files. */
export function docsRoutes(): HttpRoute[] {
  return [
    route(docsPath, (exchange) => send(exchange, 'text/html; charset=utf-8', page)),
    route('/docs/page.css', (exchange) => send(exchange, 'text/css; charset=utf-8', style)),
    route('/docs/start.js', (exchange) => send(exchange, 'text/javascript; charset=utf-8', start)),
    ...packaged.map(({ path, type, file }) => {
      let bytes: Buffer | undefined;
      return route(path, (exchange) => {
        bytes ??= readFileSync(fileURLToPath(file));
        send(exchange, type, bytes);
      });
    }),
  ];
}

function route(path: string, handle: (exchange: Exchange) => void): HttpRoute {
  return { method: 'GET', path, handle };
}

function send(exchange: Exchange, type: string, body: string | Buffer): void {
  exchange.reply(200, type, body, [...pageHeaders(policy), 'Cache-Control', 'no-cache']);
}
