/**
 * Conditional requests (RFC 9110, section 13): what `If-Match` and `If-None-Match` say. Whether a write's condition holds is
 * decided where the write is folded.
 */
import { invalid } from '../foundation/errors.ts';
import { digestInEtag, entityTag, entityTags, longestTagHeader, toEtag } from '../foundation/etag.ts';
import type { ApiReply } from './handle.ts';

const list = new RegExp(`^[ \\t]*${entityTag.source}([ \\t]*,[ \\t]*${entityTag.source})*[ \\t]*$`);

/**
 * The reply to a write whose result is what a GET answers, with the validator that the GET would have.
 * @param value stored result of the write: the response and its digest
 */
export function changedReply(value: object): ApiReply {
  const { digest, ...body } = value as { digest: string };
  return { status: 200, body, etag: toEtag(digest) };
}

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
