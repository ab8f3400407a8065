/**
 * Verifies webhooks of the service (Standard Webhooks 1.0.0): an HMAC-SHA256 over id, time and raw body. The body must
 * be the received bytes, since JSON that was parsed and serialized again can differ in its bytes. This module needs
 * only Web Crypto, which Node, browsers and workers have.
 */
import type { WebhookEvent } from './operations.ts';

/** The reason why a webhook was rejected. */
export type WebhookFault = 'missingHeader' | 'oldTimestamp' | 'changedBody' | 'wrongSignature';

export class WebhookError extends Error {
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.fault = fault;
  }
}

/** Request headers: a `Headers` object, or a record like `request.headers` of Node's servers. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A byte array of the type that Web Crypto accepts. */
type Bytes = Uint8Array<ArrayBuffer>;

const prefix = 'whsec_';
const hmac = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Verifies a webhook and parses its body.
 * @param rawBody the bytes of the request, or their text, never the parsed object
 * @param secret `whsec_` followed by base64, or an array of such secrets during a rotation
 * @param toleranceSeconds maximum difference between the webhook's timestamp and the clock of this machine
 * @returns the parsed body; `event` determines the shape of `data`. The body is also returned if this version of the
 *   SDK does not know the event.
 * @throws WebhookError for a webhook that cannot be trusted, or TypeError for a body or secret of the wrong form
 */
export async function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  toleranceSeconds = 300,
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const id = required(headers, 'webhook-id');
  const timestamp = required(headers, 'webhook-timestamp');
  const signatures = required(headers, 'webhook-signature');
  const sent = Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - sent) > toleranceSeconds) {
    const limit = `more than ${toleranceSeconds} seconds from now`;
    throw new WebhookError('oldTimestamp', `webhook-timestamp is ${limit}: ${JSON.stringify(timestamp)}`);
  }
  const keys = (typeof secret === 'string' ? [secret] : secret).map(keyOf);
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? [fromBase64(each.slice(3))] : []));
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (!(await matches(keys, given, signed))) throw await mismatch(body, headers);
  return JSON.parse(new TextDecoder().decode(body));
}

/** Whether any of the signatures was made with any of the keys. Web Crypto compares signatures in constant time. */
async function matches(keys: readonly Bytes[], given: readonly (Bytes | undefined)[], signed: Bytes): Promise<boolean> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']);
    for (const signature of given) {
      if (signature && (await crypto.subtle.verify(hmac, key, signature, signed))) return true;
    }
  }
  return false;
}

/**
 * Returns the error for a wrong signature. If the content digest does not match the body, the error says that the body
 * was changed. In all other cases, the error says that the secret is wrong. This distinction only helps with debugging,
 * since a forged webhook can contain any digest.
 */
async function mismatch(body: Bytes, headers: WebhookHeaders): Promise<WebhookError> {
  const [, digest] = /(?:^|,)\s*sha-256=:([^:]*):/.exec(optional(headers, 'content-digest') ?? '') ?? [];
  const isChanged = digest !== undefined && digest !== toBase64(await crypto.subtle.digest('SHA-256', body));
  return isChanged
    ? new WebhookError('changedBody', 'The body differs from the sent one. Was it parsed and serialized again?')
    : new WebhookError('wrongSignature', 'No signature matches this secret.');
}

/**
 * Converts the body to bytes. It does not use `instanceof`, because an object of another realm (such as an iframe) has
 * different classes.
 */
function bytesOf(rawBody: unknown): Bytes {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (ArrayBuffer.isView(rawBody)) {
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength).slice();
  }
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody as ArrayBuffer);
  throw new TypeError('rawBody: expected the bytes of the request as received, got a parsed object');
}

function optional(headers: WebhookHeaders, name: string): string | undefined {
  const value = isHeaders(headers) ? headers.get(name) : entry(headers, name);
  return (typeof value === 'string' ? value : value?.[0]) || undefined;
}

function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
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

function keyOf(secret: string): Bytes {
  const key = secret.startsWith(prefix) ? fromBase64(secret.slice(prefix.length)) : undefined;
  if (key === undefined || key.length < 16) {
    throw new TypeError('secret: expected whsec_ and the base64 of 24 to 64 bytes');
  }
  return key;
}

/** Decodes base64. Returns undefined for any other text. */
function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

function concat(first: Uint8Array, second: Uint8Array): Bytes {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
