/**
 * The Link header of a list: where the next page is, and how many pages the host speaks of.
 */

export interface Links {
  /** As the host gave it; only a relative address is completed. */
  next: string | null;
  /** Null where the host does not say. */
  pages: number | null;
}

/** Reads the Link header of the answer that came from `url`. */
export function linksOf(header: string | null, url: string): Links {
  const next = targetOf(header, 'next');
  const last = targetOf(header, 'last');
  const absolute = next !== null && !URL.canParse(next) && URL.canParse(next, url) ? new URL(next, url).href : next;
  if (last !== null) return { next: absolute, pages: pageNumber(last, url) };
  return { next: absolute, pages: next === null ? (pageNumber(url, url) ?? 1) : null };
}

/** The address of a relation; the header is walked once, as it can be long and hostile. */
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
