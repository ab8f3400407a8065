/**
 * Serves the list of published notes at `GET /notes/`. The page needs no API key, so it shows only public data: the
 * newest version of each repository with public notes.
 */
import { escapeHtml } from '../foundation/escape-html.ts';
import { namePath } from '../foundation/page-url.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import type { PageFinder, Published } from './find.ts';
import { head, shown, timeTag } from './html.ts';
import { pagePolicy } from './policy.ts';
import { sendPage } from './send.ts';
import { styleVersion } from './style.ts';

const maxListed = 50;

/** Makes the routes of the list and of the icon. Browsers request the icon together with a page. */
export function homeRoutes(finder: PageFinder): HttpRoute[] {
  const handle = (exchange: Exchange): void => {
    const body = homePage(finder.published(maxListed));
    sendPage(exchange, { type: 'text/html; charset=utf-8', body, isListed: false, caching: 'no-cache' });
  };
  return [
    { method: 'GET', path: '/notes/', handle },
    { method: 'GET', path: '/favicon.ico', handle: noIcon },
  ];
}

/** Makes the list, with the newest version of each repository that has public notes. Links are relative. */
export function homePage(published: readonly Published[]): string {
  const items = published.map(({ fullName, version, date }) => {
    const link = `<a href="${escapeHtml(`${namePath(fullName)}/`)}">${shown(fullName)}</a>`;
    return `<li>${link} <span class="date">${shown(version)}, ${timeTag(date, 'en')}</span></li>`;
  });
  const list =
    items.length > 0
      ? `<ul class="repositories">\n${items.join('\n')}\n</ul>`
      : '<p>No repository has public notes yet.</p>';
  return `${head('en', [
    '<title>Release notes · Tidings</title>',
    '<meta name="description" content="Published release notes">',
    '<meta name="robots" content="noindex">',
    `<link rel="stylesheet" href="style.css?v=${styleVersion}">`,
  ])}
<main>
<h1>Release notes</h1>
${list}
</main>
<footer>
<p><a href="../">Dashboard</a>, <a href="../docs/guide">guide</a> and <a href="../docs">reference</a> of the API</p>
</footer>
</body>
</html>
`;
}

/** Replies 204 to requests for an icon. Browsers request an icon of every site, so a missing icon is not an error. */
function noIcon(exchange: Exchange): void {
  exchange.reply(204, '', '', [...pageHeaders(pagePolicy), 'Cache-Control', 'public, max-age=86400']);
}
