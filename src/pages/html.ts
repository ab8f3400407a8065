/**
 * Writes the HTML of the pages: the list of a repository's versions, the page of a version, the frame for other web
 * pages, and the page for unknown addresses. The HTML of notes is already safe; everything else is escaped here. Pages have no scripts and load nothing
 * from other servers.
 */
import { escapeHtml } from '../foundation/escape-html.ts';
import { visibleText } from '../foundation/visible-text.ts';
import type { NoteMark } from '../protocol/hosted.ts';
import type { Persona } from '../protocol/stored.ts';
import type { HostedEntry, HostedNote } from '../store/tables/hosted-notes.ts';
import { withAnchors } from './note-html.ts';

/** Properties of a repository that appear on all its pages. */
export interface Site {
  /** Heading of the repository's pages. */
  title: string;
  language: string;
  /** Relative link to the list of versions. All other links on a page begin with this link. */
  home: string;
  /**
   * Absolute address of the page for search engines; null when search engines must not list the page, or when the
   * settings contain no public URL.
   */
  canonical: string | null;
  stylesheet: string;
  /** Whether search engines may list the pages. */
  isListed: boolean;
  feeds: { atom: string; json: string };
  /** Relative link to the logo, and the text in its place; null without a logo. */
  logo: { url: string; alt: string } | null;
}

/** An entry of a list, with the relative link to its page. */
export type LinkedEntry = HostedEntry & { url: string };

/** One page of the list of versions. */
export interface List {
  entries: readonly LinkedEntry[];
  number: number;
  /**
   * Address of the page with newer versions; null on the first page. `older` is the address of the page with older
   * versions.
   */
  newer: string | null;
  older: string | null;
  /** The search form; null on a list that has nothing to search. */
  search: SearchForm | null;
}

/** The search form of a list. */
export interface SearchForm {
  /** Key of unlisted pages, which the form must send. */
  key: string | undefined;
  /** The text that was searched; empty on the list itself. */
  text: string;
}

/** The result of a search. */
export interface Found {
  entries: readonly LinkedEntry[];
  /** Why the result can be incomplete. */
  limit?: keyof typeof limitWords | 'results';
}

/** Links from the page of a version. */
export interface Ways {
  /** The version's note for another persona. */
  other?: { persona: Persona; url: string } | undefined;
  newer?: LinkedEntry | undefined;
  older?: LinkedEntry | undefined;
}

/** Labels that are shown on notes that are not for customers. */
const readers = { engineer: 'For engineers', internal: 'Internal notes' } as const;

/** Words of the marks. */
const markWords: Readonly<Record<NoteMark, string>> = {
  breaking: 'Breaking',
  security: 'Security',
  new: 'New',
  improved: 'Improved',
  fixed: 'Fixed',
};

/** Matches the summary of a note that says that nothing changed. */
const nothing = /^No changes(?: for customers)? in this range\.$/;

/** Returns the HTML of one page of the version list. The newest version comes first. */
export function listPage(site: Site, { entries, number, newer, older, search }: List): string {
  const ways = [
    newer === null ? '' : `<a rel="prev" href="${escapeHtml(newer)}">Newer versions</a>`,
    older === null ? '' : `<a rel="next" href="${escapeHtml(older)}">Older versions</a>`,
  ].filter((way) => way !== '');
  const nav = ways.length === 0 ? '' : `\n<nav class="turns" aria-label="Pages">${ways.join('\n')}</nav>`;
  const title = number === 1 ? site.title : `${site.title}, page ${number}`;
  const list = entries.length > 0 ? versions(site, entries) : '<p>Nothing is published yet.</p>';
  return shell(site, {
    title,
    description: `Versions: ${entries.map(({ version }) => version).join(', ')}`,
    main: `${heading(site)}${subscribe(site)}\n${search === null ? '' : `${searchForm(search)}\n`}${list}${nav}`,
  });
}

/** Sentences on parts that were not searched. */
const limitWords = {
  versions: ' Older versions were not searched.',
  text: ' The end of the oldest note was not searched.',
} as const;

/** Returns the page with the results of a search. */
export function searchPage(site: Site, search: SearchForm, { entries, limit }: Found): string {
  const number = entries.length;
  const found =
    limit === 'results'
      ? `More than ${number} versions found for “${shown(search.text)}”. The newest ${number} are shown.`
      : `${number === 0 ? 'No version' : number === 1 ? '1 version' : `${number} versions`} found for “${shown(search.text)}”.${limit ? limitWords[limit] : ''}`;
  const list = number === 0 ? '' : versions(site, entries);
  return statusPage(site, search, `${found} <a href="${escapeHtml(site.home)}">All versions</a>`, list);
}

/** Returns the page for a search without words. */
export function emptySearchPage(site: Site, search: SearchForm): string {
  return statusPage(site, search, `Enter words to search for. <a href="${escapeHtml(site.home)}">All versions</a>`);
}

/** Returns the page for a search that was not carried out, because searches take too much time. */
export function busyPage(site: Site, search: SearchForm, seconds: number): string {
  const time = seconds === 1 ? '1 second' : `${seconds} seconds`;
  return statusPage(site, search, `These notes are searched too often at the moment. Search again in ${time}.`);
}

/** @param status text between the search form and the list, as HTML */
function statusPage(site: Site, search: SearchForm, status: string, list = ''): string {
  return shell(site, {
    title: `Search · ${site.title}`,
    description: '',
    main: `${heading(site)}${searchForm(search)}
<p class="date" role="status">${status}</p>
${list}`,
  });
}

/** Makes the page of a version's note. */
export function versionPage(site: Site, note: HostedNote, { other, newer, older }: Ways = {}): string {
  const { version, persona, excerpt = '', date } = note;
  const { html, marks } = withAnchors(note.html);
  const link = other
    ? `\n<p><a href="${escapeHtml(other.url)}">Notes for ${other.persona === 'customer' ? 'customers' : 'engineers'}</a></p>`
    : '';
  const items = marks.map(({ mark, anchor }) => `<a class="mark ${mark}" href="#${anchor}">${markWords[mark]}</a>`);
  const text = html === '' ? `<p class="none">${noNotes(persona)}</p>` : html;
  const ways = [
    older ? `<a rel="prev" href="${escapeHtml(older.url)}">Previous version: ${shown(older.version)}</a>` : '',
    newer ? `<a rel="next" href="${escapeHtml(newer.url)}">Next version: ${shown(newer.version)}</a>` : '',
  ].filter((way) => way !== '');
  const nav = ways.length === 0 ? '' : `\n<nav class="turns" aria-label="Versions">\n${ways.join('\n')}\n</nav>`;
  return shell(site, {
    title: `${version}${persona === 'customer' ? '' : `, ${readers[persona].toLowerCase()}`} · ${site.title}`,
    description: excerpt,
    main: `<p class="home"><a href="${escapeHtml(site.home)}">${logoOf(site)}${shown(site.title)}</a></p>
<article>
<header>
<h1>${shown(version)}</h1>
${withMarks(time(date, site.language, persona === 'customer' ? undefined : readers[persona]), 'Jump to', items)}${link}
</header>
${text}
</article>${nav}`,
    foot: `<footer>${subscribe(site)}\n</footer>`,
  });
}

/**
 * Makes the page that other web pages show in a frame: the newest versions in short form. Its links open a new tab, since
 * the pages themselves may not be shown in a frame.
 */
export function embedPage(site: Site, entries: readonly LinkedEntry[]): string {
  const list = entries.length > 0 ? versions(site, entries, newTab) : '<p class="none">Nothing is published yet.</p>';
  return `${head(
    site.language,
    [
      `<title>${shown(site.title)}</title>`,
      '<meta name="robots" content="noindex">',
      `<link rel="stylesheet" href="${escapeHtml(site.stylesheet)}">`,
    ],
    'embed',
  )}
<main>
<h1>${logoOf(site)}<a href="${escapeHtml(site.home)}"${newTab}>${shown(site.title)}</a></h1>
${list}
</main>
</body>
</html>
`;
}

/** Attributes of a link that opens a new tab. */
const newTab = ' target="_blank" rel="noopener"';

/** @param attributes more attributes of the links, with a blank before them */
function versions({ language }: Site, entries: readonly LinkedEntry[], attributes = ''): string {
  const items = entries.map((entry) => {
    const { version, path, marks = [], date, url } = entry;
    const pills = marks.map((mark) => `<span class="mark ${mark}">${markWords[mark]}</span>`);
    return `<li>\n<h2><a href="${escapeHtml(url)}"${attributes}>${shown(version)}</a></h2>\n${withMarks(time(date, language, path && readers.engineer), 'Contains', pills)}${summary(entry)}\n</li>`;
  });
  return `<ol class="versions">\n${items.join('\n')}\n</ol>`;
}

/** Returns the summary of an entry. A summary that says that nothing changed is muted. */
function summary({ excerpt = '', isEmpty, path }: HostedEntry): string {
  if (isEmpty) return `\n<p class="none">${noNotes(path === undefined ? 'customer' : 'engineer')}</p>`;
  if (excerpt === '') return '';
  return nothing.test(excerpt) ? `\n<p class="none">${shown(excerpt)}</p>` : `\n<p>${shown(excerpt)}</p>`;
}

function noNotes(persona: Persona): string {
  return `No notes for ${{ customer: 'customers', engineer: 'engineers', internal: 'internal readers' }[persona]}.`;
}

/**
 * Puts marks next to a date.
 * @param items marks as HTML. A mark always contains a word, since colors alone would not be seen by everyone
 */
function withMarks(dated: string, label: string, items: readonly string[]): string {
  if (items.length === 0) return dated;
  const list = items.map((item) => `<li>${item}</li>`).join('');
  return `<div class="meta">${dated}<ul class="marks" aria-label="${label}">${list}</ul></div>`;
}

function heading(site: Site): string {
  return `<h1>${logoOf(site)}${shown(site.title)}</h1>\n`;
}

function logoOf({ logo }: Site): string {
  if (logo === null) return '';
  return `<img class="logo" src="${escapeHtml(logo.url)}" alt="${shown(logo.alt)}">`;
}

function subscribe({ feeds: { atom, json } }: Site): string {
  return `<p class="subscribe">Subscribe: <a href="${escapeHtml(atom)}">Atom feed</a>, <a href="${escapeHtml(json)}">JSON Feed</a></p>`;
}

function searchForm({ key, text }: SearchForm): string {
  const hidden = key === undefined ? '' : `<input type="hidden" name="key" value="${escapeHtml(key)}">`;
  return `<form class="search" role="search" action="./" method="get">${hidden}
<label for="search-text">Search these notes</label>
<input id="search-text" type="search" name="q" value="${shown(text)}" maxlength="${maxSearchLength}" autocomplete="off" required>
<button>Search</button>
</form>`;
}

/** Maximum length of a searched text, in characters. */
export const maxSearchLength = 100;

/** Makes the page for addresses that do not exist, or whose page the reader may not see. */
export function missingPage(stylesheet: string): string {
  return `${head('en', [
    '<title>Not found</title>',
    '<meta name="robots" content="noindex">',
    `<link rel="stylesheet" href="${escapeHtml(stylesheet)}">`,
  ])}
<main>
<h1>Not found</h1>
<p>There are no release notes at this address, or they are not public.</p>
<p><a href="${escapeHtml(stylesheet.replace(/style\.css.*$/, '') || './')}">All release notes</a></p>
</main>
</body>
</html>
`;
}

interface Content {
  title: string;
  description: string;
  main: string;
  /** The foot of the page, as HTML. */
  foot?: string;
}

function shell(site: Site, { title, description, main, foot }: Content): string {
  const { canonical } = site;
  const { atom, json } = site.feeds;
  return `${head(site.language, [
    `<title>${shown(title)}</title>`,
    description === '' ? '' : `<meta name="description" content="${shown(description.slice(0, 300))}">`,
    site.isListed ? '' : '<meta name="robots" content="noindex">',
    canonical === null ? '' : `<link rel="canonical" href="${escapeHtml(canonical)}">`,
    `<link rel="alternate" type="application/atom+xml" title="Atom" href="${escapeHtml(atom)}">`,
    `<link rel="alternate" type="application/feed+json" title="JSON Feed" href="${escapeHtml(json)}">`,
    `<link rel="stylesheet" href="${escapeHtml(site.stylesheet)}">`,
  ])}
<main>
${main}
</main>${foot === undefined ? '' : `\n${foot}`}
</body>
</html>
`;
}

/**
 * Returns the beginning of a page, up to `<body>`.
 * @param kind class of the body, for pages with a style of their own
 */
export function head(language: string, lines: readonly string[], kind?: string): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${lines.filter((line) => line !== '').join('\n')}
<link rel="icon" href="data:,">
</head>
<body${kind === undefined ? '' : ` class="${kind}"`}>`;
}

/**
 * Escapes a text that was not written by this service. Removes invisible characters and characters that change the
 * direction of writing, since these could make the text look like another name.
 */
export function shown(text: string): string {
  return escapeHtml(visibleText(text));
}

/** @param audience label of the readers, shown after the date */
function time(date: number, language: string, audience?: string): string {
  const more = audience === undefined ? '' : ` · ${audience}`;
  return `<p class="date">${timeTag(date, language)}${more}</p>`;
}

/**
 * Returns a `<time>` element. The element's text shows the day to readers. Its attribute `datetime` contains the day in
 * a machine-readable form.
 */
export function timeTag(date: number, language: string): string {
  const day = new Date(date);
  return `<time datetime="${day.toISOString().slice(0, 10)}">${escapeHtml(longDate(day, language))}</time>`;
}

/** Writes a day as text, in English when the language is not known. */
function longDate(day: Date, language: string): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const;
  try {
    return day.toLocaleDateString(language, options);
  } catch {
    return day.toLocaleDateString('en', options);
  }
}
