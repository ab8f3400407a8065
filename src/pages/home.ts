/**
 * Serves the start page at `GET /`. The page describes the service, lists the published notes, and explains the next
 * steps after a first start. The page needs no API key, so it shows only public data. It shows no settings of the
 * machine, and only repositories with public notes.
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

/** The service's address, as the page shows it. The address is from the settings or from the request. */
export interface Place {
  /**
   * Address of the service, as text. The page shows this address but does not use it in links. Links are relative, so
   * that they work behind any proxy.
   */
  service: string;
  /** Whether `service` is the public address in the settings, which other people can reach. */
  isPublic: boolean;
}

const maxListed = 50;

/** Makes the routes of the start page and of the icon. Browsers request the icon together with a page. */
export function homeRoutes(finder: PageFinder, placeOf: (exchange: Exchange) => Place): HttpRoute[] {
  const handle = (exchange: Exchange): void => {
    const body = homePage(placeOf(exchange), finder.published(maxListed));
    sendPage(exchange, { type: 'text/html; charset=utf-8', body, isListed: false, caching: 'no-cache' });
  };
  return [
    { method: 'GET', path: '/', handle },
    { method: 'GET', path: '/favicon.ico', handle: noIcon },
  ];
}

/** Makes the start page, with the newest version of each repository that has public notes. */
export function homePage({ service, isPublic }: Place, published: readonly Published[]): string {
  const unreachable = isPublic
    ? ''
    : '\n<p>This is the address that your browser used. A host on another machine needs the public address of the service: set it as <code>TIDINGS_PUBLIC_URL</code>.</p>';
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
<p>Tidings drafts release notes from merged pull requests, one draft for each kind of reader. People edit the drafts and publish them.</p>
<ul>
<li><a href="docs/guide">Guide</a> to the API, task by task</li>
<li><a href="docs">API reference</a>, to read and to try, and its <a href="api/openapi.json">OpenAPI document</a></li>
<li><a href="healthz">Health</a> of this service</li>
</ul>
${notesSection(published)}<section aria-labelledby="next">
<h2 id="next">Next steps</h2>
<ol>
<li>
<p>Give your source-code host a webhook, for a repository or for a whole organization:</p>
<dl>
<dt>Payload URL</dt><dd><code>${escapeHtml(service)}/api/webhooks/scm</code></dd>
<dt>Content type</dt><dd><code>application/json</code></dd>
<dt>Secret</dt><dd>the content of the file <code>webhook-secret</code> in the data directory, or of <code>TIDINGS_WEBHOOK_SECRETS</code></dd>
<dt>Events</dt><dd>pull requests, issues, pushes</dd>
</dl>${unreachable}
</li>
<li>
<p>Create an API key on the machine that the service runs on:</p>
<pre class="wrap"><code>tidings keys create --org ORGANIZATION --name NAME</code></pre>
</li>
<li>
<p>List the repositories that have sent a webhook. Then create a range and generate its drafts:</p>
<pre class="wrap"><code>curl -H "Authorization: Bearer KEY" ${escapeHtml(service)}/api/repos</code></pre>
</li>
<li><p>If something is wrong, <code>tidings doctor</code> reports the cause. <code>tidings help</code> lists all commands.</p></li>
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

/** Replies 204 to requests for an icon. Browsers request an icon of every site, so a missing icon is not an error. */
function noIcon(exchange: Exchange): void {
  exchange.reply(204, '', '', [...pageHeaders(pagePolicy), 'Cache-Control', 'public, max-age=86400']);
}
