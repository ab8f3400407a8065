/**
 * Represents one request and its reply. Reads all headers immediately, handles aborts, and collects the body within a
 * maximum size and the shared memory budget. Errors become replies here and nowhere else. Handlers do not use
 * uWebSockets.js themselves.
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { type ErrorBody, ServiceError, toServiceError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import { lendBuffer, lentBytes, returnBuffer } from './body-buffers.ts';
import type { BodyBudget } from './budget.ts';
import { type Framing, frameHeader, newFraming } from './framing.ts';
import { firstLines, withHeader, withHeaders } from './header-block.ts';
import { ReplyStream, type StreamEnd } from './reply-stream.ts';

const instance = Math.random().toString(36).slice(2, 8);
let requests = 0;
/**
 * The form of a valid request id. If a client sends an id of another form, the id is replaced, because ids appear in
 * headers and logs.
 */
const wellFormedId = /^[\w.:-]{1,128}$/;

/** The maximum size of a body, and the budget from which memory for the body is reserved. */
export interface BodyLimits {
  maxBytes: number;
  budget: BodyBudget;
  /** Called with the refusal of a body that is too large, or that the memory has no room for. */
  onRefusal?: (error: ServiceError) => void;
}

/**
 * Multiple of the maximum body size. A body that is too large, but does not exceed this multiple, is received
 * completely and discarded, so that the client can read the 413. For a larger body, the connection is closed.
 */
const drainedTimes = 4;

/** What all exchanges of a route have in common. */
export interface ExchangeOptions {
  /** Number of parameters in the path. */
  parameters: number;
  /** The method; undefined if the request must be asked for it. */
  method: string | undefined;
  logger: Logger;
  /** Called when the reply was sent, or cannot be sent any more. */
  onDone: () => void;
}

export class Exchange {
  readonly method: string;
  readonly url: string;
  readonly query: string;
  readonly requestId: string;
  readonly headers: Record<string, string> = {};
  /** `performance.now()` when the request line arrived. */
  readonly startedAt = performance.now();
  readonly framing: Framing = newFraming();
  readonly params: readonly string[];
  aborted = false;
  private replied = false;
  private streaming: ReplyStream | undefined;
  private readonly response: HttpResponse;
  private readonly logger: Logger;
  private readonly onDone: () => void;

  constructor(response: HttpResponse, request: HttpRequest, { parameters, method, logger, onDone }: ExchangeOptions) {
    this.response = response;
    this.logger = logger;
    this.onDone = onDone;
    response.onAborted(() => this.abort());
    this.method = method ?? request.getMethod().toUpperCase();
    this.url = request.getUrl();
    this.query = request.getQuery() ?? '';
    requests += 1;
    const params: string[] = [];
    for (let i = 0; i < parameters; i++) params.push(request.getParameter(i) ?? '');
    this.params = params;
    request.forEach((name, value) => {
      this.headers[name] = value;
      frameHeader(this.framing, name, value);
    });
    const wanted = this.headers['x-request-id'];
    this.requestId = wanted !== undefined && wellFormedId.test(wanted) ? wanted : `${instance}-${requests}`;
  }

  /** Whether a reply was sent, or no reply can be sent any more. */
  get finished(): boolean {
    return this.replied || this.aborted;
  }

  /**
   * Returns the address of the client or proxy at the other end of the connection. Call this method before the first
   * await of the handler. After an await, the address is not available.
   */
  peerAddress(): string {
    const bytes = new Uint8Array(this.response.getRemoteAddress());
    return toAddress(bytes);
  }

  /** Closes the connection without a reply. */
  close(): void {
    if (this.aborted) return;
    this.response.close();
  }

  /**
   * Collects the body and calls `done` in the same turn of the event loop in which the last byte arrived. The bytes are
   * valid only until `done` returns. A body that arrives in one piece is not copied. Replies 413 if the Content-Length
   * is more than `maxBytes`. If the memory for all bodies (`budget`) is used up, replies 500 and closes the connection.
   * @param onChunk is called with each piece as it arrives
   */
  receive(limits: BodyLimits, onChunk: (chunk: Buffer) => void, done: (body: Buffer) => void): void {
    const { maxBytes, budget } = limits;
    const declared = this.framing.contentLength;
    if (declared > maxBytes) return this.refuseLarge(limits);
    let collected: Buffer | undefined;
    let length = 0;
    const release = (): void => {
      if (!collected) return;
      budget.free(reservedFor(collected, declared));
      returnBuffer(collected);
      collected = undefined;
    };
    this.releaseBody = release;
    this.response.onData((data, last) => {
      // When the headers arrive in a packet of their own, the library also passes an empty piece, which is ignored.
      if (this.finished || (data.byteLength === 0 && !last)) return;
      const chunk = Buffer.from(data);
      onChunk(chunk);
      if (last && length === 0) return this.guard(() => done(chunk));
      const grown = grow(collected, length, chunk.length, declared, budget);
      if (!grown) return this.refuseBusy(limits, release);
      collected = grown;
      chunk.copy(collected, length);
      length += chunk.length;
      if (last) this.guard(() => done(grown.subarray(0, length)));
      if (last) release();
    });
  }

  /** Runs a step of a handler. If the step throws or rejects, the error becomes the reply. */
  guard(step: () => void | Promise<void>): void {
    try {
      step()?.catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Sends a reply with the given bytes or text. `headers` is a flat list of names and values. */
  reply(status: number, contentType: string, body: string | Uint8Array, headers: readonly string[] = []): void {
    if (this.finished) return;
    this.replied = true;
    // A refusal can be sent while the body is still arriving. The rest of the body is ignored.
    this.releaseBody();
    const head = this.head(status, contentType, headers);
    this.response.cork(() => {
      this.response.writeStatus(head);
      // Replies to HEAD, and replies with status 204 or 304, must not have a body. A client would read a body as the
      // start of the next reply. These replies have no Content-Length either. With a Content-Length, the library would
      // wait for a body forever.
      if (this.method === 'HEAD' || status === 204 || status === 304) this.response.endWithoutBody();
      else this.response.end(body, this.closing);
    });
    this.onDone();
  }

  /**
   * Sends the head of a reply with status 200 and the first piece of its body. Returns the stream that sends further
   * pieces; undefined if the client is gone. A stream is not a request in flight: a stop of the server does not wait for
   * it, so its owner must end it before.
   * @param onEnd called once when the stream has ended
   */
  stream(
    contentType: string,
    first: string,
    headers: readonly string[],
    onEnd: (end: StreamEnd) => void,
  ): ReplyStream | undefined {
    if (this.finished) return undefined;
    this.replied = true;
    this.streaming = new ReplyStream(this.response, this.head(200, contentType, headers), first, onEnd);
    this.onDone();
    return this.streaming;
  }

  private head(status: number, contentType: string, headers: readonly string[]): string {
    const identified = withHeader(firstLines(status, contentType), 'X-Request-Id', this.requestId);
    const whole = withHeaders(withHeaders(withHeaders(identified, this.commonHeaders), this.extraHeaders), headers);
    return this.lateHeaders === undefined ? whole : withHeaders(whole, this.lateHeaders());
  }

  json(status: number, body: unknown, headers: readonly string[] = []): void {
    this.reply(status, 'application/json', JSON.stringify(body), headers);
  }

  /**
   * Replies to a failure. An expected failure (a ServiceError) has its own status and body. Any other error is logged,
   * and the client gets a 500 without details.
   */
  fail(error: unknown): void {
    const failure = toServiceError(error);
    if (failure.kind === 'internal') this.logger.error({ err: error, requestId: this.requestId }, 'request failed');
    if (this.finished) return;
    const headers = failure.retryAfter === undefined ? [] : ['Retry-After', String(failure.retryAfter)];
    if (this.help !== '') headers.push('Link', `<${this.help}>; rel="help"`);
    const body: ErrorBody = failure.toBody();
    this.json(failure.status, body, headers);
  }

  /** Headers of every reply of the route, such as CORS and deprecation headers, as a flat list of names and values. */
  commonHeaders: readonly string[] = [];

  /**
   * Additional headers of the reply to this request, as a flat list of names and values. They are sent whether the
   * request succeeds or fails.
   */
  extraHeaders: readonly string[] = [];

  /** Makes headers of the reply that are known only when it is sent. Undefined if there are none. */
  lateHeaders: (() => readonly string[]) | undefined;

  /** Address of the page that explains refusals; empty = there is no such page. */
  help = '';

  private closing = false;
  private releaseBody: () => void = nothing;

  private abort(): void {
    this.aborted = true;
    this.releaseBody();
    this.streaming?.abort();
    if (!this.replied) this.onDone();
  }

  private refuseLarge({ maxBytes, onRefusal }: BodyLimits): void {
    this.closing = this.framing.contentLength > maxBytes * drainedTimes;
    if (!this.closing) this.response.onData(() => {});
    const message = `The body has ${this.framing.contentLength} bytes; the maximum is ${maxBytes}.`;
    const error = new ServiceError('tooLarge', message);
    onRefusal?.(error);
    this.fail(error);
  }

  private refuseBusy({ onRefusal }: BodyLimits, release: () => void): void {
    this.closing = true;
    release();
    const message = 'The service is receiving too many request bodies at once. Send the request again.';
    const error = new ServiceError('unavailable', message, { retryAfter: 2 });
    onRefusal?.(error);
    this.fail(error);
  }
}

function nothing(): void {}

/**
 * Returns a buffer with room for `more` bytes, reserved from the budget; undefined when the budget is used up. A body
 * whose declared length fits gets a lent buffer. The buffer of a longer body grows as the bytes arrive, so that a client
 * cannot reserve memory without sending.
 */
function grow(
  buffer: Buffer | undefined,
  used: number,
  more: number,
  declared: number,
  budget: BodyBudget,
): Buffer | undefined {
  const size = buffer?.length ?? 0;
  if (used + more <= size) return buffer;
  if (declared <= lentBytes) return budget.take(declared) ? lendBuffer() : undefined;
  const wanted = Math.max(used + more, Math.min(declared, size * 2));
  if (!budget.take(wanted - size)) return undefined;
  const grown = Buffer.allocUnsafeSlow(wanted);
  buffer?.copy(grown, 0, 0, used);
  return grown;
}

/** Returns the number of bytes that `grow` has reserved for a buffer. */
function reservedFor(buffer: Buffer, declared: number): number {
  return declared <= lentBytes ? declared : buffer.length;
}

/** Formats an IP address. IPv4-mapped IPv6 is shown as IPv4. */
function toAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255;
  if (mapped) return bytes.subarray(12).join('.');
  const groups: string[] = [];
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    groups.push((((bytes[i] as number) << 8) | (bytes[i + 1] as number)).toString(16));
  }
  return groups.join(':');
}
