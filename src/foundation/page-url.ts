/**
 * Addresses of the pages that notes are published on: `/notes/OWNER/NAME/` with its feeds, and below it a page for each version
 * and persona. Versions are tag names, so anything may stand in them; only `.` and `..`, which no tag can be called, have no address.
 */
import type { Persona, RangeBounds } from '../protocol/stored.ts';

/** Files beside the versions' pages; a version of such a name is spelt so that it is another address. */
export const feedNames = { atom: 'atom.xml', json: 'feed.json' } as const;

/** The heading of a version: the later tag of its range, or what names the range. */
export function versionName({ toTag, fromDate, toDate, fromPrNumber, toPrNumber }: RangeBounds): string {
  if (toTag !== undefined) return toTag;
  if (toDate !== undefined) return fromDate === toDate ? toDate : `${fromDate} to ${toDate}`;
  return fromPrNumber === toPrNumber ? `Change ${toPrNumber}` : `Changes ${fromPrNumber} to ${toPrNumber}`;
}

/**
 * Address of a repository's pages.
 * @param key of unlisted pages, without which they are not shown
 */
export function pagesUrl(service: string, fullName: string, key?: string): string {
  return `${service}/notes/${namePath(fullName)}/${key === undefined ? '' : `?key=${encodeURIComponent(key)}`}`;
}

/** A repository's name as it stands in addresses. */
export function namePath(fullName: string): string {
  return fullName.split('/').map(encodeURIComponent).join('/');
}

/** Below a version's own page, which is the customers': `v1.1.0/engineer`, `v1.1.0/internal/<22 characters of base64url>`. */
const belowVersion = /^(.+)\/(engineer|internal\/[\w-]{22})$/s;
const internalCharacters = 22;

/**
 * Where the page of a persona's draft is below its version's page; undefined for customers, whose page that is.
 * @param secret base64url that nobody can guess, at least 22 characters (132 bits); only its holders find an internal page
 */
export function personaPath(persona: Persona, secret: string): string | undefined {
  if (persona === 'customer') return undefined;
  return persona === 'engineer' ? persona : `internal/${secret.slice(0, internalCharacters)}`;
}

/**
 * Address of a version's page by that of its repository's pages.
 * @param path of a persona's page below the version's own
 */
export function pageUrl(pages: string, version: string, path?: string): string {
  return beside(pages, path === undefined ? versionPath(version) : `${versionPath(version)}/${path}`);
}

/** Address of a feed, by that of its repository's pages. */
export function feedUrl(pages: string, feed: keyof typeof feedNames): string {
  return beside(pages, feedNames[feed]);
}

/** What a path below a repository's pages can mean, the likeliest first. */
export function pagesOfPath(path: string): { version: string; path?: string }[] {
  const [, before = '', below] = belowVersion.exec(path) ?? [];
  const [version, whole] = [decodedPath(before), decodedPath(path)];
  return [
    ...(below !== undefined && version !== undefined ? [{ version, path: below }] : []),
    ...(whole === undefined ? [] : [{ version: whole }]),
  ];
}

/** A part of a path as it was before it was encoded; undefined when it is not such a part. */
export function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function versionPath(version: string): string {
  const parts = version.toWellFormed().split('/');
  // Clients take out empty parts and dots. The page of a persona must not look like that of a version.
  const isMistakable = parts.some((part) => /^\.{0,2}$/.test(part)) || belowVersion.test(version);
  const divider = isMistakable ? '%2F' : '/';
  const path = parts.map(encodeURIComponent).join(divider);
  const isReserved = Object.values<string>(feedNames).includes(path);
  return isReserved ? `%${path.charCodeAt(0).toString(16).toUpperCase()}${path.slice(1)}` : path;
}

function beside(pages: string, path: string): string {
  const [base = '', query] = pages.split('?');
  return base + path + (query === undefined ? '' : `?${query}`);
}
