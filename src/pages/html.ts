/**
 * Writes the HTML of the pages: the list of a repository's versions, the page of a version, and the page for unknown
 * addresses. The HTML of notes is already safe; everything else is escaped here. Pages have no scripts and load nothing
 * from other servers.
 */
import { escapeHtml } from '../foundation/escape-html.ts';
import { visibleText } from '../foundation/visible-text.ts';
import type { Persona } from '../protocol/stored.ts';
import type { HostedEntry, HostedNote } from '../store/tables/hosted-notes.ts';

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
}

/** One page of the list of versions. */
export interface List {
  entries: readonly (HostedEntry & { url: string })[];
  number: number;
  /**
   * Address of the page with newer versions; null on the first page. `older` is the address of the page with older
   * versions.
   */
  newer: string | null;
  older: string | null;
}

/** Labels that are shown on notes that are not for customers. */
const readers = { engineer: 'For engineers', internal: 'Internal notes' } as const;

/** Returns the HTML of one page of the version list. The newest version comes first. */
export function listPage(site: Site, { entries, number, newer, older }: List): string {
  const items = entries.map(
    ({ version, path, excerpt = '', date, url }) =>
      `<li>\n<h2><a href="${escapeHtml(url)}">${shown(version)}</a></h2>\n${time(date, site.language, path && readers.engineer)}${
        excerpt === '' ? '' : `\n<p>${shown(excerpt)}</p>`
      }\n</li>`,
  );
  const list =
    items.length > 0 ? `<ol class="versions">\n${items.join('\n')}\n</ol>` : '<p>Nothing is published yet.</p>';
  const ways = [
    newer === null ? '' : `<a rel="prev" href="${escapeHtml(newer)}">Newer versions</a>`,
    older === null ? '' : `<a rel="next" href="${escapeHtml(older)}">Older versions</a>`,
  ].filter((way) => way !== '');
  const nav = ways.length === 0 ? '' : `\n<nav aria-label="Pages">${ways.join('\n')}</nav>`;
  const title = number === 1 ? site.title : `${site.title}, page ${number}`;
  return shell(site, {
    title,
    description: `Versions: ${entries.map(({ version }) => version).join(', ')}`,
    main: `<h1>${shown(site.title)}</h1>\n${list}${nav}`,
  });
}

/**
 * Makes the page of a version's note.
 * @param other the version's note for another persona, linked from this page
 */
export function versionPage(site: Site, note: HostedNote, other?: { persona: Persona; url: string }): string {
  const { version, persona, excerpt = '', date } = note;
  const link = other
    ? `\n<p><a href="${escapeHtml(other.url)}">Notes for ${other.persona === 'customer' ? 'customers' : 'engineers'}</a></p>`
    : '';
  return shell(site, {
    title: `${version}${persona === 'customer' ? '' : `, ${readers[persona].toLowerCase()}`} · ${site.title}`,
    description: excerpt,
    main: `<p class="home"><a href="${escapeHtml(site.home)}">${shown(site.title)}</a></p>
<article>
<header>
<h1>${shown(version)}</h1>
${time(date, site.language, persona === 'customer' ? undefined : readers[persona])}${link}
</header>
${note.html}
</article>`,
  });
}

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
</main>
</body>
</html>
`;
}

interface Content {
  title: string;
  description: string;
  main: string;
}

function shell(site: Site, { title, description, main }: Content): string {
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
</main>
<footer>
<p>Feeds: <a href="${escapeHtml(atom)}">Atom</a>, <a href="${escapeHtml(json)}">JSON</a></p>
</footer>
</body>
</html>
`;
}

/** Returns the beginning of a page, up to `<body>`. */
export function head(language: string, lines: readonly string[]): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${lines.filter((line) => line !== '').join('\n')}
<link rel="icon" href="data:,">
</head>
<body>`;
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
