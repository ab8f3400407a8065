/**
 * Reads the Link header of a list: the address of the next page and the number of pages.
 */

export interface Links {
  /** The address of the next page as the host sent it, except that a relative address is made absolute. */
  next: string | null;
  /** Number of pages of the list; null when the host does not report it. */
  pages: number | null;
}

/** Reads the Link header of a reply from `url`. */
export function linksOf(header: string | null, url: string): Links {
  const next = targetOf(header, 'next');
  const last = targetOf(header, 'last');
  const absolute = next !== null && !URL.canParse(next) && URL.canParse(next, url) ? new URL(next, url).href : next;
  if (last !== null) return { next: absolute, pages: pageNumber(last, url) };
  return { next: absolute, pages: next === null ? (pageNumber(url, url) ?? 1) : null };
}

/**
 * Returns the address of a relation, such as `next`, in the Link header. The header is read in one pass, since it can
 * be long and hostile.
 */
function targetOf(header: string | null, relation: string): string | null {
  for (const part of (header ?? '').split('<').slice(1)) {
    const end = part.indexOf('>');
    const relations = /;\s*rel\s*=\s*"?([^";,]*)/i.exec(part.slice(end + 1))?.[1] ?? '';
    if (end > 0 && relations.toLowerCase().split(/\s+/).includes(relation)) return part.slice(0, end);
  }
  return null;
}

function pageNumber(address: string, base: string): number | null {
  const page = URL.canParse(address, base) ? new URL(address, base).searchParams.get('page') : null;
  return page !== null && /^[1-9]\d{0,8}$/.test(page) ? Number(page) : null;
}
