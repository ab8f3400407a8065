/**
 * `GET /`: what runs at this address, what is published here, and the next steps of whoever has just started it. It takes no key,
 * so it names nothing that is not public: no settings of the machine, and no repository but those with public notes.
 */
import { escapeHtml } from '../foundation/escape-html.ts';
import { namePath } from '../foundation/page-url.ts';
import { version } from '../foundation/version.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import type { PageFinder, Published } from './find.ts';
import { head, shown, timeTag } from './html.ts';
import { pagePolicy } from './policy.ts';
import { sendPage } from './send.ts';
import { styleVersion } from './style.ts';

/** Addresses on the page that depend on the settings or the request. */
export interface Place {
  /** Address of the service; links on the page are relative, so that they lead right behind any proxy. */
  service: string;
  /** Whether the address is that of the settings, so that others reach it. */
  isPublic: boolean;
}

const mostListed = 50;

/** The routes of the page, and an answer for browsers that ask for an icon. */
export function homeRoutes(finder: PageFinder, placeOf: (exchange: Exchange) => Place): HttpRoute[] {
  const handle = (exchange: Exchange): void => {
    const body = homePage(placeOf(exchange), finder.published(mostListed));
    sendPage(exchange, { type: 'text/html; charset=utf-8', body, isListed: false }, 'no-cache');
  };
  return [
    { method: 'GET', path: '/', handle },
    { method: 'GET', path: '/favicon.ico', handle: noIcon },
  ];
}

/** The page, with the newest version of each repository that has public notes. */
export function homePage({ service, isPublic }: Place, published: readonly Published[]): string {
  const unreachable = isPublic
    ? ''
    : '\n<p>This is the address that your browser asked. A host elsewhere needs the one that it reaches the service at: put it into <code>TIDINGS_PUBLIC_URL</code>.</p>';
  return `${head('en', [
    '<title>Tidings</title>',
    '<meta name="description" content="Release notes from merged pull requests">',
    '<meta name="robots" content="noindex">',
    `<link rel="stylesheet" href="notes/style.css?v=${styleVersion}">`,
  ])}
<main>
<header>
<h1>Tidings</h1>
<p class="date">Version ${escapeHtml(version)}</p>
</header>
<p>Release notes from merged pull requests: a draft for each kind of reader, edited by people, published where they are read.</p>
<ul>
<li><a href="docs/guide">Guide</a> to the API, task by task</li>
<li><a href="docs">API reference</a>, to read and to try, and its <a href="api/openapi.json">OpenAPI document</a></li>
<li><a href="healthz">Health</a> of this service</li>
</ul>
${notesSection(published)}<section aria-labelledby="next">
<h2 id="next">Next steps</h2>
<ol>
<li>
<p>Give your source-code host a webhook, for a repository or for a whole organisation:</p>
<dl>
<dt>Payload URL</dt><dd><code>${escapeHtml(service)}/api/webhooks/scm</code></dd>
<dt>Content type</dt><dd><code>application/json</code></dd>
<dt>Secret</dt><dd>what the file <code>webhook-secret</code> in the data directory holds, or <code>TIDINGS_WEBHOOK_SECRETS</code></dd>
<dt>Events</dt><dd>pull requests, issues, pushes</dd>
</dl>${unreachable}
</li>
<li>
<p>Make a key on the machine that the service runs on:</p>
<pre class="wrap"><code>tidings keys create --org ORGANISATION --name NAME</code></pre>
</li>
<li>
<p>Ask for the repositories that have sent something, then for a range and its drafts:</p>
<pre class="wrap"><code>curl -H "Authorization: Bearer KEY" ${escapeHtml(service)}/api/repos</code></pre>
</li>
<li><p>When something is wrong, <code>tidings doctor</code> says what, and <code>tidings help</code> lists all commands.</p></li>
</ol>
</section>
</main>
</body>
</html>
`;
}

function notesSection(published: readonly Published[]): string {
  if (published.length === 0) return '';
  const items = published.map(({ fullName, version: newest, date }) => {
    const link = `<a href="${escapeHtml(`notes/${namePath(fullName)}/`)}">${shown(fullName)}</a>`;
    return `<li>${link} <span class="date">${shown(newest)}, ${timeTag(date, 'en')}</span></li>`;
  });
  return `<section aria-labelledby="published">
<h2 id="published">Published notes</h2>
<ul>
${items.join('\n')}
</ul>
</section>
`;
}

/** Browsers ask for one on their own. That there is none is no failure to report. */
function noIcon(exchange: Exchange): void {
  exchange.reply(204, '', '', [...pageHeaders(pagePolicy), 'Cache-Control', 'public, max-age=86400']);
}
