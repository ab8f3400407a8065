/**
 * Serves the pages at `GET /notes/OWNER/NAME/`: the list of versions, its feeds, and a page for each version and
 * persona. Pages that are unknown, switched off or requested without their key all get the same 404. Reading a page
 * needs no API key and counts towards no limit: a page costs a few table reads, and work in proportion to the size of
 * its note, which is bounded. Searches read many notes, so they are limited.
 */
import { publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { decodedPath, namePath } from '../foundation/page-url.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import type { Readers } from '../store/readers.ts';
import { accentRules } from './accent.ts';
import { PageFinder } from './find.ts';
import { homeRoutes } from './home.ts';
import { missingPage } from './html.ts';
import { pagePolicy } from './policy.ts';
import { type Asked, immutable, pathToRoot, replyTo } from './replies.ts';
import { SearchLimiter } from './search-limiter.ts';
import { sendPage } from './send.ts';
import { style, styleVersion } from './style.ts';

type PageRouteSettings = Pick<Settings, 'publicUrl' | 'host' | 'port' | 'partitions' | 'hostOrigin'>;

const html = 'text/html; charset=utf-8';
const below = '/notes/';
const plainHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Makes the routes of all pages. */
export function pageRoutes(readers: Readers, settings: PageRouteSettings): HttpRoute[] {
  const finder = new PageFinder(readers, settings);
  const searches = new SearchLimiter();
  const handle = (exchange: Exchange): void => {
    const [, owner = '', name = '', rest] = /^\/notes\/([^/]+)\/([^/]+)(?:\/(.*))?$/.exec(exchange.url) ?? [];
    // The reply is a redirect even if the repository does not exist. Therefore, the reply does not reveal which
    // repositories have pages.
    if (rest === undefined && name !== '') return redirect(exchange, 308, `./${name}/`);
    const query = new URLSearchParams(exchange.query);
    const key = query.get('key');
    const fullName = `${decodedPath(owner)}/${decodedPath(name)}`;
    const pages = finder.find(fullName, key);
    const stylesheet = `${pathToRoot(exchange.url.slice(below.length))}style.css?v=${styleVersion}`;
    if (pages && rest !== undefined) {
      const [search, logoVersion] = [query.get('q'), query.get('v')];
      const asked: Asked = {
        ...{ rest, page: query.get('page'), search, searches, logoVersion, stylesheet },
        ...addressOf(settings, exchange),
      };
      const reply = replyTo(pages, asked);
      if (typeof reply === 'string') return redirect(exchange, 307, reply);
      if (reply) return sendPage(exchange, reply);
    }
    const movedTo = pages ? undefined : finder.movedTo(fullName, key);
    if (movedTo !== undefined)
      return redirect(exchange, 308, `${pathToRoot(rest ?? '')}../../${namePath(movedTo)}/${rest ?? ''}`);
    exchange.reply(404, html, missingPage(stylesheet), [...pageHeaders(pagePolicy), 'Cache-Control', 'no-store']);
  };
  return [
    { method: 'GET', path: '/notes/style.css', handle: sendStyle },
    { method: 'GET', path: '/notes/*', handle },
    ...homeRoutes(finder),
  ];
}

/** Returns the address of the service: the public URL in the settings, else the address in the Host header. */
function addressOf(settings: PageRouteSettings, { headers }: Exchange): Pick<Asked, 'service' | 'isPublic'> {
  const { host = '' } = headers;
  const isPublic = settings.publicUrl !== '';
  return { service: isPublic || !plainHost.test(host) ? publicUrlOf(settings) : `http://${host}`, isPublic };
}

/**
 * Sends the stylesheet. With a color in the address, the stylesheet has this accent color. The color is part of the
 * address, so the pages of every repository need only one stylesheet, which browsers may cache permanently.
 */
function sendStyle(exchange: Exchange): void {
  const own = accentRules(new URLSearchParams(exchange.query).get('accent'));
  const caching = ['Cache-Control', `public, ${immutable}`];
  exchange.reply(200, 'text/css; charset=utf-8', style + own, [...pageHeaders(pagePolicy), ...caching]);
}

function redirect(exchange: Exchange, status: 307 | 308, path: string): void {
  const location = exchange.query === '' || path.includes('?') ? path : `${path}?${exchange.query}`;
  // The redirect is cached for a minute only, because another repository can take a former name at any time.
  const caching = ['Cache-Control', `${exchange.query.includes('key=') ? 'private' : 'public'}, max-age=60`];
  exchange.reply(status, '', '', ['Location', location, ...pageHeaders(pagePolicy), ...caching]);
}
