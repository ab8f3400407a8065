/**
 * Builds and reads the addresses of the pages that notes are published on. The address of a repository's pages is
 * `/notes/OWNER/NAME/`. Below this address are the feeds, and one page per version and persona. A version is a tag name
 * and can be any text. A version `.` or `..` would have no address, but no tag can have such a name.
 */
import type { Persona, RangeBounds } from '../protocol/stored.ts';

/**
 * Names of the feed files, which are next to the pages of versions. If a version has the name of such a file, the
 * address of the version is encoded differently.
 */
export const feedNames = { atom: 'atom.xml', json: 'feed.json' } as const;

/**
 * Names of the other files next to the pages of versions: the logo, and the page that other web pages show in a frame.
 */
export const fileNames = { logo: 'logo', embed: 'embed' } as const;

const reservedNames = Object.values<string>({ ...feedNames, ...fileNames });

/**
 * Returns the name of a version, for headings and addresses: the later tag of its range. A range without tags is named
 * by its dates (`2026-01-01 to 2026-01-31`) or by its pull request numbers, or is `Unreleased`.
 */
export function versionName({ type, toTag, fromDate, toDate, fromPrNumber, toPrNumber }: RangeBounds): string {
  if (toTag !== undefined) return toTag;
  if (type === 'UNRELEASED') return 'Unreleased';
  if (toDate !== undefined) return fromDate === toDate ? toDate : `${fromDate} to ${toDate}`;
  return fromPrNumber === toPrNumber ? `Change ${toPrNumber}` : `Changes ${fromPrNumber} to ${toPrNumber}`;
}

/**
 * Returns the address of a repository's pages.
 * @param key the access key, if the pages are unlisted
 */
export function pagesUrl(service: string, fullName: string, key?: string): string {
  return `${service}/notes/${namePath(fullName)}/${key === undefined ? '' : `?key=${encodeURIComponent(key)}`}`;
}

/** Returns a repository's full name, encoded for a path. */
export function namePath(fullName: string): string {
  return fullName.split('/').map(encodeURIComponent).join('/');
}

/**
 * Matches the paths of pages that are not for customers. Such a page is below the page of its version:
 * `v1.1.0/engineer`, `v1.1.0/internal/<22 characters of base64url>`.
 */
const belowVersion = /^(.+)\/(engineer|internal\/[\w-]{22})$/s;
const internalCharacters = 22;

/**
 * Returns the path of a persona's page below the page of the version. Returns undefined for customers, because the
 * version's own page is for customers.
 * @param secret random base64url, at least 22 characters (132 bits). The path of an internal page contains the first 22
 *   characters. So only people who know the address can find the page.
 */
export function personaPath(persona: Persona, secret: string): string | undefined {
  if (persona === 'customer') return undefined;
  return persona === 'engineer' ? persona : `internal/${secret.slice(0, internalCharacters)}`;
}

/**
 * Returns the address of a version's page.
 * @param pages address of the repository's pages
 * @param path path of a persona's page below the version's own page. Without `path`, the address of the version's own
 *   page is returned.
 */
export function pageUrl(pages: string, version: string, path?: string): string {
  return joinPath(pages, path === undefined ? versionPath(version) : `${versionPath(version)}/${path}`);
}

/** Returns the address of a feed. `pages` is the address of the repository's pages. */
export function feedUrl(pages: string, feed: keyof typeof feedNames): string {
  return joinPath(pages, feedNames[feed]);
}

/**
 * Returns the address of the logo. `pages` is the address of the repository's pages.
 * @param version digest of the picture, so that browsers may cache it permanently
 */
export function logoUrl(pages: string, version: string): string {
  const url = joinPath(pages, fileNames.logo);
  return `${url}${url.includes('?') ? '&' : '?'}v=${version}`;
}

/**
 * Returns the pages that a path can name, the most probable page first. The path is relative to the address of the
 * repository's pages.
 */
export function pagesOfPath(path: string): { version: string; path?: string }[] {
  const [, before = '', below] = belowVersion.exec(path) ?? [];
  const [version, whole] = [decodedPath(before), decodedPath(path)];
  return [
    ...(below !== undefined && version !== undefined ? [{ version, path: below }] : []),
    ...(whole === undefined ? [] : [{ version: whole }]),
  ];
}

/** Decodes a part of a path; returns undefined if the part is not percent-encoded correctly. */
export function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function versionPath(version: string): string {
  const parts = version.toWellFormed().split('/');
  // The slashes of a version are encoded in two cases. First, a part of the version is empty, `.` or `..`, as in
  // `a/../b`. Clients would remove this part from a path. Second, the version looks like the path of a persona's page,
  // as in `v1/engineer`. Without the encoding, this version would have the same address as the engineer's page of `v1`.
  const isMistakable = parts.some((part) => /^\.{0,2}$/.test(part)) || belowVersion.test(version);
  const divider = isMistakable ? '%2F' : '/';
  const path = parts.map(encodeURIComponent).join(divider);
  return reservedNames.includes(path) ? `%${path.charCodeAt(0).toString(16).toUpperCase()}${path.slice(1)}` : path;
}

function joinPath(pages: string, path: string): string {
  const [base = '', query] = pages.split('?');
  return base + path + (query === undefined ? '' : `?${query}`);
}
