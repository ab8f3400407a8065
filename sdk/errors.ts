/**
 * Defines the errors of a call. The error for an error reply of the service contains the reply's status, the request id
 * for support, and the remaining rate limit.
 */
import type { ErrorBody } from './operations.ts';

/**
 * The state of a rate limit. The service limits requests per minute, per hour and per day. The state describes the
 * window that has the fewest remaining requests.
 */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** Time at which the window ends. */
  reset: Date;
}

/** The data of a reply besides its body. */
export interface Meta {
  status: number;
  requestId: string | undefined;
  /** The rate limit after this reply. Undefined if the reply contains no rate limit. */
  rateLimit: RateLimit | undefined;
  /** The ETag of the object in the reply. A later request that changes the object can pass this ETag as `ifMatch`. */
  etag: string | undefined;
  /**
   * True if the service had already carried out an earlier request with the same idempotency key. This reply is then
   * the reply to the earlier request.
   */
  replayed: boolean;
  /** Number of seconds that the service asks the client to wait before a retry. */
  retryAfter: number | undefined;
}

/** The error for an error reply of the service. */
export class TidingsError extends Error {
  readonly status: number;
  /** The error type of the service, such as `Not found`. */
  readonly error: string;
  /** Details by field name. Each text states the expected value and the received value. */
  readonly details: Readonly<Record<string, string>>;
  readonly meta: Meta;

  constructor(body: Partial<ErrorBody>, meta: Meta) {
    super(body.message ?? `The service answered ${meta.status}.`);
    this.name = new.target.name;
    this.status = meta.status;
    this.error = body.error ?? '';
    this.details = body.details ?? {};
    this.meta = meta;
  }

  get requestId(): string | undefined {
    return this.meta.requestId;
  }

  get rateLimit(): RateLimit | undefined {
    return this.meta.rateLimit;
  }
}

export class InvalidRequestError extends TidingsError {}
export class UnauthorizedError extends TidingsError {}
export class ForbiddenError extends TidingsError {}
export class NotFoundError extends TidingsError {}
export class ConflictError extends TidingsError {}
/** Thrown when a call sends `ifMatch`, but the resource has changed since the caller read the resource. */
export class PreconditionFailedError extends TidingsError {}
export class RateLimitedError extends TidingsError {}
export class ServerError extends TidingsError {}

const classes: Readonly<Record<number, typeof TidingsError>> = {
  400: InvalidRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  429: RateLimitedError,
};

/** Makes the error for an error reply. The status determines the class of the error. */
export function toError(body: Partial<ErrorBody>, meta: Meta): TidingsError {
  const Refusal = classes[meta.status] ?? (meta.status >= 500 ? ServerError : TidingsError);
  return new Refusal(body, meta);
}

/** Reads the headers of a reply. */
export function readMeta({ status, headers }: Response): Meta {
  const number = (name: string): number | undefined => {
    const text = headers.get(name);
    return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
  };
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => number(`x-ratelimit-${name}`));
  const known = limit !== undefined && remaining !== undefined && reset !== undefined;
  return {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    rateLimit: known ? { limit, remaining, reset: new Date(reset * 1000) } : undefined,
    etag: headers.get('etag') ?? undefined,
    replayed: headers.get('idempotent-replayed') === 'true',
    retryAfter: number('retry-after'),
  };
}
