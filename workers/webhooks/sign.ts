/**
 * Signs outgoing webhooks as Standard Webhooks 1.0.0 asks: an HMAC-SHA256 over id, time and the very bytes that are sent. The
 * digest of the body beside it (RFC 9530) proves nothing; it tells a receiver a changed body from a wrong secret.
 */
import { createHash, createHmac } from 'node:crypto';

/** What a webhook secret begins with; the rest is the key in base64. */
const prefix = 'whsec_';

/**
 * The headers of one attempt.
 * @param secrets in clear; each that is in force signs, so that a receiver may know any of them
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
