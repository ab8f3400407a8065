/**
 * API keys: `rn_live_` or `rn_test_`, 30 random base62 characters, 6 of CRC-32. The checksum lets a mistyped key be refused
 * before any read; only the SHA-256 of a key is ever stored.
 */
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pattern = /^(rn_live_|rn_test_)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
const randomLength = 30;
const checksumLength = 6;

/** What to do about a key that is not good: the specification's sentence, then what there is until the dashboard is there. */
export const newKeyRemedy =
  'Generate a new key in the dashboard under Settings → API Keys. This version has no dashboard yet: run tidings keys create --org ORGANIZATION --name NAME where the service runs.';

/** What is kept of a key. */
export interface KeyParts {
  prefix: string;
  hash: string;
  last4: string;
}

/** A new key in clear: to be shown once. */
export function newKey(kind: 'live' | 'test' = 'live'): string {
  let random = '';
  for (let i = 0; i < randomLength; i++) random += alphabet.charAt(randomInt(alphabet.length));
  const body = `rn_${kind}_${random}`;
  return body + checksum(body);
}

/** Why a text is no key, or nothing when it can be one. */
export function keyFault(key: string): 'malformed' | 'checksum' | undefined {
  const match = pattern.exec(key);
  if (!match) return 'malformed';
  return checksum(key.slice(0, -checksumLength)) === match[3] ? undefined : 'checksum';
}

/** What may be stored of a key. */
export function keyParts(key: string): KeyParts {
  return { prefix: key.slice(0, 'rn_live_'.length), hash: hashKey(key), last4: key.slice(-4) };
}

/** SHA-256 of a key, hex. A key has 178 bits of entropy, so no slow hash is needed. */
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
