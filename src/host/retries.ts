/**
 * What one request has met so far, attempt by attempt, and what it came to. Tells the plugins by a bare answer whether
 * another attempt is wanted; whoever sends the attempts also waits between them.
 */
import { ServiceError } from '../foundation/errors.ts';
import type { HttpAnswer, Method } from './exchange.ts';
import { type Limit, limitOf, retryAfterMs } from './limits.ts';

/** An answer that was read: 2xx, 304, or a refusal. */
export interface Answer extends HttpAnswer {
  data: unknown;
}

/** Refusals of a write whose body says why. */
const refusals = [403, 409, 422];

/** What a request asks for. */
export interface Asked {
  method?: Method;
  url: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  /** Asked with the app's own proof instead of a token. */
  asApp?: boolean;
}

export class Course {
  readonly method: Method;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** JSON of a write. */
  readonly body: string | undefined;
  readonly asApp: boolean;
  faults = 0;
  /** Why nothing came of the last attempt; short, without addresses. */
  fault: string | undefined;
  /** How long the host wants to be left alone after its last fault. */
  askedMs = 0;
  /** Limits met in a row. */
  limits = 0;
  limit: Limit | undefined;
  private answer: Answer | undefined;
  private fatal: { reason: unknown } | undefined;
  private readonly isWhole: (data: unknown) => boolean;

  /** @param isWhole whether the body of a success is what was asked for; another one counts as a passing fault */
  constructor({ method = 'GET', url, headers = {}, body, asApp = false }: Asked, isWhole: (data: unknown) => boolean) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.body = body;
    this.asApp = asApp;
    this.isWhole = isWhole;
  }

  /** Takes an answer: a limit, a passing fault, or the end of the request. */
  take(answer: HttpAnswer, stepMs: number | undefined): Response {
    const { status, headers, text } = answer;
    this.limit = limitOf(answer, this.limits, Date.now(), stepMs);
    this.fault = undefined;
    if (this.limit) return limited(this.limit);
    if (status >= 500 || status === 408)
      return this.passing(`it answered ${status}`, retryAfterMs(headers, Date.now()));
    const isDone = status === 200 || status === 201;
    const data = isDone || refusals.includes(status) ? parse(text) : null;
    if (isDone && !this.isWhole(data)) return this.passing('its answer is not what was asked for');
    this.answer = { ...answer, text: '', data };
    return new Response(null, { status: status < 200 ? 400 : status });
  }

  /** Takes an attempt without an answer; one that was aborted or led astray is the last. */
  fail(error: unknown, aborted: boolean): Response {
    if (!aborted && !(error instanceof ServiceError)) return this.passing(faultOf(error));
    this.fatal = { reason: error };
    return new Response(null, { status: 400 });
  }

  /**
   * What the request came to.
   * @param host name for the message
   * @throws ServiceError `unavailable` when the last attempt met a limit or a fault; whatever ended the request at once
   */
  conclude(host: string): Answer {
    if (this.fatal) throw this.fatal.reason;
    if (this.answer) return this.answer;
    if (!this.limit) {
      const asked = this.askedMs > 0 ? { retryAfter: Math.ceil(this.askedMs / 1000) } : {};
      throw new ServiceError('unavailable', `The host ${host} cannot be used: ${this.fault ?? 'no answer'}.`, asked);
    }
    const retryAfter = Math.ceil(this.limit.ms / 1000);
    throw new ServiceError('unavailable', `The host ${host} keeps limiting requests.`, { retryAfter });
  }

  private passing(fault: string, askedMs = 0): Response {
    this.faults++;
    this.fault = fault;
    this.askedMs = askedMs;
    this.limit = undefined;
    this.limits = 0;
    return new Response(null, { status: 502 });
  }
}

/** The limit in the words that the throttling plugin knows. */
function limited({ reason }: Limit): Response {
  const headers = { 'content-type': 'application/json', 'x-ratelimit-remaining': '0' };
  const message = reason === 'secondary_limit' ? 'secondary rate limit' : 'rate limit';
  return new Response(JSON.stringify({ message }), { status: 403, headers });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What kept an answer from coming, by its code: messages can hold addresses. */
function faultOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: unknown }; message?: unknown };
  const code = cause?.code ?? (error as { code?: unknown }).code;
  if (typeof code === 'string') return `no whole answer (${code})`;
  return message === 'no answer in time' ? message : 'no whole answer';
}
