/**
 * Makes the replies to requests for a repository's pages: the list of versions, the results of a search, the pages of
 * notes, the feeds, the logo, and the page for frames.
 */
import { digestOf } from '../foundation/etag.ts';
import { feedNames, feedUrl, fileNames, logoUrl, pagesOfPath, pagesUrl, pageUrl } from '../foundation/page-url.ts';
import { pageForms } from '../protocol/host-channel-settings.ts';
import {
  countHostedNotes,
  type HostedEntry,
  type HostedNote,
  hasEngineersNote,
  listHostedNotes,
  neighboursOf,
  readEngineersNote,
  readHostedNote,
} from '../store/tables/hosted-notes.ts';
import { accentDigits } from './accent.ts';
import { atomFeed, type FeedNote, jsonFeed } from './feeds.ts';
import type { Pages } from './find.ts';
import {
  busyPage,
  embedPage,
  emptySearchPage,
  type LinkedEntry,
  listPage,
  maxSearchLength,
  type SearchForm,
  type Site,
  searchPage,
  versionPage,
} from './html.ts';
import { policyWith } from './policy.ts';
import { searchNotes, searchWords } from './search.ts';
import type { SearchLimiter } from './search-limiter.ts';
import type { Reply } from './send.ts';

/** A request for a page of a repository. */
export interface Asked {
  /** The part of the path below the repository's address, as the client sent it. */
  rest: string;
  page: string | null;
  /** The text to search; null if the request is not a search. */
  search: string | null;
  searches: SearchLimiter;
  /** The version of the logo in the address. */
  logoVersion: string | null;
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
/** Number of versions in a frame. */
const embedSize = 5;
/**
 * Maximum total length of the notes in a feed, in characters. Notes beyond this length are shown with their excerpt
 * only.
 */
const maxFeedLength = 2_000_000;
const html = 'text/html; charset=utf-8';
/** Cache-Control of addresses that contain a digest of their content. */
export const immutable = 'max-age=31536000, immutable';
const framingOrigin = new RegExp(pageForms.origin.pattern);

/**
 * Returns the reply to a request, or the address that the client is redirected to; undefined for a page that does not
 * exist.
 */
export function replyTo(pages: Pages, asked: Asked): Reply | string | undefined {
  const { fullName } = pages.repository;
  const { visibility, title = `Release notes of ${fullName}`, language = 'en', accent = '', logoAlt } = pages.settings;
  const { rest, service } = asked;
  const isListed = visibility === 'public';
  const key = isListed ? undefined : pages.settings.key;
  const home = pathToRoot(rest) + (key === undefined ? '' : `?key=${encodeURIComponent(key)}`);
  const outside = pagesUrl(service, fullName, key);
  const toFeeds = (from: string) => ({ atom: feedUrl(from, 'atom'), json: feedUrl(from, 'json') });
  const canonical = asked.isPublic && isListed ? outside : null;
  const digits = accentDigits(accent);
  const stylesheet = digits === undefined ? asked.stylesheet : `${asked.stylesheet}&accent=${digits}`;
  const picture = logoOf(pages);
  const logo = picture && { url: logoUrl(home, picture.version), alt: logoAlt ?? '' };
  const site: Site = { title, language, home, canonical, stylesheet, isListed, feeds: toFeeds(home), logo };
  if (rest === '')
    return asked.search === null
      ? listReply(pages, site, asked.page)
      : searchReply(pages, site, asked.search, asked.searches);
  const image = picture ? logoUrl(outside, picture.version) : undefined;
  const head = { title, language, home: outside, feeds: toFeeds(outside), ...(image !== undefined && { image }) };
  if (rest === feedNames.atom)
    return { type: 'application/atom+xml; charset=utf-8', body: atomFeed(head, newest(pages, outside)), isListed };
  if (rest === feedNames.json)
    return { type: 'application/feed+json; charset=utf-8', body: jsonFeed(head, newest(pages, outside)), isListed };
  if (rest === fileNames.logo && picture) return logoReply(picture, isListed, asked.logoVersion);
  return (rest === fileNames.embed ? embedReply(pages, site) : undefined) ?? noteReply(pages, site, rest);
}

/** A logo: its content type, its bytes in base64, and the digest of both. */
interface Picture {
  type: string;
  text: string;
  version: string;
}

function logoOf({ settings: { logo = '' } }: Pages): Picture | null {
  const [, type, text] = /^data:(image\/(?:png|jpeg|gif|webp));base64,(.*)$/.exec(logo) ?? [];
  return type === undefined || text === undefined ? null : { type, text, version: digestOf(logo) };
}

function logoReply({ type, text, version }: Picture, isListed: boolean, asked: string | null): Reply {
  const scope = isListed ? 'public' : 'private';
  const caching = asked === version ? `${scope}, ${immutable}` : `${scope}, no-cache`;
  return { type, body: Buffer.from(text, 'base64'), isListed, caching };
}

/** Returns a page of the list of versions; undefined beyond the last page. */
function listReply(pages: Pages, site: Site, page: string | null): Reply | undefined {
  const { partition, repository } = pages;
  const number = page === null ? 1 : /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 0;
  const total = countHostedNotes(partition, repository.id);
  const last = Math.max(1, Math.ceil(total / listSize));
  if (number < 1 || number > last) return undefined;
  const at = (other: number): string => withPage(site.home, other);
  const search = total > 1 ? formOf(pages, '') : null;
  const list = {
    entries: linked(site, listHostedNotes(partition, repository.id, (number - 1) * listSize, listSize)),
    number,
    newer: number > 1 ? at(number - 1) : null,
    older: number < last ? at(number + 1) : null,
    search,
  };
  const canonical = site.canonical === null ? null : withPage(site.canonical, number);
  const policy = policyWith({ logo: site.logo !== null, form: search !== null });
  return { type: html, body: listPage({ ...site, canonical }, list), isListed: site.isListed, policy };
}

/** Returns the results of a search. Search engines do not list them. */
function searchReply(pages: Pages, site: Site, asked: string, searches: SearchLimiter): Reply {
  const text = asked.slice(0, maxSearchLength).trim();
  const form = formOf(pages, text);
  const policy = policyWith({ logo: site.logo !== null, form: true });
  const unlisted: Site = { ...site, canonical: null, isListed: false };
  const page = { type: html, isListed: false, policy };
  const words = searchWords(text);
  if (words.length === 0) return { ...page, body: emptySearchPage(unlisted, form) };
  const { id } = pages.repository;
  let body = '';
  const waitMs = searches.run(id, () => {
    const found = searchNotes(pages.partition, id, words);
    body = searchPage(unlisted, form, { ...found, entries: linked(site, found.entries) });
  });
  if (waitMs === 0) return { ...page, body };
  const retryAfter = Math.ceil(waitMs / 1000);
  return { ...page, body: busyPage(unlisted, form, retryAfter), retryAfter };
}

function formOf({ settings: { visibility, key } }: Pages, text: string): SearchForm {
  return { key: visibility === 'public' ? undefined : key, text };
}

/**
 * Returns the page that the origins in the settings may show in a frame. Returns undefined if there are none, or if the
 * pages are not public: the address of a frame can be read by anyone who sees the web page around it.
 */
function embedReply({ partition, repository, settings: { visibility, embedIn = [] } }: Pages, site: Site) {
  const frameAncestors = embedIn.filter((origin) => framingOrigin.test(origin));
  if (visibility !== 'public' || frameAncestors.length === 0) return undefined;
  const entries = linked(site, listHostedNotes(partition, repository.id, 0, embedSize));
  const policy = policyWith({ logo: site.logo !== null, frameAncestors });
  return { type: html, body: embedPage(site, entries), isListed: false, policy, caching: 'public, max-age=60' };
}

function linked({ home }: Site, entries: readonly HostedEntry[]): LinkedEntry[] {
  return entries.map((entry) => ({ ...entry, url: pageUrl(home, entry.version, entry.path) }));
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
    const ways = { other: shown, ...neighbours(pages, site, note) };
    const policy = policyWith({ logo: site.logo !== null });
    return { type: html, body: versionPage({ ...site, canonical, isListed }, note, ways), isListed, policy };
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

/**
 * Returns the versions before and after a note, each with the page for the same persona if it has one. An internal page
 * leads to no other version.
 */
function neighbours({ partition, repository: { id } }: Pages, site: Site, note: HostedNote) {
  if (note.persona === 'internal') return {};
  const { newer, older } = neighboursOf(partition, note);
  const toOwn = (entry: HostedEntry | undefined): LinkedEntry | undefined => {
    if (!entry) return undefined;
    const isForEngineers = note.persona === 'engineer' && hasEngineersNote(partition, id, entry.version);
    return linked(site, [isForEngineers ? { ...entry, path: 'engineer' } : entry])[0];
  };
  return { newer: toOwn(newer), older: toOwn(older) };
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

/**
 * Returns the relative link from a page to the folder that contains the first part of the page's path. Example: for
 * `v1/engineer`, the link `../` leads to the folder that contains `v1`. Such links work behind any proxy.
 */
export function pathToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 1) || './';
}
