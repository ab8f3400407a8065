/**
 * Conditional requests (RFC 9110, section 13): what `If-Match` and `If-None-Match` say. Whether a write's condition holds is
 * decided where the write is folded.
 */
import { invalid } from '../errors.ts';
import { digestInEtag } from '../etag.ts';

const tag = /(W\/)?"([\x21\x23-\x7e\x80-\u00ff]*)"/;
const list = new RegExp(`^[ \\t]*${tag.source}([ \\t]*,[ \\t]*${tag.source})*[ \\t]*$`);

/** Longest `If-Match` that is taken: some hundred tags of ours. */
const longestHeader = 8192;

/**
 * The digests that `If-Match` asks for; undefined when any state will do. A weak tag, or one that is not ours, matches nothing.
 * @throws ServiceError `invalid` when the header is neither `*` nor a list of entity tags
 */
export function readIfMatch(header: string | undefined): string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (header.length > longestHeader || !list.test(header)) {
    throw invalid({ 'If-Match': 'expected * or a list of entity tags in double quotes' }, 'A header is invalid.');
  }
  return tagsOf(header).flatMap(({ weak, opaque }) => (weak ? [] : (digestInEtag(opaque) ?? [])));
}

/** Whether `If-None-Match` names what would be sent; what cannot be read names nothing. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return tagsOf(header.slice(0, longestHeader)).some(({ opaque }) => `"${opaque}"` === etag);
}

function tagsOf(header: string): { weak: boolean; opaque: string }[] {
  const found = header.matchAll(new RegExp(tag, 'g'));
  return [...found].map((match) => ({ weak: match[1] !== undefined, opaque: match[2] ?? '' }));
}
