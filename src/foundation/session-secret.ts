/**
 * Creates, hashes and compares the secrets of sessions: the token in the cookie, the value of the header
 * X-Tidings-CSRF, and sign-in codes. Only the SHA-256 of a secret is stored. A slow hash is not needed, because a
 * secret has 256 random bits.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const secretPattern = /^[\w-]{43}$/;

/** Creates a secret: 43 letters, digits, `-` and `_`. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the form of a secret. */
export function isSessionSecret(text: string): boolean {
  return secretPattern.test(text);
}

/** Returns the SHA-256 of a secret, in hex. */
export function hashSessionSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret has this hash. The comparison takes the same time for every secret. */
export function hasHash(secret: string, hash: string): boolean {
  const known = Buffer.from(hash, 'hex');
  const given = createHash('sha256').update(secret).digest();
  return known.length === given.length && timingSafeEqual(known, given);
}
