/**
 * Sorts the items of list endpoints and cuts them into pages (spec part 4). A page contains `total`, `hasMore` and
 * `nextOffset`, and links to the other pages.
 */
import type { Paging } from '../protocol/resources/paging.ts';

/** The fields that lists are sorted by. Times are in milliseconds. */
export interface Sortable {
  createdAt: number;
  updatedAt: number;
  name: string;
  /** Decides the order of items whose other fields are equal, so that the order is the same for every page. */
  id: string;
}

/** One page of a list. `nextOffset` is the offset of the next page; null on the last page. */
export interface Page<T> {
  items: T[];
  total: number;
  hasMore: boolean;
  nextOffset: number | null;
}

/**
 * Sorts a list and returns one page of it.
 * @param key returns the fields that an item is sorted by
 * @param fallback `sort` and `order` for a query without them
 */
export function page<T>(
  all: readonly T[],
  paging: Paging,
  key: (item: T) => Sortable,
  fallback: Required<Pick<Paging, 'sort' | 'order'>>,
): Page<T> {
  const sort = paging.sort ?? fallback.sort;
  const order = paging.order ?? (paging.sort ? 'asc' : fallback.order);
  const { limit = 20, offset = 0 } = paging;
  const keyed = all.map((item) => ({ item, by: key(item) }));
  keyed.sort((a, b) => compare(a.by, b.by, sort) * (order === 'desc' ? -1 : 1));
  const items = keyed.slice(offset, offset + limit).map(({ item }) => item);
  return { items, ...placeOf(offset, items.length, all.length) };
}

/** Returns the position of a page that begins at `offset` and has `count` of `total` items. */
export function placeOf(offset: number, count: number, total: number): Omit<Page<unknown>, 'items'> {
  const end = offset + count;
  const hasMore = end < total;
  return { total, hasMore, nextOffset: hasMore ? end : null };
}

function compare(a: Sortable, b: Sortable, sort: keyof Sortable): number {
  if (a[sort] !== b[sort]) return a[sort] < b[sort] ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** The fields by which a reply is recognized as a page of a list, and the cursor that continues some lists. */
interface Placed extends Pick<Page<unknown>, 'total' | 'hasMore'> {
  nextCursor?: string | null;
}

/** Whether a reply's body is a page of a list. */
export function isPage(body: object): body is Placed {
  return 'hasMore' in body && 'total' in body;
}

/**
 * Returns the Link header of a page (RFC 8288). The link relations are `first`, `prev`, `next` and `last`. The first
 * page has no `prev`, and the last page has no `next`. The links keep the filters of the query. If a cursor continues the
 * list, `next` of the last page has this cursor, and `last` is left out, because it is not known.
 * @param query the query string of the request, already checked
 */
export function pageLinks(path: string, query: string, { total, hasMore, nextCursor = null }: Placed): string {
  const given = new URLSearchParams(query);
  const limit = Number(given.get('limit') ?? 20);
  const offset = Number(given.get('offset') ?? 0);
  const link = (rel: string, at: number, cursor?: string): string => {
    const wanted = new URLSearchParams(given);
    wanted.set('limit', String(limit));
    wanted.set('offset', String(at));
    if (cursor !== undefined) wanted.set('cursor', cursor);
    return `<${path}?${wanted}>; rel="${rel}"`;
  };
  const links = [link('first', 0)];
  if (offset > 0) links.push(link('prev', Math.max(0, Math.min(offset, total) - limit)));
  if (hasMore) links.push(link('next', offset + limit));
  else if (nextCursor !== null) links.push(link('next', 0, nextCursor));
  if (nextCursor === null) links.push(link('last', total === 0 ? 0 : Math.floor((total - 1) / limit) * limit));
  return links.join(', ');
}
