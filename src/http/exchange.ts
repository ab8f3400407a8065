/**
 * One request and its reply: headers read at once, abort guard, body collection with a cap and a shared memory budget, and
 * the one place where an error becomes a reply. Handlers above know nothing of uWebSockets.js.
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { type ErrorBody, ServiceError, toServiceError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import type { BodyBudget } from './budget.ts';
import { type Framing, frameHeader, newFraming } from './framing.ts';
import { statusLine } from './status.ts';

const instance = Math.random().toString(36).slice(2, 8);
let requests = 0;
/** A request id that a client may choose: it goes into headers and logs. */
const wellFormedId = /^[\w.:-]{1,128}$/;

/** How large a body may be and what it is charged to. */
export interface BodyLimits {
  maxBytes: number;
  budget: BodyBudget;
}

/** A declared body up to this many times the cap is read to its end, so that the client gets to see the 413. */
const drainedTimes = 4;

export class Exchange {
  readonly method: string;
  readonly url: string;
  readonly query: string;
  readonly requestId: string;
  readonly headers: Record<string, string> = {};
  /** `performance.now()` at the request line. */
  readonly startedAt = performance.now();
  readonly framing: Framing = newFraming();
  readonly params: readonly string[];
  aborted = false;
  private replied = false;
  private readonly response: HttpResponse;
  private readonly logger: Logger;
  private readonly onDone: () => void;

  constructor(response: HttpResponse, request: HttpRequest, parameters: number, logger: Logger, onDone: () => void) {
    this.response = response;
    this.logger = logger;
    this.onDone = onDone;
    response.onAborted(() => this.abort());
    this.method = request.getMethod().toUpperCase();
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
    this.requestId =
      wanted !== undefined && wellFormedId.test(wanted) ? wanted : `${instance}-${requests.toString(36)}`;
  }

  /** Whether a reply was sent or can no longer be. */
  get finished(): boolean {
    return this.replied || this.aborted;
  }

  /** Address of the connection's other end. Only while the request is handed over, before anything is awaited. */
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
   * Collects the body and hands it over in the same turn of the event loop in which its last byte arrived. The bytes are
   * valid until `done` returns; a body in one piece is never copied. Over the cap: 413. Over the budget: 500 and close.
   * @param onChunk sees each piece as it arrives
   */
  receive({ maxBytes, budget }: BodyLimits, onChunk: (chunk: Buffer) => void, done: (body: Buffer) => void): void {
    if (this.framing.contentLength > maxBytes) return this.refuseLarge(maxBytes);
    let collected: Buffer | undefined;
    let length = 0;
    const release = (): void => {
      budget.give(collected?.length ?? 0);
      collected = undefined;
    };
    this.releaseBody = release;
    this.response.onData((data, last) => {
      // Headers that come in a packet of their own are followed by an empty piece.
      if (this.finished || (data.byteLength === 0 && !last)) return;
      const chunk = Buffer.from(data);
      onChunk(chunk);
      if (last && length === 0) return this.guard(() => done(chunk));
      const grown = grow(collected, length, chunk.length, this.framing.contentLength, budget);
      if (!grown) return this.refuseBusy(release);
      collected = grown;
      chunk.copy(collected, length);
      length += chunk.length;
      if (last) this.guard(() => done(grown.subarray(0, length)));
      if (last) release();
    });
  }

  /** Runs a step of a handler; what it throws or rejects with becomes the reply. */
  guard(step: () => void | Promise<void>): void {
    try {
      step()?.catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Replies with ready bytes or text. Headers are pairs, flat. */
  reply(status: number, contentType: string, body: string | Uint8Array, headers: readonly string[] = []): void {
    if (this.finished) return;
    this.replied = true;
    this.response.cork(() => {
      this.response.writeStatus(statusLine(status));
      if (contentType !== '') this.response.writeHeader('Content-Type', contentType);
      this.response.writeHeader('X-Request-Id', this.requestId);
      this.writeHeaders(this.standingHeaders);
      this.writeHeaders(this.extraHeaders);
      this.writeHeaders(headers);
      // A body after HEAD, 204 or 304 would be read as the next reply; with a length the server would wait for that body for ever.
      if (this.method === 'HEAD' || status === 204 || status === 304) this.response.endWithoutBody();
      else this.response.end(body, this.closing);
    });
    this.onDone();
  }

  json(status: number, body: unknown, headers: readonly string[] = []): void {
    this.reply(status, 'application/json', JSON.stringify(body), headers);
  }

  /** The error exit: an expected failure becomes its status and body, anything else is logged and becomes a bare 500. */
  fail(error: unknown): void {
    const failure = toServiceError(error);
    if (failure.kind === 'internal') this.logger.error({ err: error, requestId: this.requestId }, 'request failed');
    if (this.finished) return;
    const headers = failure.retryAfter === undefined ? [] : ['Retry-After', String(failure.retryAfter)];
    if (this.help !== '') headers.push('Link', `<${this.help}>; rel="help"`);
    const body: ErrorBody = failure.toBody();
    this.json(failure.status, body, headers);
  }

  /** What every reply of the route carries: which pages of other origins may read it, whether it will go. Flat pairs. */
  standingHeaders: readonly string[] = [];

  /** Headers that the reply carries whatever it is, as flat pairs. */
  extraHeaders: readonly string[] = [];

  /** Where a refusal is explained to people; nowhere when it is empty. */
  help = '';

  private closing = false;
  private releaseBody: () => void = () => {};

  private abort(): void {
    this.aborted = true;
    this.releaseBody();
    if (!this.replied) this.onDone();
  }

  private writeHeaders(headers: readonly string[]): void {
    for (let i = 0; i + 1 < headers.length; i += 2) {
      this.response.writeHeader(headers[i] as string, headers[i + 1] as string);
    }
  }

  private refuseLarge(maxBytes: number): void {
    this.closing = this.framing.contentLength > maxBytes * drainedTimes;
    if (!this.closing) this.response.onData(() => {});
    this.fail(
      new ServiceError('tooLarge', `The body has ${this.framing.contentLength} bytes; at most ${maxBytes} are taken.`),
    );
  }

  private refuseBusy(release: () => void): void {
    this.closing = true;
    release();
    this.fail(
      new ServiceError('unavailable', 'Too many bodies are being received. Send the request again.', { retryAfter: 2 }),
    );
  }
}

/** The buffer with room for more, charged to the budget; undefined when the budget is spent. */
function grow(
  buffer: Buffer | undefined,
  used: number,
  more: number,
  expected: number,
  budget: BodyBudget,
): Buffer | undefined {
  const size = buffer?.length ?? 0;
  if (used + more <= size) return buffer;
  const wanted = Math.max(used + more, Math.min(expected, size * 2));
  if (!budget.take(wanted - size)) return undefined;
  const grown = Buffer.allocUnsafeSlow(wanted);
  buffer?.copy(grown, 0, 0, used);
  return grown;
}

/** An address in words; one of IPv4 in the clothes of IPv6 is told as IPv4. */
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
