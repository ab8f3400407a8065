/**
 * Conditional requests (RFC 9110, section 13): what `If-Match` and `If-None-Match` say. Whether a write's condition holds is
 * decided where the write is folded.
 */
import { invalid } from '../errors.ts';
import { digestInEtag, entityTag, entityTags, longestTagHeader } from '../etag.ts';

const list = new RegExp(`^[ \\t]*${entityTag.source}([ \\t]*,[ \\t]*${entityTag.source})*[ \\t]*$`);

/**
 * The digests that `If-Match` asks for; undefined when any state will do. A weak tag, or one that is not ours, matches nothing.
 * @throws ServiceError `invalid` when the header is neither `*` nor a list of entity tags
 */
export function readIfMatch(header: string | undefined): string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (header.length > longestTagHeader || !list.test(header)) {
    throw invalid({ 'If-Match': 'expected * or a list of entity tags in double quotes' }, 'A header is invalid.');
  }
  return entityTags(header).flatMap(({ weak, opaque }) => (weak ? [] : (digestInEtag(opaque) ?? [])));
}
