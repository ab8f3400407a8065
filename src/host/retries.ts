/**
 * Tracks one request over its attempts: the rate limits and faults so far, and the result. It converts each outcome to
 * a bare `Response`, from which Octokit's plugins decide whether to make another attempt. `requests.ts` makes the
 * attempts and waits between them.
 */
import { ServiceError } from '../foundation/errors.ts';
import type { HttpAnswer, Method } from './exchange.ts';
import { type Limit, limitOf, retryAfterMs } from './limits.ts';

/** A final reply: 2xx, 304, or a refusal. */
export interface Answer extends HttpAnswer {
  data: unknown;
}

/** Statuses of replies that refuse a write. The body of such a reply contains the reason. */
const refusals = [403, 409, 422];

/** A request to send. */
export interface Asked {
  method?: Method;
  url: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  /** Whether to authorize with the app's own JSON Web Token instead of an installation's token. */
  asApp?: boolean;
}

export class Course {
  readonly method: Method;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The JSON body of a write request. */
  readonly body: string | undefined;
  readonly asApp: boolean;
  faults = 0;
  /** Why the last attempt failed. The text is short and contains no addresses. */
  fault: string | undefined;
  /** The wait time that the host requested with its last temporary fault, in milliseconds. */
  askedMs = 0;
  /** Number of consecutive rate limits. */
  limits = 0;
  limit: Limit | undefined;
  private answer: Answer | undefined;
  private fatal: { reason: unknown } | undefined;
  private readonly isWhole: (data: unknown) => boolean;

  /**
   * @param isWhole whether the body of a successful reply has the expected shape. Any other body counts as a temporary
   * fault.
   */
  constructor({ method = 'GET', url, headers = {}, body, asApp = false }: Asked, isWhole: (data: unknown) => boolean) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.body = body;
    this.asApp = asApp;
    this.isWhole = isWhole;
  }

  /**
   * Stores the reply of an attempt. A rate limit or a temporary fault allows another attempt. Any other reply ends the
   * request.
   */
  take(answer: HttpAnswer, stepMs: number | undefined): Response {
    const { status, headers, text } = answer;
    this.limit = limitOf(answer, this.limits, Date.now(), stepMs);
    this.fault = undefined;
    if (this.limit) return limited(this.limit);
    if (status >= 500 || status === 408)
      return this.passing(`it answered ${status}`, retryAfterMs(headers, Date.now()));
    const isDone = status === 200 || status === 201;
    const data = isDone || refusals.includes(status) ? parse(text) : null;
    if (isDone && !this.isWhole(data)) return this.passing('its reply has an unexpected form');
    this.answer = { ...answer, text: '', data };
    return new Response(null, { status: status < 200 ? 400 : status });
  }

  /**
   * Stores the failure of an attempt that got no reply. If the attempt was aborted or redirected to another host, no
   * further attempt is made.
   */
  fail(error: unknown, aborted: boolean): Response {
    if (!aborted && !(error instanceof ServiceError)) return this.passing(faultOf(error));
    this.fatal = { reason: error };
    return new Response(null, { status: 400 });
  }

  /**
   * Returns the result of the request.
   * @param host the name of the host, for messages
   * @throws ServiceError `unavailable` when the last attempt ended with a rate limit or a temporary fault
   * @throws the error of the last attempt when this error allows no further attempt
   */
  conclude(host: string): Answer {
    if (this.fatal) throw this.fatal.reason;
    if (this.answer) return this.answer;
    if (!this.limit) {
      const asked = this.askedMs > 0 ? { retryAfter: Math.ceil(this.askedMs / 1000) } : {};
      throw new ServiceError('unavailable', `The host ${host} cannot be used: ${this.fault ?? 'no reply'}.`, asked);
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

/** Converts a rate limit to a reply that the throttling plugin recognizes. */
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

/**
 * Describes why no reply arrived. The text contains the code of the error, if there is one. A message of the system is
 * not used, since such a message can contain addresses.
 */
function faultOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: unknown }; message?: unknown };
  const code = cause?.code ?? (error as { code?: unknown }).code;
  if (typeof code === 'string') return `no complete reply (${code})`;
  return message === 'no reply in time' ? message : 'no complete reply';
}
