/**
 * Reads the stream of live events. After a break of the connection, the client connects again and continues after the
 * last event that it has received.
 */
import { readMeta, ServerError, TidingsError, toError } from './errors.ts';
import type { LiveEvent } from './operations.ts';
import { identity, isRedirect, parsed, type Sending } from './send.ts';

/** Options of a stream of events. */
export interface EventsOptions {
  /** Ends the stream. The iterator then ends without an error. */
  signal?: AbortSignal;
  /** The `id` of an event of an earlier stream. The stream continues after this event. */
  lastEventId?: string;
  /**
   * Called with `open` when a connection is open, and with `waiting` before the client waits to connect again. `error`
   * is why the last attempt failed; undefined if the service ended the stream. Example: a page that polls while it
   * waits.
   */
  onState?: (state: EventsState, error?: unknown) => void;
}

/** Whether a stream of events is connected. */
export type EventsState = 'open' | 'waiting';

/** An event with the id from which a later stream can continue after it. */
export type ReceivedEvent = LiveEvent & { id: string };

/** An event of a stream as text. */
export interface EventText {
  event: string;
  data: string;
  id: string;
}

/** The service sends something every 15 seconds. A connection that is silent for longer than this is broken. */
const silenceMs = 45_000;
/** The wait before a new connection: unless the service asks for another one, and at most. */
const [defaultRetryMs, maxRetryMs] = [2000, 30_000];
/** Maximum length of an event. A longer one is not from this service. */
const maxEventLength = 1_048_576;

/**
 * Iterates over live events until `signal` is aborted.
 * @throws TidingsError when the service refuses the stream, for example with 401 or 403
 */
export async function* streamEvents(
  sending: Sending,
  { signal, lastEventId, onState }: EventsOptions = {},
): AsyncGenerator<ReceivedEvent, void> {
  const state: State = { id: lastEventId ?? '', retryMs: defaultRetryMs, askedMs: 0, failures: 0, wasOpen: false };
  for (;;) {
    let failure: unknown;
    try {
      yield* connection(sending, state, signal, () => onState?.('open'));
      state.failures = 0;
      state.askedMs = 0;
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
      failure = error;
      state.failures += 1;
      state.askedMs = error instanceof TidingsError ? (error.meta.retryAfter ?? 0) * 1000 : 0;
    }
    if (signal?.aborted) return;
    onState?.('waiting', failure);
    try {
      await sending.sleep(waitBefore(state), signal);
    } catch {
      return;
    }
  }
}

/** What a stream remembers between its connections. */
interface State {
  id: string;
  /** The wait before a new connection, as the service asks for it. */
  retryMs: number;
  /** The wait that the last refusal asked for, in milliseconds. */
  askedMs: number;
  /** Number of connections since the last one that received something. */
  failures: number;
  wasOpen: boolean;
}

/** Opens one connection and yields its events until the connection ends. */
async function* connection(
  sending: Sending,
  state: State,
  signal: AbortSignal | undefined,
  onOpen: () => void,
): AsyncGenerator<ReceivedEvent, void> {
  const broken = new AbortController();
  const both = signal ? AbortSignal.any([signal, broken.signal]) : broken.signal;
  const silence = new Silence(broken, sending.timeoutMs);
  try {
    const known = identity(sending);
    const response = await sending.fetch(`${sending.url}/api/events`, {
      ...known,
      method: 'GET',
      headers: {
        ...known.headers,
        accept: 'text/event-stream',
        ...(state.id !== '' && { 'last-event-id': state.id }),
      },
      redirect: 'manual',
      signal: both,
    });
    sending.positions.note(response.headers.get('tidings-position'));
    const body = await bodyOf(response);
    onOpen();
    // Without a position, events between the two connections may be missing.
    const isGap = state.wasOpen && state.id === '';
    state.wasOpen = true;
    // While the caller handles events, the stream is not read, so its silence means nothing.
    silence.end();
    if (isGap) yield { event: 'reset', data: {}, id: '' };
    const reader = new EventReader(state.id);
    const chunks = body.getReader();
    try {
      for (;;) {
        silence.begin(silenceMs);
        const { done, value } = await chunks.read();
        if (done) return;
        silence.end();
        state.failures = 0;
        for (const each of reader.read(value)) {
          state.id = each.id;
          const data = parsed(each.data);
          if (typeof data !== 'object' || data === null) continue;
          // What is read after the event may come from another machine, which must know the change, too.
          sending.positions.note((data as { position?: unknown }).position);
          yield { event: each.event, data, id: each.id } as ReceivedEvent;
        }
        state.id = reader.id;
        state.retryMs = reader.retryMs ?? state.retryMs;
      }
    } finally {
      // Closes the connection when the caller leaves its loop.
      await chunks.cancel().catch(() => {});
    }
  } finally {
    silence.end();
  }
}

async function bodyOf(response: Response): Promise<ReadableStream<Uint8Array>> {
  const meta = readMeta(response);
  if (isRedirect(response))
    throw toError({ message: 'The service answered with a redirect. Check the address.' }, meta);
  if (!response.ok) throw toError((parsed(await response.text()) ?? {}) as object, meta);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) return response.body;
  throw toError(
    { message: `The reply is not a stream of events but ${JSON.stringify(type)}. Check the address.` },
    meta,
  );
}

/** Whether the service would refuse another attempt, too. */
function isFinal(error: unknown): boolean {
  return error instanceof TidingsError && !(error instanceof ServerError) && error.status !== 429;
}

/** Returns the wait before the next connection, in milliseconds. A random part keeps clients from connecting at once. */
function waitBefore({ retryMs, failures, askedMs }: State): number {
  const backoff = Math.min(retryMs * 2 ** Math.min(failures, 10), maxRetryMs);
  return Math.max(askedMs, backoff * (0.5 + Math.random() / 2));
}

/** Aborts a connection that is silent for too long. */
class Silence {
  private readonly broken: AbortController;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(broken: AbortController, ms: number) {
    this.broken = broken;
    this.begin(ms);
  }

  begin(ms: number): void {
    this.end();
    this.timer = setTimeout(() => this.broken.abort(new Error('The connection is silent.')), ms);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

/** Parses server-sent events from chunks, which can end anywhere: in a line, a line end or a character. */
export class EventReader {
  /**
   * The id of the last block that is complete, from which a stream can continue. The id of a block that has only begun
   * does not count: the connection can break before the event of this block has arrived.
   */
  id: string;
  private pendingId: string;
  /** The wait before a new connection that the service asks for, in milliseconds. */
  retryMs: number | undefined;
  private readonly decoder = new TextDecoder();
  private rest = '';
  private event = '';
  private data: string[] = [];
  private length = 0;

  /** @param id the id of the last event before */
  constructor(id = '') {
    this.id = id;
    this.pendingId = id;
  }

  /**
   * Returns the events that a chunk completes.
   * @throws Error for an event that is too long
   */
  read(chunk: Uint8Array): EventText[] {
    const text = this.rest + this.decoder.decode(chunk, { stream: true });
    const events: EventText[] = [];
    let start = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      // A line feed that belongs to this carriage return can be the first character of the next chunk.
      if (end === '\r' && index === text.length - 1) break;
      this.line(text.slice(start, index), events);
      start = index + end.length;
    }
    this.rest = text.slice(start);
    if (this.rest.length + this.length > maxEventLength)
      throw new Error('The stream contains an event that is too long.');
    return events;
  }

  private line(line: string, events: EventText[]): void {
    if (line === '') return this.dispatch(events);
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.event = value;
    else if (name === 'id' && !value.includes('\0')) this.pendingId = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Math.min(Number(value), maxRetryMs);
    else if (name === 'data') {
      this.data.push(value);
      this.length += value.length;
    }
  }

  private dispatch(events: EventText[]): void {
    this.id = this.pendingId;
    if (this.data.length > 0) events.push({ event: this.event || 'message', data: this.data.join('\n'), id: this.id });
    this.event = '';
    this.data = [];
    this.length = 0;
  }
}
