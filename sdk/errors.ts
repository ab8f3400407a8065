/**
 * What a call can fail with. Every refusal of the service carries its status, the request id to name in a report, and what is
 * left of the limits.
 */
import type { ErrorBody } from './operations.ts';

/** What is left in the window with the fewest requests; undefined where there is no limit. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** When the window ends. */
  reset: Date;
}

/** What came with a reply besides its body. */
export interface Meta {
  status: number;
  requestId: string | undefined;
  rateLimit: RateLimit | undefined;
  /** For `ifMatch`. */
  etag: string | undefined;
  /** The reply is that of an earlier request with the same idempotency key. */
  replayed: boolean;
  /** Seconds that the service asks to wait. */
  retryAfter: number | undefined;
}

/** A refusal of the service. */
export class TidingsError extends Error {
  readonly status: number;
  /** The type of the error, as the service names it. */
  readonly error: string;
  /** By field: what was expected and what arrived. */
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
/** The draft has moved since it was read. */
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

/** The error of a refusal. */
export function toError(body: Partial<ErrorBody>, meta: Meta): TidingsError {
  const Refusal = classes[meta.status] ?? (meta.status >= 500 ? ServerError : TidingsError);
  return new Refusal(body, meta);
}

/** What the headers of a reply tell. */
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
