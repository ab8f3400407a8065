/**
 * Serves the pages at `GET /notes/OWNER/NAME/`: the list of versions, its feeds, and a page for each version and
 * persona. Pages that are unknown, switched off or requested without their key all get the same 404. Reading a page
 * needs no API key and counts towards no limit, since a page costs only a few table reads.
 */
import { publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { decodedPath, feedNames, feedUrl, namePath, pagesOfPath, pagesUrl, pageUrl } from '../foundation/page-url.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import type { Readers } from '../store/readers.ts';
import {
  countHostedNotes,
  type HostedNote,
  listHostedNotes,
  readEngineersNote,
  readHostedNote,
} from '../store/tables/hosted-notes.ts';
import { atomFeed, type FeedNote, jsonFeed } from './feeds.ts';
import { PageFinder, type Pages } from './find.ts';
import { homeRoutes } from './home.ts';
import { listPage, missingPage, type Site, versionPage } from './html.ts';
import { pagePolicy } from './policy.ts';
import { type Reply, sendPage } from './send.ts';
import { style, styleVersion } from './style.ts';

type PageRouteSettings = Pick<Settings, 'publicUrl' | 'host' | 'port' | 'partitions' | 'hostOrigin'>;

/** A request for a page of a repository. */
interface Asked {
  /** The part of the path below the repository's address, as the client sent it. */
  rest: string;
  page: string | null;
  /** Address of the service, for links that must be absolute. */
  service: string;
  /**
   * Whether `service` is the public URL in the settings. Search engines are given only addresses with the public URL.
   */
  isPublic: boolean;
  stylesheet: string;
}

const listSize = 20;
const feedSize = 20;
/**
 * Maximum total length of the notes in a feed, in characters. Notes beyond this length are shown with their excerpt
 * only.
 */
const maxFeedLength = 2_000_000;
const html = 'text/html; charset=utf-8';
const below = '/notes/';
const plainHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Makes the routes of all pages. */
export function pageRoutes(readers: Readers, settings: PageRouteSettings): HttpRoute[] {
  const finder = new PageFinder(readers, settings);
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
      const asked: Asked = { rest, page: query.get('page'), stylesheet, ...addressOf(settings, exchange) };
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
    ...homeRoutes(finder, (exchange) => addressOf(settings, exchange)),
  ];
}

/**
 * Returns the relative link from a page to the folder that contains the first part of the page's path. Example: for
 * `v1/engineer`, the link `../` leads to the folder that contains `v1`. Such links work behind any proxy.
 */
function pathToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 1) || './';
}

/** Returns the address of the service: the public URL in the settings, else the address in the Host header. */
function addressOf(settings: PageRouteSettings, { headers }: Exchange): Pick<Asked, 'service' | 'isPublic'> {
  const { host = '' } = headers;
  const isPublic = settings.publicUrl !== '';
  return { service: isPublic || !plainHost.test(host) ? publicUrlOf(settings) : `http://${host}`, isPublic };
}

/**
 * Returns the reply to a request, or the address that the client is redirected to; undefined for a page that does not
 * exist.
 */
function replyTo(pages: Pages, asked: Asked): Reply | string | undefined {
  const { fullName } = pages.repository;
  const { visibility, title = `Release notes of ${fullName}`, language = 'en' } = pages.settings;
  const { rest, service, stylesheet } = asked;
  const isListed = visibility === 'public';
  const key = isListed ? undefined : pages.settings.key;
  const home = pathToRoot(rest) + (key === undefined ? '' : `?key=${encodeURIComponent(key)}`);
  const outside = pagesUrl(service, fullName, key);
  const toFeeds = (from: string) => ({ atom: feedUrl(from, 'atom'), json: feedUrl(from, 'json') });
  const canonical = asked.isPublic && isListed ? outside : null;
  const site: Site = { title, language, home, canonical, stylesheet, isListed, feeds: toFeeds(home) };
  if (rest === '') return listReply(pages, site, asked.page);
  const head = { title, language, home: outside, feeds: toFeeds(outside) };
  if (rest === feedNames.atom)
    return { type: 'application/atom+xml; charset=utf-8', body: atomFeed(head, newest(pages, outside)), isListed };
  if (rest === feedNames.json)
    return { type: 'application/feed+json; charset=utf-8', body: jsonFeed(head, newest(pages, outside)), isListed };
  return noteReply(pages, site, rest);
}

/** Returns a page of the list of versions; undefined beyond the last page. */
function listReply({ partition, repository }: Pages, site: Site, page: string | null): Reply | undefined {
  const number = page === null ? 1 : /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 0;
  const total = countHostedNotes(partition, repository.id);
  const pages = Math.max(1, Math.ceil(total / listSize));
  if (number < 1 || number > pages) return undefined;
  const entries = listHostedNotes(partition, repository.id, (number - 1) * listSize, listSize).map((entry) => ({
    ...entry,
    url: pageUrl(site.home, entry.version, entry.path),
  }));
  const at = (other: number): string => withPage(site.home, other);
  const list = {
    entries,
    number,
    newer: number > 1 ? at(number - 1) : null,
    older: number < pages ? at(number + 1) : null,
  };
  const canonical = site.canonical === null ? null : withPage(site.canonical, number);
  return { type: html, body: listPage({ ...site, canonical }, list), isListed: site.isListed };
}

function withPage(home: string, number: number): string {
  if (number === 1) return home;
  return `${home}${home.includes('?') ? '&' : '?'}page=${number}`;
}

/**
 * Returns the page of a note. A note for engineers can have moved to a separate page. In this case, returns the address
 * of the separate page.
 */
function noteReply(pages: Pages, site: Site, rest: string): Reply | string | undefined {
  const { partition, repository } = pages;
  for (const { version, path } of pagesOfPath(rest)) {
    const note = readHostedNote(partition, repository.id, version, path);
    if (!note) continue;
    if (path !== note.path) return pageUrl(site.home, version, note.path);
    const isListed = site.isListed && note.persona !== 'internal';
    const canonical = isListed && site.canonical !== null ? pageUrl(site.canonical, version, path) : null;
    const other = otherNote(pages, note);
    const shown = other && { persona: other.persona, url: pageUrl(site.home, version, other.path) };
    return { type: html, body: versionPage({ ...site, canonical, isListed }, note, shown), isListed };
  }
  return undefined;
}

/**
 * Returns the note that the page of the given note links to. A note for customers links to the note for engineers. A
 * note for engineers links to the note for customers.
 */
function otherNote({ partition, repository }: Pages, { persona, version, path }: HostedNote): HostedNote | undefined {
  if (persona === 'customer') return readEngineersNote(partition, repository.id, version);
  const own = persona === 'engineer' && path ? readHostedNote(partition, repository.id, version) : undefined;
  return own?.persona === 'customer' ? own : undefined;
}

function newest({ partition, repository }: Pages, home: string): FeedNote[] {
  let room = maxFeedLength;
  return listHostedNotes(partition, repository.id, 0, feedSize).flatMap(({ version, path }) => {
    const note = readHostedNote(partition, repository.id, version, path);
    if (!note) return [];
    room -= note.html.length;
    return [{ ...note, html: room < 0 ? '' : note.html, url: pageUrl(home, version, path) }];
  });
}

function sendStyle(exchange: Exchange): void {
  const caching = ['Cache-Control', 'public, max-age=31536000, immutable'];
  exchange.reply(200, 'text/css; charset=utf-8', style, [...pageHeaders(pagePolicy), ...caching]);
}

function redirect(exchange: Exchange, status: 307 | 308, path: string): void {
  const location = exchange.query === '' || path.includes('?') ? path : `${path}?${exchange.query}`;
  // The redirect is cached for a minute only, because another repository can take a former name at any time.
  const caching = ['Cache-Control', `${exchange.query.includes('key=') ? 'private' : 'public'}, max-age=60`];
  exchange.reply(status, '', '', ['Location', location, ...pageHeaders(pagePolicy), ...caching]);
}
