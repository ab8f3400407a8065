/**
 * Creates and compares the ETags of API replies. An ETag contains the version of the response schema and a digest of
 * the content. The ETag is the same for all callers. Store and journal contain only the digest, without the schema
 * version. So a change of the schema version does not affect the digests that a replayed command compares.
 */
import { hash } from 'node:crypto';

/**
 * The version of the response schema. It is increased with each change of a response's shape, so that the same content
 * in another shape has another ETag.
 */
const schemaVersion = 4;

/** Length of a digest in characters of base64url: 132 bits. */
export const digestLength = 22;

/** Returns the digest of a content, for ETags and for comparing texts. */
export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, digestLength);
}

/**
 * Returns the ETag of a content with this digest.
 * @param mark number of a state that the reply shows but that is not part of the digest; 0 = no such state
 */
export function toEtag(digest: string, mark = 0): string {
  return `"${schemaVersion}-${digest}${mark === 0 ? '' : `.${mark}`}"`;
}

/** Returns the mark of a state: a number that differs for nearly all different states, and is never 0. */
export function markOf(state: string): number {
  return hash('sha256', state, 'buffer').readUInt32BE(0) || 1;
}

/**
 * Returns the digest inside an ETag of this service, without its mark; undefined for any other text. The ETag is given
 * without its quotes.
 */
export function digestInEtag(opaque: string): string | undefined {
  return /^\d{1,9}-([\w-]{22})(?:\.\d{1,10})?$/.exec(opaque)?.[1];
}

/** Matches one entity tag (ETag) of a header (RFC 9110, section 8.8.3). */
export const entityTag = /(W\/)?"([\x21\x23-\x7e\x80-\u00ff]*)"/;

/**
 * Maximum length, in characters, of an `If-Match` or `If-None-Match` header that is read. A header of this length has
 * room for several hundred ETags of this service.
 */
export const maxTagHeaderLength = 8192;

/** Returns the entity tags (ETags) of a header, without their quotes. */
export function entityTags(header: string): { weak: boolean; opaque: string }[] {
  const found = header.matchAll(new RegExp(entityTag, 'g'));
  return [...found].map((match) => ({ weak: match[1] !== undefined, opaque: match[2] ?? '' }));
}

/**
 * Whether an `If-None-Match` header contains the ETag of the reply. A header that cannot be parsed contains no ETag.
 */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return entityTags(header.slice(0, maxTagHeaderLength)).some(({ opaque }) => `"${opaque}"` === etag);
}
