/**
 * Checks that a body was signed with a webhook secret: HMAC-SHA256 over the raw bytes, compared in constant time. The
 * check of a missing, short or malformed signature takes the same steps and time as the check of a wrong signature.
 */
import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';

const pattern = /^sha256=[0-9a-f]{64}$/i;
const digits = 64;

/**
 * Returns the 64 hex digits of a signature header of the form `sha256=` and 64 hex digits, in lower case. Returns
 * undefined for any other header.
 */
export function parseSignature(header: string | undefined): string | undefined {
  if (header === undefined || !pattern.test(header)) return undefined;
  return header.slice(-digits).toLowerCase();
}

// The comparison needs buffers. All checks share these two, because a comparison does not wait for anything.
const computed = Buffer.alloc(digits);
const given = Buffer.alloc(digits);
const missing = 'x'.repeat(digits);

/**
 * Checks the signature of one body. The pieces of the body are hashed with the current secret as they arrive. If the
 * body was not signed with the current secret, other secrets are tried on the whole body.
 */
export class SignatureCheck {
  private readonly signature: string | undefined;
  private readonly secrets: readonly string[];
  /** Index of the current secret: the first one that is not empty; -1 if there is none. */
  private readonly current: number;
  private readonly hmac: Hmac | undefined;

  /** @param secrets the secrets to try, with the current secret first; empty secrets are ignored */
  constructor(header: string | undefined, secrets: readonly string[]) {
    this.signature = parseSignature(header);
    this.secrets = secrets;
    this.current = secrets.findIndex((secret) => secret !== '');
    if (this.current >= 0) this.hmac = createHmac('sha256', secrets[this.current] as string);
  }

  update(chunk: Uint8Array): void {
    this.hmac?.update(chunk);
  }

  /** Whether the body was signed with one of the secrets. Pass all pieces of the body to `update` before this call. */
  verify(body: Uint8Array): boolean {
    let good = this.hmac !== undefined && this.equals(this.hmac.digest('hex'));
    for (let i = this.current + 1; i < this.secrets.length && !good; i++) {
      good = this.matches(body, this.secrets[i] as string);
    }
    return good;
  }

  /**
   * Whether the body was signed with the given secret. The duration of the check does not depend on whether the header
   * is a valid signature.
   */
  matches(body: Uint8Array, secret: string): boolean {
    return secret !== '' && this.equals(createHmac('sha256', secret).update(body).digest('hex'));
  }

  private equals(digest: string): boolean {
    computed.write(digest, 'latin1');
    given.write(this.signature ?? missing, 'latin1');
    return timingSafeEqual(computed, given);
  }
}
