/**
 * Checks that a body was signed with a webhook secret: HMAC-SHA256 over the raw bytes, compared in constant time. A missing,
 * short or malformed signature takes the same way to the same answer as a wrong one.
 */
import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';

const pattern = /^sha256=([0-9a-f]{64})$/i;

/** The 32 bytes of a signature header; undefined when it is not `sha256=` and 64 hex digits. */
export function parseSignature(header: string | undefined): Buffer | undefined {
  const match = header === undefined ? null : pattern.exec(header);
  return match ? Buffer.from(match[1] as string, 'hex') : undefined;
}

/**
 * One check under way: fed with the pieces of a body as they arrive, under the current secret; other secrets are tried on
 * the whole body only when that fails.
 */
export class SignatureCheck {
  private readonly signature: Buffer | undefined;
  private readonly secrets: readonly string[];
  private readonly hmac: Hmac | undefined;

  /** @param secrets the current one first; empty secrets are never accepted */
  constructor(header: string | undefined, secrets: readonly string[]) {
    this.signature = parseSignature(header);
    this.secrets = secrets.filter((secret) => secret !== '');
    const [current] = this.secrets;
    if (current !== undefined) this.hmac = createHmac('sha256', current);
  }

  update(chunk: Uint8Array): void {
    this.hmac?.update(chunk);
  }

  /** Whether the body, whose pieces were all given, was signed with one of the secrets. */
  verify(body: Uint8Array): boolean {
    let good = this.hmac !== undefined && this.equals(this.hmac.digest());
    for (const secret of this.secrets.slice(1)) {
      if (!good) good = this.matches(body, secret);
    }
    return good;
  }

  /** Whether the body was signed with one more secret. Takes as long for a header that is no signature. */
  matches(body: Uint8Array, secret: string): boolean {
    return secret !== '' && this.equals(createHmac('sha256', secret).update(body).digest());
  }

  private equals(digest: Buffer): boolean {
    const equal = timingSafeEqual(digest, this.signature ?? Buffer.alloc(32));
    return equal && this.signature !== undefined;
  }
}
