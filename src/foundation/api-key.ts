/**
 * Creates, checks and hashes API keys. A key is `rn_live_` or `rn_test_`, then 30 random base62 characters, then a
 * CRC-32 checksum in 6 characters. The checksum makes it possible to refuse a mistyped key without reading the store.
 * Only the SHA-256 of a key is stored.
 */
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pattern = /^(rn_live_|rn_test_)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
const randomLength = 30;
const checksumLength = 6;

/**
 * Advice for the error message about a key that is not accepted. The first sentence is prescribed by the specification.
 * The second one is for people without a key, because they cannot open the dashboard.
 */
export const newKeyRemedy =
  'Generate a new key in the dashboard under Settings → API Keys. Without a key, run tidings keys create --org ORGANIZATION --name NAME where the service runs.';

/** The parts of a key that are stored. */
export interface KeyParts {
  prefix: string;
  hash: string;
  last4: string;
}

/** Creates a key and returns its full text, which is shown only once. */
export function newKey(kind: 'live' | 'test' = 'live'): string {
  let random = '';
  for (let i = 0; i < randomLength; i++) random += alphabet.charAt(randomInt(alphabet.length));
  const body = `rn_${kind}_${random}`;
  return body + checksum(body);
}

/** Returns the reason why a text cannot be an API key; undefined if the text has the form of an API key. */
export function keyFault(key: string): 'malformed' | 'checksum' | undefined {
  const match = pattern.exec(key);
  if (!match) return 'malformed';
  return checksum(key.slice(0, -checksumLength)) === match[3] ? undefined : 'checksum';
}

/** Returns the parts of a key that may be stored. */
export function keyParts(key: string): KeyParts {
  return { prefix: key.slice(0, 'rn_live_'.length), hash: hashKey(key), last4: key.slice(-4) };
}

/** Returns the SHA-256 of a key in hex. A slow hash is not needed, because a key has 178 bits of entropy. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let i = 0; i < checksumLength; i++) {
    out = alphabet.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}
