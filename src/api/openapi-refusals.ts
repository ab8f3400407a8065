/**
 * Describes the refusals in the OpenAPI document. Each description states when the service sends the refusal and what
 * the client should do. It also contains an example with the real message. The help link of a refusal leads to the page
 * that is made from this document.
 */
import { newKeyRemedy } from '../foundation/api-key.ts';
import { errorKinds } from '../foundation/errors.ts';
import { receiver } from '../protocol/resources/receiver.ts';
import type { JsonSchema } from './json-schema.ts';
import { refsTo, refusalHeaders } from './openapi-headers.ts';

/**
 * Describes a refusal: when its status is sent, what the client should do, and an example body. The field `error` of
 * the example follows from the status.
 */
interface Refusal {
  when: string;
  example: { message: string; details?: Record<string, string>; retryAfter?: number };
}

const errorSchema = { $ref: '#/components/schemas/Error' };

const refusals: Readonly<Record<number, Refusal>> = {
  400: {
    when: 'The request is invalid. `details` lists each bad field with the expected and the received value. Correct the request before you send it again.',
    example: {
      message: 'The query is invalid. limit: expected an integer from 1 to 100, got 500',
      details: { limit: 'expected an integer from 1 to 100, got 500' },
    },
  },
  401: {
    when: `The API key is missing, malformed, mistyped, unknown, revoked or expired, or the session of the cookie has ended. The message states which. ${newKeyRemedy}`,
    example: { message: `The API key was revoked. ${newKeyRemedy}` },
  },
  403: {
    when: 'The API key may not do this (for example, it lacks a scope), the request uses a session without `X-Tidings-CSRF` or from another site, a policy of the organization refuses the request, or the host does not give the service access. The message states the reason. Revoking a key requires the scopes of that key.',
    example: { message: 'The API key lacks the scope drafts:write; it has drafts:read.' },
  },
  404: {
    when: 'The resource does not exist or belongs to another organization. The reply is the same for both.',
    example: { message: 'Draft "draft_x" is not found or not accessible.' },
  },
  409: {
    when: 'The request conflicts with the current state, or it exceeds a maximum of the organization. The service also refuses a request while an earlier request with the same Idempotency-Key is being processed, or if the reply to that earlier request cannot be repeated. The message states the reason.',
    example: {
      message: 'A request with this Idempotency-Key is still being processed. Send the request again in a second.',
      retryAfter: 1,
    },
  },
  412: {
    when: 'The ETag in If-Match is out of date, because the object has changed. Get the object again before you change it.',
    example: {
      message: 'Draft "draft_x" has changed since the version in If-Match. Get the current version, then try again.',
    },
  },
  413: {
    when: 'The body is larger than this operation accepts.',
    example: { message: 'The body has 7000012 bytes; the maximum is 6292480.' },
  },
  415: {
    when: 'The content type of the body is not `application/json`. Send the body as `application/json`.',
    example: { message: 'The Content-Type must be application/json, got text/plain.' },
  },
  422: {
    when: 'The Idempotency-Key was already used with a different body. Use a new Idempotency-Key for a new request.',
    example: {
      message:
        'The Idempotency-Key was already used with a different body. Use a new Idempotency-Key for a new request.',
    },
  },
  429: {
    when: 'A rate limit is exceeded. Wait for `retryAfter` seconds (also in `Retry-After`), then send the request again.',
    example: {
      message: 'The limit of 100 requests per minute per API key is exceeded. Wait 60 seconds.',
      retryAfter: 60,
    },
  },
  500: {
    when: 'The service failed, is starting or is overloaded. Send the request again, and wait longer before each further attempt.',
    example: { message: 'The service is starting.', retryAfter: 1 },
  },
};

/**
 * Refusals of the webhook receiver whose meaning differs from the API's refusal with the same status. Example: 401 is
 * about a signature here, and about an API key in the API.
 */
const receiverRefusals: Readonly<Record<number, Refusal>> = {
  401: {
    when: 'The signature is missing or does not match.',
    example: {
      message:
        'The signature does not match. X-Hub-Signature-256 must be sha256= followed by the HMAC-SHA256 of the raw body, with the webhook secret as the key. On the host, set the secret of the webhook to the secret of this service.',
    },
  },
  403: {
    when: 'The address of the sender is not on the list of allowed addresses.',
    example: { message: 'Webhooks are not accepted from this address.' },
  },
  400: {
    when: 'The payload is malformed or incomplete. `details` names each bad field.',
    example: {
      message: 'The payload is incomplete. pull_request.number: expected required property, got nothing',
      details: { 'pull_request.number': 'expected required property, got nothing' },
    },
  },
  429: {
    when: 'The backlog of the organization has reached its maximum delay. Send the delivery again after `Retry-After` seconds.',
    example: {
      message: "This organization's backlog has reached its maximum delay. Wait 36 seconds.",
      retryAfter: 36,
    },
  },
  500: {
    when: 'The delivery was possibly not stored. Send the delivery again: the service ignores duplicates.',
    example: { message: 'The journal cannot accept more records right now. Send the request again.', retryAfter: 2 },
  },
};

/** Returns all refusals of the API by name, for the components of the document. */
export function refusalComponents(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(refusals).map(([status, refusal]) => [
      nameOf(Number(status)),
      toResponse(Number(status), refusal, refusalHeaders(Number(status))),
    ]),
  );
}

/** Returns a reference to the refusal with this status. */
export function refusalRef(status: number): JsonSchema {
  return { $ref: `#/components/responses/${nameOf(status)}` };
}

/**
 * Returns the refusals of the webhook receiver by status. The receiver's 401 is about a signature and not about an API
 * key, so it has no `WWW-Authenticate` header.
 */
export function receiverResponses(): Record<string, JsonSchema> {
  const names = ['X-Request-Id', 'Help', 'Retry-After'];
  return Object.fromEntries(
    receiver.refusals.map((status) => {
      const refusal = receiverRefusals[status] ?? (refusals[status] as Refusal);
      return [String(status), toResponse(status, refusal, names)];
    }),
  );
}

function toResponse(status: number, { when, example }: Refusal, names: readonly string[]): JsonSchema {
  const content = { 'application/json': { schema: errorSchema, example: { error: errorOf(status), ...example } } };
  return { description: when, headers: refsTo(names), content };
}

/** Makes the name of a refusal from its error: `Rate limit exceeded` becomes `RateLimitExceeded`. */
function nameOf(status: number): string {
  return errorOf(status).replace(/\s(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function errorOf(status: number): string {
  return Object.values(errorKinds).find((kind) => kind.status === status)?.error ?? '';
}
