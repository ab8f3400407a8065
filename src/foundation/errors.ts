/**
 * The expected failures of the service, each a kind with its status and error type string (spec part 7).
 * One place in each edge turns them into a reply, a dead letter or a retry; anything else is a defect and becomes a bare 500.
 */

/** Status and `error` string of each kind. */
export const errorKinds = {
  invalid: { status: 400, error: 'Invalid request' },
  unauthorized: { status: 401, error: 'Unauthorized' },
  forbidden: { status: 403, error: 'Forbidden' },
  notFound: { status: 404, error: 'Not found' },
  methodNotAllowed: { status: 405, error: 'Method not allowed' },
  conflict: { status: 409, error: 'Conflict' },
  /** The same Idempotency-Key with another body. */
  unprocessable: { status: 422, error: 'Unprocessable content' },
  /** The resource is not what the client took it for (If-Match). */
  preconditionFailed: { status: 412, error: 'Precondition failed' },
  tooLarge: { status: 413, error: 'Payload too large' },
  unsupportedMediaType: { status: 415, error: 'Unsupported media type' },
  rateLimited: { status: 429, error: 'Rate limit exceeded' },
  /** A passing fault: the same request can succeed later (spec part 4 lists 500, not 503). */
  unavailable: { status: 500, error: 'Server error' },
  internal: { status: 500, error: 'Server error' },
} as const;

export type ErrorKind = keyof typeof errorKinds;

/** Details by field name: what was expected and what arrived. */
export type ErrorDetails = Record<string, string>;

/** The error body of every failed request: exactly these keys. */
export interface ErrorBody {
  error: string;
  message: string;
  details?: ErrorDetails;
  retryAfter?: number;
}

/** An expected failure. `message` and `details` reach the client; they hold no secret and no stack. */
export class ServiceError extends Error {
  readonly kind: ErrorKind;
  readonly details: ErrorDetails | undefined;
  /** Whole seconds until a retry can succeed. */
  readonly retryAfter: number | undefined;

  constructor(kind: ErrorKind, message: string, more: { details?: ErrorDetails; retryAfter?: number } = {}) {
    super(message);
    this.name = 'ServiceError';
    this.kind = kind;
    this.details = more.details;
    this.retryAfter = more.retryAfter;
  }

  get status(): number {
    return errorKinds[this.kind].status;
  }

  toBody(): ErrorBody {
    const body: ErrorBody = { error: errorKinds[this.kind].error, message: this.message };
    if (this.details !== undefined) body.details = this.details;
    if (this.retryAfter !== undefined) body.retryAfter = this.retryAfter;
    return body;
  }
}

/** A 400 that names every bad field. */
export function invalid(details: ErrorDetails, message = 'The request is invalid.'): ServiceError {
  const fields = Object.entries(details).map(([field, expected]) => `${field}: ${expected}`);
  return new ServiceError('invalid', `${message} ${fields.join('; ')}`.trim(), { details });
}

/** A 404 that names the resource (spec part 7, rule 2). */
export function notFound(resource: string, id: string): ServiceError {
  return new ServiceError('notFound', `${resource} ${JSON.stringify(id)} is not found or not accessible.`);
}

/** The failure of a defect: nothing of it reaches the client. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('internal', 'The request failed on the server. It can be sent again later.');
}
