/**
 * Signs in to the journal's server with the NKey of a user. The client library signs in plain JavaScript, whose first
 * signature takes 80 ms; the crypto module of Node.js takes 4 ms.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Authenticator } from 'nats';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** The first byte of a user's public key. In base32, its text begins with U. */
const userPrefix = 0xa0;
/** The bytes before the 32 bytes of an Ed25519 key in the format PKCS #8. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Creates an authenticator that signs with a user's key.
 * @param seed the NKey seed of the user, such as `SUA…`, whose checksum was checked before
 */
export function nkeyAuthenticator(seed: string): Authenticator {
  const key = privateKeyOf(seed);
  const nkey = publicNkeyOf(key);
  return (nonce) => ({ nkey, sig: nonce ? sign(null, Buffer.from(nonce), key).toString('base64') : '' });
}

/** @returns the key in a seed: its bytes follow two bytes that name the kind of the key */
function privateKeyOf(seed: string): KeyObject {
  const bytes = Buffer.concat([pkcs8Start, fromBase32(seed).subarray(2, 34)]);
  return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
}

function publicNkeyOf(key: KeyObject): string {
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const payload = Buffer.from([userPrefix, ...raw]);
  const checksum = checksumOf(payload);
  return toBase32(Buffer.from([...payload, checksum & 0xff, checksum >> 8]));
}

/** Returns the CRC-16 of bytes, as XMODEM defines it. */
function checksumOf(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc;
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}

function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
