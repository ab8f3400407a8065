/**
 * Strong validators of what the API sends: the version of its schema and a digest of the content, never anything of the
 * caller. The digest alone goes into the store and the journal, so that replaying an old command compares as it did then.
 */
import { hash } from 'node:crypto';

/** Counts the changes of response shapes: the same content in another shape has another validator. */
const schemaVersion = 2;

/** Length of a digest: 132 bits in base64url. */
export const digestLength = 22;

/** Digest of a content, for validators and for telling texts apart. */
export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, digestLength);
}

/** The ETag of a content with this digest. */
export function toEtag(digest: string): string {
  return `"${schemaVersion}-${digest}"`;
}

/** The digest inside the text of one of our ETags, without its quotes; undefined when it is none. */
export function digestInEtag(opaque: string): string | undefined {
  return /^\d{1,9}-([\w-]{22})$/.exec(opaque)?.[1];
}

/** One entity tag of a header (RFC 9110, section 8.8.3). */
export const entityTag = /(W\/)?"([\x21\x23-\x7e\x80-\u00ff]*)"/;

/** Longest header of tags that is read: some hundred tags of ours. */
export const longestTagHeader = 8192;

/** The tags of a header, without their quotes. */
export function entityTags(header: string): { weak: boolean; opaque: string }[] {
  const found = header.matchAll(new RegExp(entityTag, 'g'));
  return [...found].map((match) => ({ weak: match[1] !== undefined, opaque: match[2] ?? '' }));
}

/** Whether `If-None-Match` names what would be sent; what cannot be read names nothing. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return entityTags(header.slice(0, longestTagHeader)).some(({ opaque }) => `"${opaque}"` === etag);
}
