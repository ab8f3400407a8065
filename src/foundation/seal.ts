/**
 * Seals secrets: encrypts them for storage, with AES-256-GCM under the sealing key of the instance. A sealed text is
 * bound to the object that the secret belongs to, so it cannot be opened if it is copied to another object. Former
 * sealing keys open the texts that were sealed with them. The callers store the sealed texts.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/**
 * Seals, opens and digests texts. `belongsTo` identifies the object that a text is bound to. A text can only be opened
 * with the same `belongsTo` with which it was sealed.
 */
export interface Sealer {
  seal(text: string, belongsTo: readonly string[]): string;
  /** @throws SealError if the text was sealed under an unknown key or for another object, or if it was changed */
  open(sealed: string, belongsTo: readonly string[]): string;
  /** Whether a text is sealed under the current key, and not under a former key. */
  isCurrent(sealed: string): boolean;
  /**
   * Returns the digest (HMAC) of a text in base64url. The same text with the same `belongsTo` always has the same
   * digest.
   */
  mac(text: string, belongsTo: readonly string[]): string;
}

/**
 * The error for a sealed text that cannot be opened. The message gives the reason and contains no part of the secret.
 */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealError';
  }
}

export const sealingKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';
const pattern = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/;

/** Parses a sealing key in hex, base64 or base64url. Returns undefined if the key does not have 32 bytes. */
export function parseSealingKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === sealingKeyBytes ? key : undefined;
}

/**
 * Derives the key for digests (`mac`) from a sealing key. The service stores the digest key. A rotation of the sealing
 * key does not change the stored digest key.
 */
export function digestKeyOf(key: Buffer): Buffer {
  return createHmac('sha256', key).update('tidings digests').digest();
}

/**
 * Creates a sealer that seals with `key` and opens with `key` and the keys in `former`. A sealed text is
 * `v1.FINGERPRINT.CONTENT`. FINGERPRINT is the fingerprint of the key in hex. CONTENT is the nonce, the ciphertext and
 * the authentication tag together in base64url.
 * @param digestKey must stay the same after a rotation, because some rows of the store have a digest as their key
 */
export function createSealer(key: Buffer, former: readonly Buffer[] = [], digestKey = digestKeyOf(key)): Sealer {
  const keyId = fingerprint(key);
  const keys = new Map([key, ...former].map((each) => [fingerprint(each), each]));
  return {
    seal: (text, belongsTo) => {
      // Random nonces are safe for about 4,000,000,000 sealed texts under one key. An instance seals a few hundred.
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(associated(belongsTo));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${keyId}.${sealed.toString('base64url')}`;
    },
    open: (sealed, belongsTo) => {
      const [, sealedUnder, content = ''] = pattern.exec(sealed) ?? [];
      if (sealedUnder === undefined) throw new SealError('the stored value is not in a known sealed format');
      const sealing = keys.get(sealedUnder);
      if (!sealing) {
        throw new SealError(
          `the stored value was sealed with another key (${sealedUnder}; the sealing key in use is ${keyId})`,
        );
      }
      return decipher(sealing, Buffer.from(content, 'base64url'), belongsTo);
    },
    isCurrent: (sealed) => pattern.exec(sealed)?.[1] === keyId,
    mac: (text, belongsTo) =>
      createHmac('sha256', digestKey).update(associated(belongsTo)).update('\n').update(text).digest('base64url'),
  };
}

function decipher(key: Buffer, bytes: Buffer, belongsTo: readonly string[]): string {
  if (bytes.length < nonceBytes + tagBytes) throw new SealError('it is incomplete');
  const opening = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAAD(associated(belongsTo));
  opening.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = opening.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, opening.final()]).toString('utf8');
  } catch {
    throw new SealError('the stored value was changed, or was sealed for another object');
  }
}

/**
 * Returns the associated data that a sealed text is bound to. `belongsTo` is encoded as JSON, so that two different
 * lists never give the same bytes.
 */
function associated(belongsTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(belongsTo));
}

/** Returns a text that identifies a key. It reveals nothing about the key, because the key has 256 random bits. */
function fingerprint(key: Buffer): string {
  return createHash('sha256').update('tidings sealing key').update(key).digest('hex').slice(0, 16);
}
