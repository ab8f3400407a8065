/**
 * Sends a request. The client repeats a request after a reply with 429 or 5xx, and after a broken connection. The
 * client does not repeat a request after any other error. All attempts of a POST have the same Idempotency-Key, so that
 * the service carries out the POST only once.
 */
import { type Meta, readMeta, ServerError, TidingsError, toError } from './errors.ts';
import type { Positions } from './positions.ts';

/** The client options that are used to send a request. */
export interface Sending {
  url: string;
  /** Makes the headers by which the service knows the client. Called once per call, before the first attempt. */
  authorize: () => Record<string, string>;
  /** Whether the client belongs to a page of the service, which has a session. */
  sendsCookie: boolean;
  testMode: boolean;
  /** The positions of the replies so far. */
  positions: Positions;
  /** Maximum number of retries after the first attempt. */
  retries: number;
  /** Maximum wait before a retry, in milliseconds. If the service asks for a longer wait, the call fails. */
  maxWaitMs: number;
  timeoutMs: number;
  fetch: typeof fetch;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Options of one call. */
export interface CallOptions {
  /**
   * The `etag` of the reply that the change is based on. The service refuses the change if the resource has changed
   * after that reply.
   */
  ifMatch?: string;
  /**
   * Replaces the random key of a POST. If the value is `false`, the client sends no key. The client then does not
   * repeat an attempt that the service may have carried out.
   */
  idempotencyKey?: string | false;
  requestId?: string;
  signal?: AbortSignal;
}

/** A request before the client's headers are added. */
export interface Outgoing {
  method: string;
  path: string;
  body: unknown;
  options: CallOptions;
  /** Whether the client makes one attempt only. */
  once?: boolean;
}

const firstWaitMs = 500;
const maxBackoffMs = 8000;

/**
 * Sends a request. Returns the body of the reply, and the reply's other data as `meta`.
 * @throws TidingsError for an error reply, or the error of `fetch` when the last attempt got no reply
 */
export async function send(sending: Sending, outgoing: Outgoing): Promise<{ body: unknown; meta: Meta }> {
  const init = toInit(sending, outgoing);
  for (let attempt = 0; ; attempt++) {
    const outcome = await once(sending, outgoing, init);
    if (!(outcome instanceof Error)) return outcome;
    const waitMs = attempt < sending.retries && mayRepeat(outgoing, outcome) ? waitBefore(outcome, attempt) : undefined;
    if (waitMs === undefined || waitMs > sending.maxWaitMs) throw outcome;
    await sending.sleep(waitMs, outgoing.options.signal);
  }
}

/** Returns the parts of a request by which the service knows the client. */
export function identity({ authorize, sendsCookie, testMode, positions }: Sending) {
  return {
    headers: { ...authorize(), ...(testMode && { 'x-test-mode': 'true' }), ...positions.headers() },
    // The cookie of a session goes only to the service that the page came from. Cloudflare Workers do not support this
    // field, and a client with a key does not need it.
    ...(sendsCookie && { credentials: 'same-origin' as const }),
  };
}

function toInit(sending: Sending, { method, body, options }: Outgoing): RequestInit {
  const known = identity(sending);
  const headers: Record<string, string> = { ...known.headers, accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (options.ifMatch !== undefined) headers['if-match'] = options.ifMatch;
  if (options.requestId !== undefined) headers['x-request-id'] = options.requestId;
  const { idempotencyKey = randomKey() } = options;
  if (method === 'POST' && idempotencyKey !== false) headers['idempotency-key'] = idempotencyKey;
  const content = body !== undefined && { body: JSON.stringify(body) };
  return { ...known, method, headers, redirect: 'manual', ...content };
}

/** Returns 144 random bits in hex. `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Makes one attempt. Returns a failure instead of throwing it, since another attempt may succeed. Throws only if the
 * caller aborts.
 */
async function once(
  sending: Sending,
  { path, options }: Outgoing,
  init: RequestInit,
): Promise<{ body: unknown; meta: Meta } | Error> {
  const limit = AbortSignal.timeout(sending.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  try {
    const response = await sending.fetch(sending.url + path, { ...init, signal });
    const meta = readMeta(response);
    sending.positions.note(response.headers.get('tidings-position'));
    if (isRedirect(response))
      return toError({ message: 'The service answered with a redirect. Check the address.' }, meta);
    const body = parsed(await response.text());
    return response.ok ? { body, meta } : toError((body ?? {}) as object, meta);
  } catch (error) {
    options.signal?.throwIfAborted();
    return error as Error;
  }
}

/**
 * Whether a reply is a redirect. Browsers hide the status of a redirect, and edge runtimes (such as Cloudflare Workers)
 * do not support `redirect: 'error'`.
 */
export function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

/** Parses JSON. Returns undefined for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mayRepeat({ method, options, once }: Outgoing, error: Error): boolean {
  if (once) return false;
  if (error instanceof TidingsError && error.status === 429) return true;
  // The service may have carried out the failed attempt. A second attempt with `ifMatch` would then fail, because the
  // first attempt has changed the resource. A second POST without a key would be carried out twice.
  if (options.ifMatch !== undefined || (method === 'POST' && options.idempotencyKey === false)) return false;
  return error instanceof ServerError || !(error instanceof TidingsError);
}

/**
 * Returns the wait before the next attempt, in milliseconds. It is the time that the service asks for, or a time that
 * doubles with each attempt. A random part keeps clients from retrying at the same moment.
 */
function waitBefore(error: Error, attempt: number): number {
  const asked = error instanceof TidingsError ? error.meta.retryAfter : undefined;
  if (asked !== undefined) return asked * 1000 + Math.random() * 100;
  return Math.min(firstWaitMs * 2 ** attempt, maxBackoffMs) * (0.5 + Math.random() / 2);
}
