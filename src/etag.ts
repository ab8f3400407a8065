/**
 * Strong validators of what the API sends: the version of its schema and a digest of the content, never anything of the
 * caller. The digest alone goes into the store and the journal, so that replaying an old command compares as it did then.
 */
import { hash } from 'node:crypto';

/** Counts the changes of response shapes: the same content in another shape has another validator. */
const schemaVersion = 1;

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
