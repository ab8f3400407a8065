/**
 * Reads the preconditions of writes (`If-Match`) and adds entity tags to the replies to writes (RFC 9110, section 13).
 * The fold decides whether the precondition of a write holds.
 */
import { invalid } from '../foundation/errors.ts';
import { digestInEtag, entityTag, entityTags, maxTagHeaderLength, toEtag } from '../foundation/etag.ts';
import type { ApiReply } from './route.ts';

const list = new RegExp(`^[ \\t]*${entityTag.source}([ \\t]*,[ \\t]*${entityTag.source})*[ \\t]*$`);

/**
 * Makes the reply to a write. The reply has the same body and the same ETag as the reply to a GET of the changed
 * object.
 * @param value stored result of the write: the fields of the body, and the digest for the ETag
 */
export function changedReply(value: object): ApiReply {
  const { digest, ...body } = value as { digest: string };
  return { status: 200, body, etag: toEtag(digest) };
}

/**
 * Returns the digests in `If-Match`; undefined when the write accepts any state. A weak tag, or a tag that this service
 * did not make, matches no state.
 * @throws ServiceError `invalid` when the header is neither `*` nor a list of entity tags
 */
export function readIfMatch(header: string | undefined): string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (header.length > maxTagHeaderLength || !list.test(header)) {
    throw invalid({ 'If-Match': 'expected * or a list of entity tags in double quotes' }, 'A header is invalid.');
  }
  return entityTags(header).flatMap(({ weak, opaque }) => (weak ? [] : (digestInEtag(opaque) ?? [])));
}
