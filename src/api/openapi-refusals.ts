/**
 * Refusals of the OpenAPI document: when each comes, what to do about it, and an example in the words of the service. The page
 * made of the document is where the help link of a refusal leads.
 */
import { newKeyRemedy } from '../foundation/api-key.ts';
import { errorKinds } from '../foundation/errors.ts';
import { receiver } from '../protocol/contracts/receiver.ts';
import type { JsonSchema } from './json-schema.ts';
import { refsTo, refusalHeaders } from './openapi-headers.ts';

/** When a status comes and what helps; fields of an example of its body, whose `error` follows from the status. */
interface Refusal {
  when: string;
  example: { message: string; details?: Record<string, string>; retryAfter?: number };
}

const errorSchema = { $ref: '#/components/schemas/Error' };

const refusals: Readonly<Record<number, Refusal>> = {
  400: {
    when: 'The request is wrong: `details` names each bad field, what was expected and what arrived. Mend it first.',
    example: {
      message: 'The query is invalid. limit: expected an integer from 1 to 100, got 500',
      details: { limit: 'expected an integer from 1 to 100, got 500' },
    },
  },
  401: {
    when: `The API key is missing, malformed, mistyped, unknown, revoked or expired; the message says which. ${newKeyRemedy}`,
    example: { message: `The API key was revoked. ${newKeyRemedy}` },
  },
  403: {
    when: 'The API key may not do this, or a policy of the organization refuses it; the message names the scope that is missing and those the key has, or the policy. To revoke a key takes the scopes of that key.',
    example: { message: 'The API key lacks the scope drafts:write; it has drafts:read.' },
  },
  404: {
    when: 'What is asked for does not exist, or belongs to somebody else: the answer is the same.',
    example: { message: 'Draft "draft_x" is not found or not accessible.' },
  },
  409: {
    when: 'It goes against what is there, or exceeds a maximum of the organization, or a request with the same Idempotency-Key is under way; the message says which.',
    example: { message: 'A request with this Idempotency-Key is under way. Ask again in a second.', retryAfter: 1 },
  },
  412: {
    when: 'What is written to has changed since the state that If-Match names. Get it again, and decide.',
    example: { message: 'Draft "draft_x" has changed since the state that If-Match names. Get it and try again.' },
  },
  413: {
    when: 'The body is larger than the endpoint takes.',
    example: { message: 'The body has 7000012 bytes; at most 6292480 are taken.' },
  },
  415: {
    when: 'The body is of another type. Send it as `application/json`.',
    example: { message: 'The Content-Type must be application/json, got text/plain.' },
  },
  422: {
    when: 'The Idempotency-Key was used for another body. Take a new one for a new request.',
    example: { message: 'The Idempotency-Key was used for another body. Use a new key for a new request.' },
  },
  429: {
    when: 'A limit is used up. Wait for `retryAfter` seconds, which `Retry-After` says too, and send the request again.',
    example: {
      message: 'The limit of 100 requests per minute and API key is exceeded. Wait 60 seconds.',
      retryAfter: 60,
    },
  },
  500: {
    when: 'The service failed, or is starting or overloaded. Send the request again, with growing pauses.',
    example: { message: 'The service is starting.', retryAfter: 1 },
  },
};

/** What the webhook receiver means by a status, where it is not the same. */
const receiverRefusals: Readonly<Record<number, Refusal>> = {
  401: {
    when: 'The signature is missing or does not match.',
    example: {
      message:
        'The signature does not match. X-Hub-Signature-256 must be sha256= and the HMAC-SHA256 of the raw body under the webhook secret. Give the webhook on the host the same secret as this service.',
    },
  },
  403: {
    when: 'The address is not on the list of those that webhooks are taken from.',
    example: { message: 'Webhooks are not taken from this address.' },
  },
  400: {
    when: 'The payload is malformed or incomplete; `details` names each field.',
    example: {
      message: 'The payload is incomplete. pull_request.number: expected required property, got nothing',
      details: { 'pull_request.number': 'expected required property, got nothing' },
    },
  },
  429: {
    when: 'The organization’s deliveries are delayed as far as they may be. Send it again after `Retry-After` seconds.',
    example: {
      message: "The organization's deliveries are delayed as far as they may be. Wait 36 seconds.",
      retryAfter: 36,
    },
  },
  500: {
    when: 'The delivery may not be stored. Send it again: it is taken once, however often it comes.',
    example: { message: 'The journal cannot take more right now. Send the request again.', retryAfter: 2 },
  },
};

/** All refusals of the API by name, for the components of the document. */
export function refusalComponents(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(refusals).map(([status, refusal]) => [
      nameOf(Number(status)),
      toResponse(Number(status), refusal, refusalHeaders(Number(status))),
    ]),
  );
}

/** Refers to the refusal of a status. */
export function refusalRef(status: number): JsonSchema {
  return { $ref: `#/components/responses/${nameOf(status)}` };
}

/** The refusals of the webhook receiver by status. Its 401 is about a signature: there is nothing to log in with. */
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

/** `Rate limit exceeded` becomes `RateLimitExceeded`. */
function nameOf(status: number): string {
  return errorOf(status).replace(/\s(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function errorOf(status: number): string {
  return Object.values(errorKinds).find((kind) => kind.status === status)?.error ?? '';
}
