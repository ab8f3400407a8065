/**
 * Defines the expected failures of the service. Each kind of failure has an HTTP status and an error type string (spec
 * part 7). Each entry point of the service has one place that converts a failure to a reply, a dead letter or a retry.
 * Any other error is a defect: the client gets a 500 without details.
 */

/** The HTTP status and the `error` string of each kind of failure. */
export const errorKinds = {
  invalid: { status: 400, error: 'Invalid request' },
  unauthorized: { status: 401, error: 'Unauthorized' },
  forbidden: { status: 403, error: 'Forbidden' },
  notFound: { status: 404, error: 'Not found' },
  methodNotAllowed: { status: 405, error: 'Method not allowed' },
  conflict: { status: 409, error: 'Conflict' },
  /** An Idempotency-Key was sent again with another request body. */
  unprocessable: { status: 422, error: 'Unprocessable content' },
  /** The resource has changed since the client read it (`If-Match`). */
  preconditionFailed: { status: 412, error: 'Precondition failed' },
  tooLarge: { status: 413, error: 'Payload too large' },
  unsupportedMediaType: { status: 415, error: 'Unsupported media type' },
  rateLimited: { status: 429, error: 'Rate limit exceeded' },
  /** A temporary fault: the same request can succeed later. The status is 500 because spec part 4 does not list 503. */
  unavailable: { status: 500, error: 'Server error' },
  internal: { status: 500, error: 'Server error' },
} as const;

export type ErrorKind = keyof typeof errorKinds;

/** Details by field name. Each text states the expected value and the received value. */
export type ErrorDetails = Record<string, string>;

/** The JSON body of every error reply. It has exactly these fields. */
export interface ErrorBody {
  error: string;
  message: string;
  details?: ErrorDetails;
  retryAfter?: number;
}

/**
 * An expected failure. `message` and `details` are sent to the client, so they must not contain a secret or a stack
 * trace.
 */
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

/** Returns an error with status 400 that names every invalid field. */
export function invalid(details: ErrorDetails, message = 'The request is invalid.'): ServiceError {
  const fields = Object.entries(details).map(([field, expected]) => `${field}: ${expected}`);
  return new ServiceError('invalid', `${message} ${fields.join('; ')}`.trim(), { details });
}

/** Returns an error with status 404 that names the resource (spec part 7, rule 2). */
export function notFound(resource: string, id: string): ServiceError {
  return new ServiceError('notFound', `${resource} ${JSON.stringify(id)} is not found or not accessible.`);
}

/**
 * Converts any error to a ServiceError. An unexpected error (a defect) becomes `internal`, and its own text is left
 * out.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('internal', 'The request failed on the server. The request can be sent again later.');
}
