/**
 * Implements the client: one method per operation of the API, and helpers that send several requests.
 */
import { type Meta, TidingsError } from './errors.ts';
import { type EventsOptions, type ReceivedEvent, streamEvents } from './events.ts';
import { type Draft, type Operations, operations } from './operations.ts';
import { Positions } from './positions.ts';
import { type CallOptions, type Sending, send } from './send.ts';

/** How a client authenticates: with an API key, or on pages of the service with the session of the browser. */
type ClientAuth = { key: string; session?: never } | { session: SessionAuth; key?: never };

/**
 * The session of a browser that is signed in. The browser sends the session's cookie. The client sends the value `csrf`
 * of the reply of `createSession` in the header `X-Tidings-CSRF`.
 */
export interface SessionAuth {
  /**
   * The value, or a function that returns it before each request. With an empty or missing value, the client sends no
   * header. `createSession` needs none.
   */
  csrf: string | (() => string | undefined);
}

/** Address, authentication, timeout and retry options of a client. */
export type ClientOptions = ClientAuth & CommonOptions;

interface CommonOptions {
  /** Address of the service, such as `https://notes.example`. On pages of the service, it can be empty. */
  url: string;
  /** Sends `X-Test-Mode`: the service stores nothing and returns sample replies. */
  testMode?: boolean;
  /** Maximum number of retries after replies with 429 or 5xx and after broken connections. Default: 3. */
  retries?: number;
  /**
   * Maximum wait before a retry, in milliseconds. Default: 60,000. If the service asks for a longer wait, the call
   * fails immediately.
   */
  maxWaitMs?: number;
  /** Timeout of one attempt, in milliseconds. Default: 30,000. */
  timeoutMs?: number;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
}

type Name = keyof Operations;
/** Names of the operations that return a page of a list. */
type ListName = { [N in Name]: Operations[N] extends { item: unknown } ? N : never }[Name];
type Item<N extends ListName> = Operations[N] extends { item: infer T } ? T : never;
type Call<N extends Name> =
  Record<never, never> extends Operations[N]['input']
    ? (input?: Operations[N]['input'], options?: CallOptions) => Promise<Operations[N]['reply']>
    : (input: Operations[N]['input'], options?: CallOptions) => Promise<Operations[N]['reply']>;

/**
 * One method per operation. The argument of a method is one object. The object contains the path parameters, the query
 * parameters and the fields of the body.
 */
export type Calls = { readonly [N in Name]: Call<N> };

export interface Client extends Calls {
  /** Iterates over all items of a list: `for await (const draft of client.each('listDrafts', { releaseRangeId }))`. */
  each<N extends ListName>(
    name: N,
    input: Operations[N]['input'],
    options?: CallOptions,
  ): AsyncGenerator<Item<N>, void>;
  /**
   * Iterates over live events: `for await (const { event, data } of client.events({ signal }))`. Reconnects after a
   * break. After the event `reset`, read everything again.
   * @throws TidingsError when the service refuses the stream, for example because the key was revoked
   */
  events(options?: EventsOptions): AsyncGenerator<ReceivedEvent, void>;
  /**
   * Polls a draft until it is ready, with at most one request per second.
   * @throws DraftFailedError when the draft could not be written, or DOMException (`TimeoutError`) after `timeoutMs`
   */
  waitForDraft(draftId: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Draft>;
}

/** The error of `waitForDraft` when a draft could not be written. */
export class DraftFailedError extends Error {
  readonly draft: Draft;

  constructor(draft: Draft) {
    super(draft.error ?? 'The draft could not be written.');
    this.name = 'DraftFailedError';
    this.draft = draft;
  }
}

const metas = new WeakMap<object, Meta>();
const minPollMs = 1000;
/**
 * Operations of which the client makes one attempt only. A sign-in code works once, so a second attempt with it is
 * refused although the first one may have signed the browser in. A person who signs in also waits for no retry.
 */
const notRepeated: readonly string[] = ['createSession'] satisfies Name[];

/**
 * Returns the status, request id, rate limit and ETag of a reply.
 * @throws TypeError for an object that is not a reply of a client
 */
export function metaOf(reply: object): Meta {
  const meta = metas.get(reply);
  if (!meta) throw new TypeError('metaOf: expected a reply object that a client returned');
  return meta;
}

/** Makes a client of the service at `url`. */
export function createClient(options: ClientOptions): Client {
  const sending: Sending = {
    url: options.url.replace(/\/+$/, ''),
    authorize: authorizing(options),
    sendsCookie: options.session !== undefined,
    testMode: options.testMode ?? false,
    positions: new Positions(),
    retries: options.retries ?? 3,
    maxWaitMs: options.maxWaitMs ?? 60_000,
    timeoutMs: options.timeoutMs ?? 30_000,
    // Browsers refuse a `fetch` that is called as a method of another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    sleep,
  };
  const names = Object.keys(operations) as Name[];
  const call = (name: Name) => (input: object, callOptions?: CallOptions) => run(sending, name, input, callOptions);
  const calls = Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Calls;
  return {
    ...calls,
    each: (name, input, callOptions) => each(sending, name, input, callOptions),
    events: (streaming) => streamEvents(sending, streaming),
    waitForDraft: (draftId, waiting) => waitForDraft(calls, draftId, waiting),
  };
}

/** Returns the function that makes the headers by which the service knows the client. */
function authorizing({ key, session }: ClientAuth): Sending['authorize'] {
  if (session === undefined) return () => ({ authorization: `Bearer ${key}` });
  const { csrf } = session;
  return (): Record<string, string> => {
    const value = typeof csrf === 'string' ? csrf : csrf();
    return value ? { 'x-tidings-csrf': value } : {};
  };
}

async function run<N extends Name>(
  sending: Sending,
  name: N,
  input: object = {},
  options: CallOptions = {},
): Promise<Operations[N]['reply']> {
  const { method, path, query, body: takesBody } = operations[name];
  const rest: Record<string, unknown> = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) => segment(rest, parameter));
  const asked = new URLSearchParams();
  for (const parameter of query as readonly string[]) {
    if (rest[parameter] !== undefined) asked.set(parameter, String(rest[parameter]));
    delete rest[parameter];
  }
  const text = `${asked}` !== '' ? `${filled}?${asked}` : filled;
  const once = notRepeated.includes(name);
  const { body, meta } = await send(sending, { method, path: text, body: takesBody ? rest : undefined, options, once });
  if (typeof body !== 'object' || body === null)
    throw new TidingsError({ message: 'The reply is not a JSON object.' }, meta);
  metas.set(body, meta);
  return body as Operations[N]['reply'];
}

/**
 * Removes a path parameter from the input and returns its encoded value. Throws for an empty id, `.` and `..`, because
 * such an id would lead to another path.
 */
function segment(input: Record<string, unknown>, name: string): string {
  const value = String(input[name] ?? '');
  if (value === '' || /^\.+$/.test(value))
    throw new TypeError(`${name}: expected an id, got ${JSON.stringify(input[name])}`);
  delete input[name];
  return encodeURIComponent(value);
}

async function* each<N extends ListName>(
  sending: Sending,
  name: N,
  input: Operations[N]['input'],
  options?: CallOptions,
): AsyncGenerator<Item<N>, void> {
  const { list } = operations[name];
  let at: { offset?: number; limit?: number; cursor?: string } | undefined = { limit: 100, offset: 0, ...input };
  while (at !== undefined) {
    const page: object = await run(sending, name, at, options);
    const { nextOffset, nextCursor = null } = page as { nextOffset: number | null; nextCursor?: string | null };
    yield* (page as Record<string, Item<N>[]>)[list] as Item<N>[];
    if (nextOffset !== null) at = { ...at, offset: nextOffset };
    else at = nextCursor === null ? undefined : { ...at, cursor: nextCursor, offset: 0 };
  }
}

async function waitForDraft(
  calls: Calls,
  draftId: string,
  { timeoutMs = 60_000, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Draft> {
  const limit = AbortSignal.timeout(timeoutMs);
  const both = signal ? AbortSignal.any([signal, limit]) : limit;
  for (;;) {
    const draft = await calls.getDraft({ draftId }, { signal: both });
    if (draft.status === 'failed') throw new DraftFailedError(draft);
    if (draft.status === 'ready') return draft;
    await sleep(Math.max(minPollMs, (metaOf(draft).retryAfter ?? 0) * 1000), both);
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
