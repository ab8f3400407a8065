/**
 * `GET /notes/OWNER/NAME/`, its feeds, and a page for each version below it. What is unknown, switched off or asked for without
 * its key is one and the same 404. Reading needs no API key and takes nothing from any limit; a page costs some table reads.
 */
import { publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { digestOf, isKnown, toEtag } from '../etag.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import { feedNames, feedUrl, pagesUrl, pageUrl, versionOfPath } from '../page-url.ts';
import { countHostedNotes, listHostedNotes, readHostedNote } from '../store/hosted-notes.ts';
import type { Readers } from '../store/readers.ts';
import { atomFeed, type FeedNote, jsonFeed } from './feeds.ts';
import { PageFinder, type Pages } from './find.ts';
import { homeRoutes } from './home.ts';
import { listPage, missingPage, type Site, versionPage } from './html.ts';
import { pagePolicy } from './policy.ts';
import { style, styleVersion } from './style.ts';

type PageRouteSettings = Pick<Settings, 'publicUrl' | 'host' | 'port' | 'partitions' | 'hostOrigin'>;

/** What is answered: its type and bytes; `isListed` = anybody may keep it. */
interface Reply {
  type: string;
  body: string;
  isListed: boolean;
}

const listSize = 20;
const feedSize = 20;
/** Texts of one feed together, in characters; of later notes only excerpts are shown. */
const longestFeed = 2_000_000;
const html = 'text/html; charset=utf-8';

/** The routes of all pages. */
export function pageRoutes(readers: Readers, settings: PageRouteSettings): HttpRoute[] {
  const finder = new PageFinder(readers, settings);
  const service = publicUrlOf(settings);
  const root = new URL(service).pathname.replace(/\/$/, '');
  const stylesheet = `${root}/notes/style.css?v=${styleVersion}`;
  const handle = (exchange: Exchange): void => {
    const [, owner = '', name = '', rest] = /^\/notes\/([^/]+)\/([^/]+)(?:\/(.*))?$/.exec(exchange.url) ?? [];
    // Whether there are such pages is not told by this.
    if (rest === undefined && name !== '') return redirect(exchange, `${root}${exchange.url}/`);
    const key = new URLSearchParams(exchange.query).get('key');
    const fullName = `${versionOfPath(owner)}/${versionOfPath(name)}`;
    const pages = finder.find(fullName, key);
    const reply = pages && replyTo(pages, rest ?? '', exchange.query, { service, stylesheet });
    if (reply) return send(exchange, reply);
    const movedTo = pages ? undefined : finder.movedTo(fullName, key);
    if (movedTo !== undefined)
      return redirect(exchange, `${new URL(pagesUrl(service, movedTo)).pathname}${rest ?? ''}`);
    exchange.reply(404, html, missingPage(stylesheet), [...pageHeaders(pagePolicy), 'Cache-Control', 'no-store']);
  };
  return [
    { method: 'GET', path: '/notes/style.css', handle: sendStyle },
    { method: 'GET', path: '/notes/*', handle },
    ...homeRoutes(finder, { service, root, stylesheet, isPublic: settings.publicUrl !== '' }),
  ];
}

function replyTo(
  pages: Pages,
  rest: string,
  query: string,
  place: { service: string; stylesheet: string },
): Reply | undefined {
  const { fullName } = pages.repository;
  const { visibility, key, title = `Release notes of ${fullName}`, language = 'en' } = pages.settings;
  const isListed = visibility === 'public';
  const home = pagesUrl(place.service, fullName, isListed ? undefined : key);
  const feeds = { atom: feedUrl(home, 'atom'), json: feedUrl(home, 'json') };
  const site: Site = { title, language, home, stylesheet: place.stylesheet, isListed, feeds };
  if (rest === '') return listReply(pages, site, new URLSearchParams(query).get('page'));
  const head = { title, language, home, feeds };
  if (rest === feedNames.atom)
    return { type: 'application/atom+xml; charset=utf-8', body: atomFeed(head, newest(pages, home)), isListed };
  if (rest === feedNames.json)
    return { type: 'application/feed+json; charset=utf-8', body: jsonFeed(head, newest(pages, home)), isListed };
  const version = versionOfPath(rest);
  const note = version === undefined ? undefined : readHostedNote(pages.partition, pages.repository.id, version);
  return note && { type: html, body: versionPage(site, pageUrl(home, note.version), note), isListed };
}

/** A page of the list; those beyond the last are not there. */
function listReply({ partition, repository }: Pages, site: Site, page: string | null): Reply | undefined {
  const number = page === null ? 1 : /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 0;
  const total = countHostedNotes(partition, repository.id);
  const pages = Math.max(1, Math.ceil(total / listSize));
  if (number < 1 || number > pages) return undefined;
  const entries = listHostedNotes(partition, repository.id, (number - 1) * listSize, listSize).map((entry) => ({
    ...entry,
    url: pageUrl(site.home, entry.version),
  }));
  const at = (other: number): string => withPage(site.home, other);
  const list = {
    entries,
    number,
    newer: number > 1 ? at(number - 1) : null,
    older: number < pages ? at(number + 1) : null,
  };
  return { type: html, body: listPage(site, at(number), list), isListed: site.isListed };
}

function withPage(home: string, number: number): string {
  if (number === 1) return home;
  return `${home}${home.includes('?') ? '&' : '?'}page=${number}`;
}

function newest({ partition, repository }: Pages, home: string): FeedNote[] {
  let room = longestFeed;
  return listHostedNotes(partition, repository.id, 0, feedSize).flatMap(({ version }) => {
    const note = readHostedNote(partition, repository.id, version);
    if (!note) return [];
    room -= note.html.length;
    return [{ ...note, html: room < 0 ? '' : note.html, url: pageUrl(home, version) }];
  });
}

function send(exchange: Exchange, { type, body, isListed }: Reply): void {
  const etag = toEtag(digestOf(body));
  // A reply to one who knows the key is for nobody else.
  const caching = isListed ? 'public, max-age=60' : 'private, max-age=60';
  const usual = [...pageHeaders(pagePolicy), 'Cache-Control', caching, 'ETag', etag];
  if (!isListed) usual.push('X-Robots-Tag', 'noindex');
  if (isKnown(exchange.headers['if-none-match'], etag)) exchange.reply(304, '', '', usual);
  else exchange.reply(200, type, body, usual);
}

function sendStyle(exchange: Exchange): void {
  const caching = ['Cache-Control', 'public, max-age=31536000, immutable'];
  exchange.reply(200, 'text/css; charset=utf-8', style, [...pageHeaders(pagePolicy), ...caching]);
}

function redirect(exchange: Exchange, path: string): void {
  const location = exchange.query === '' ? path : `${path}?${exchange.query}`;
  // A former name can be another repository's tomorrow.
  const caching = ['Cache-Control', `${exchange.query.includes('key=') ? 'private' : 'public'}, max-age=60`];
  exchange.reply(308, '', '', ['Location', location, ...pageHeaders(pagePolicy), ...caching]);
}
