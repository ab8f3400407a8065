/**
 * Verifies webhooks that the service sends (Standard Webhooks 1.0.0): an HMAC-SHA256 over id, time and the raw body. The body
 * must be the bytes as they came; parsed and written again it is another text.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Why a webhook is not to be trusted. */
export type WebhookFault = 'missingHeader' | 'oldTimestamp' | 'changedBody' | 'wrongSignature';

export class WebhookError extends Error {
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.fault = fault;
  }
}

/** Headers as any server has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const prefix = 'whsec_';

/**
 * Checks a webhook and reads it.
 * @param rawBody the bytes of the request, or their text, never the parsed object
 * @param secret `whsec_` and base64; several while one is rotated
 * @param toleranceSeconds how far its time may be from ours
 * @returns the parsed body
 * @throws WebhookError for one that is not to be trusted, TypeError for a body or secret of the wrong form
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  toleranceSeconds = 300,
): unknown {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('rawBody: expected the bytes of the request as they came, got a parsed object');
  }
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    required(headers, `webhook-${name}`),
  );
  const sent = Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp ?? '') || Math.abs(Date.now() / 1000 - sent) > toleranceSeconds) {
    const limit = `more than ${toleranceSeconds} seconds from now`;
    throw new WebhookError('oldTimestamp', `webhook-timestamp is ${limit}: ${JSON.stringify(timestamp)}`);
  }
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const expected = secrets.map((each) => {
    return createHmac('sha256', keyOf(each)).update(`${id}.${timestamp}.`).update(rawBody).digest();
  });
  const given = (signatures ?? '').split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice(3)] : []));
  const matches = given.some((each) => expected.some((right) => equal(Buffer.from(each, 'base64'), right)));
  if (!matches) throw mismatch(rawBody, headers);
  return JSON.parse(typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString('utf8'));
}

/** Which of the two it is; whoever forges a webhook can make it look like either. */
function mismatch(rawBody: Uint8Array | string, headers: WebhookHeaders): WebhookError {
  const [, digest] = /(?:^|,)\s*sha-256=:([^:]*):/.exec(optional(headers, 'content-digest') ?? '') ?? [];
  const isChanged = digest !== undefined && digest !== createHash('sha256').update(rawBody).digest('base64');
  return isChanged
    ? new WebhookError('changedBody', 'The body is not the one that was sent: was it parsed and written again?')
    : new WebhookError('wrongSignature', 'No signature was made with this secret.');
}

function optional(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : entry(headers, name);
  return (typeof value === 'string' ? value : value?.[0]) || undefined;
}

function required(headers: WebhookHeaders, name: string): string {
  const text = optional(headers, name);
  if (text === undefined) throw new WebhookError('missingHeader', `The header ${name} is missing.`);
  return text;
}

function entry(headers: Exclude<WebhookHeaders, Headers>, name: string): string | readonly string[] | undefined {
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name);
  return found === undefined ? undefined : headers[found];
}

function keyOf(secret: string): Buffer {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const key = Buffer.from(text, 'base64');
  if (key.length < 16) throw new TypeError('secret: expected whsec_ and the base64 of 24 to 64 bytes');
  return key;
}

function equal(given: Buffer, right: Buffer): boolean {
  return given.length === right.length && timingSafeEqual(given, right);
}
