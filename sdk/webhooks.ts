/**
 * Verifies webhooks that the service sends (Standard Webhooks 1.0.0): an HMAC-SHA256 over id, time and the raw body. The body
 * must be the bytes as they came; parsed and written again it is another text. Uses Web Crypto, so it runs wherever that is.
 */
import type { WebhookEvent } from './operations.ts';

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

/** Bytes as Web Crypto takes them. */
type Bytes = Uint8Array<ArrayBuffer>;

const prefix = 'whsec_';
const hmac = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Checks a webhook and reads it.
 * @param rawBody the bytes of the request, or their text, never the parsed object
 * @param secret `whsec_` and base64; several while one is rotated
 * @param toleranceSeconds how far its time may be from ours
 * @returns the parsed body; its `event` says which shape its `data` has. An event that this version does not know comes as it is.
 * @throws WebhookError for one that is not to be trusted, TypeError for a body or secret of the wrong form
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

/** Whether one of the signatures was made with one of the keys; Web Crypto compares them in constant time. */
async function matches(keys: readonly Bytes[], given: readonly (Bytes | undefined)[], signed: Bytes): Promise<boolean> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']);
    for (const signature of given) {
      if (signature && (await crypto.subtle.verify(hmac, key, signature, signed))) return true;
    }
  }
  return false;
}

/** Which of the two it is; whoever forges a webhook can make it look like either. */
async function mismatch(body: Bytes, headers: WebhookHeaders): Promise<WebhookError> {
  const [, digest] = /(?:^|,)\s*sha-256=:([^:]*):/.exec(optional(headers, 'content-digest') ?? '') ?? [];
  const isChanged = digest !== undefined && digest !== toBase64(await crypto.subtle.digest('SHA-256', body));
  return isChanged
    ? new WebhookError('changedBody', 'The body is not the one that was sent: was it parsed and written again?')
    : new WebhookError('wrongSignature', 'No signature was made with this secret.');
}

/** Texts and bytes may come from another realm, where their classes are others: their type decides, not their class. */
function bytesOf(rawBody: unknown): Bytes {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (ArrayBuffer.isView(rawBody)) {
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength).slice();
  }
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody as ArrayBuffer);
  throw new TypeError('rawBody: expected the bytes of the request as they came, got a parsed object');
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

/** The bytes; undefined for a text that is not base64. */
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
