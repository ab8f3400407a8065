/**
 * One call over the wire, sent again where that can help: after 429, 5xx and a broken connection, never after another refusal.
 * All attempts of a POST carry the same Idempotency-Key, so it is carried out once.
 */
import { type Meta, readMeta, ServerError, TidingsError, toError } from './errors.ts';

/** How a client sends. */
export interface Sending {
  url: string;
  key: string;
  testMode: boolean;
  /** Attempts after the first. */
  retries: number;
  /** The longest that a client waits before an attempt; asked to wait longer, it gives up. */
  longestWaitMs: number;
  timeoutMs: number;
  fetch: typeof fetch;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** What one call may say. */
export interface CallOptions {
  /** The `etag` that the text was read with: the change is refused when the draft has moved since. */
  ifMatch?: string;
  /** Instead of the one that is made for each POST; `false` sends none, and what may have been carried out is not repeated. */
  idempotencyKey?: string | false;
  requestId?: string;
  signal?: AbortSignal;
}

/** A request as it goes out. */
export interface Outgoing {
  method: string;
  path: string;
  body: unknown;
  options: CallOptions;
}

const firstWaitMs = 500;
const longestBackoffMs = 8000;

/**
 * The body of the reply, and what came with it.
 * @throws TidingsError for a refusal; what `fetch` throws when the connection breaks at each attempt
 */
export async function send(sending: Sending, outgoing: Outgoing): Promise<{ body: unknown; meta: Meta }> {
  const init = toInit(sending, outgoing);
  for (let attempt = 0; ; attempt++) {
    const outcome = await once(sending, outgoing, init);
    if (!(outcome instanceof Error)) return outcome;
    const waitMs = attempt < sending.retries && mayRepeat(outgoing, outcome) ? waitBefore(outcome, attempt) : undefined;
    if (waitMs === undefined || waitMs > sending.longestWaitMs) throw outcome;
    await sending.sleep(waitMs, outgoing.options.signal);
  }
}

function toInit(sending: Sending, { method, body, options }: Outgoing): RequestInit {
  const headers: Record<string, string> = { authorization: `Bearer ${sending.key}`, accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (sending.testMode) headers['x-test-mode'] = 'true';
  if (options.ifMatch !== undefined) headers['if-match'] = options.ifMatch;
  if (options.requestId !== undefined) headers['x-request-id'] = options.requestId;
  const { idempotencyKey = randomKey() } = options;
  if (method === 'POST' && idempotencyKey !== false) headers['idempotency-key'] = idempotencyKey;
  return { method, headers, redirect: 'manual', ...(body !== undefined && { body: JSON.stringify(body) }) };
}

/** 144 random bits in hex. `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** One attempt; what can be answered by another one is returned, not thrown. */
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
    if (isRedirect(response))
      return toError({ message: 'The service answered with a redirect. Check the address.' }, meta);
    const body = parsed(await response.text());
    return response.ok ? { body, meta } : toError((body ?? {}) as object, meta);
  } catch (error) {
    options.signal?.throwIfAborted();
    return error as Error;
  }
}

/** Browsers hide the status of a redirect. Workers do not know `redirect: 'error'`. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mayRepeat({ method, options }: Outgoing, error: Error): boolean {
  if (error instanceof TidingsError && error.status === 429) return true;
  // It may have been carried out: a second one would not find the state that it asks for, or do it twice.
  if (options.ifMatch !== undefined || (method === 'POST' && options.idempotencyKey === false)) return false;
  return error instanceof ServerError || !(error instanceof TidingsError);
}

/** The service's own word, or twice as long each time, with a random part so that clients do not come back together. */
function waitBefore(error: Error, attempt: number): number {
  const asked = error instanceof TidingsError ? error.meta.retryAfter : undefined;
  if (asked !== undefined) return asked * 1000 + Math.random() * 100;
  return Math.min(firstWaitMs * 2 ** attempt, longestBackoffMs) * (0.5 + Math.random() / 2);
}
