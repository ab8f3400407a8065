/**
 * Sealing of secrets at rest: AES-256-GCM under the instance's sealing key, bound to what the secret belongs to, so that a
 * sealed text copied to another place does not open there. Former keys open what they sealed. Where sealed texts are kept is
 * their owners' matter.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** Seals, opens and digests texts. `belongsTo` names the thing and what it is bound to, and must be the same both times. */
export interface Sealer {
  seal(text: string, belongsTo: readonly string[]): string;
  /** @throws SealError when the text was sealed under another key, for something else, or was changed */
  open(sealed: string, belongsTo: readonly string[]): string;
  /** Whether a text is sealed under the key in use, and not under a former one. */
  isCurrent(sealed: string): boolean;
  /** A digest of a text under a key of its own, in base64url: the same text of the same thing always has the same. */
  mac(text: string, belongsTo: readonly string[]): string;
}

/** A sealed text that does not open. The message says why and holds nothing of the secret. */
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

/** The key of a text in hex or base64 (either alphabet); undefined when it is not 32 bytes. */
export function parseSealingKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === sealingKeyBytes ? key : undefined;
}

/** What digests are made with unless a rotation has left them another key. */
export function digestKeyOf(key: Buffer): Buffer {
  return createHmac('sha256', key).update('tidings digests').digest();
}

/**
 * Makes the sealer of the key in use and of former ones, which only open. Its texts are `v1`, the key's fingerprint in hex, and
 * nonce, ciphertext and tag in base64url, with dots between.
 * @param digestKey stays the same over rotations, or what is kept by its digest would mean nobody any more
 */
export function createSealer(key: Buffer, former: readonly Buffer[] = [], digestKey = digestKeyOf(key)): Sealer {
  const keyId = fingerprint(key);
  const keys = new Map([key, ...former].map((each) => [fingerprint(each), each]));
  return {
    seal: (text, belongsTo) => {
      // Random nonces are safe for some four thousand million seals under one key; a service makes a few hundred.
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(associated(belongsTo));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${keyId}.${sealed.toString('base64url')}`;
    },
    open: (sealed, belongsTo) => {
      const [, sealedUnder, content = ''] = pattern.exec(sealed) ?? [];
      if (sealedUnder === undefined) throw new SealError('it is not a sealed text of a known version');
      const sealing = keys.get(sealedUnder);
      if (!sealing) {
        throw new SealError(`it was sealed under another key (${sealedUnder}; the sealing key in use is ${keyId})`);
      }
      return decipher(sealing, Buffer.from(content, 'base64url'), belongsTo);
    },
    isCurrent: (sealed) => pattern.exec(sealed)?.[1] === keyId,
    mac: (text, belongsTo) =>
      createHmac('sha256', digestKey).update(associated(belongsTo)).update('\n').update(text).digest('base64url'),
  };
}

function decipher(key: Buffer, bytes: Buffer, belongsTo: readonly string[]): string {
  if (bytes.length < nonceBytes + tagBytes) throw new SealError('it is cut short');
  const opening = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAAD(associated(belongsTo));
  opening.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = opening.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, opening.final()]).toString('utf8');
  } catch {
    throw new SealError('it was changed, or sealed for something else');
  }
}

/** JSON, so that no two lists give the same bytes. */
function associated(belongsTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(belongsTo));
}

/** Tells keys apart; of a key with 256 random bits it reveals nothing. */
function fingerprint(key: Buffer): string {
  return createHash('sha256').update('tidings sealing key').update(key).digest('hex').slice(0, 16);
}
