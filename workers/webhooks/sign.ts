/**
 * Signs outgoing webhooks as Standard Webhooks 1.0.0 requires: an HMAC-SHA256 over the id, the time and exactly the
 * bytes that are sent. A digest of the body (RFC 9530) is sent too. The digest does not prove who sent the webhook, but
 * it helps a receiver to distinguish a changed body from a wrong secret.
 */
import { createHash, createHmac } from 'node:crypto';

/** Prefix of a webhook secret; the rest is the key in base64. */
const prefix = 'whsec_';

/**
 * Returns the headers of one attempt.
 * @param secrets the secrets in plain text; each adds a signature, so a receiver may verify with any of them
 * @param at when the attempt begins, in milliseconds
 */
export function signedHeaders(
  secrets: readonly string[],
  eventId: string,
  body: string,
  at: number,
): Record<string, string> {
  const timestamp = Math.floor(at / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
    'user-agent': 'Tidings-Webhooks',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
