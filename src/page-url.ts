/**
 * Addresses of the pages that notes are published on: `/notes/OWNER/NAME/` with its feeds, and below it a page for each version.
 * Versions are tag names, so anything may stand in them; only `.` and `..`, which no tag can be called, have no address.
 */
import type { RangeBounds } from './protocol/stored.ts';

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
  const path = fullName.split('/').map(encodeURIComponent).join('/');
  return `${service}/notes/${path}/${key === undefined ? '' : `?key=${encodeURIComponent(key)}`}`;
}

/** Address of a version's page, or of a feed by its name, by that of its repository's pages. */
export function pageUrl(pages: string, version: string): string {
  return beside(pages, versionPath(version));
}

/** Address of a feed, by that of its repository's pages. */
export function feedUrl(pages: string, feed: keyof typeof feedNames): string {
  return beside(pages, feedNames[feed]);
}

/** The version that the last part of a path names; undefined when it is no path of one. */
export function versionOfPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function versionPath(version: string): string {
  const parts = version.toWellFormed().split('/');
  // An empty part or dots would be taken out by whoever follows the address.
  const divider = parts.some((part) => /^\.{0,2}$/.test(part)) ? '%2F' : '/';
  const path = parts.map(encodeURIComponent).join(divider);
  const isReserved = Object.values<string>(feedNames).includes(path);
  return isReserved ? `%${path.charCodeAt(0).toString(16).toUpperCase()}${path.slice(1)}` : path;
}

function beside(pages: string, path: string): string {
  const [base = '', query] = pages.split('?');
  return base + path + (query === undefined ? '' : `?${query}`);
}
