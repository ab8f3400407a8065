/** Defines the headers in the OpenAPI document: headers of requests, of replies and of refusals. */

import { afterHeader, maxPositionsLength, positionHeader } from '../protocol/positions.ts';
import type { JsonSchema } from './json-schema.ts';
import type { ApiRoute } from './route.ts';

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };

/** Request headers as OpenAPI parameters. The keys are the names of the parameters in the OpenAPI document. */
export const requestHeaders: Readonly<Record<string, JsonSchema>> = {
  RequestId: header('X-Request-Id', 'Id of the request, returned in the reply. By default, the service makes an id.', {
    ...text,
    maxLength: 128,
  }),
  TestMode: header('X-Test-Mode', '`true` checks the request, writes nothing and returns made-up data.', {
    type: 'string',
    enum: ['true', 'false'],
  }),
  IdempotencyKey: header('Idempotency-Key', 'Makes the request safe to repeat for 24 hours.', {
    ...text,
    minLength: 1,
    maxLength: 255,
  }),
  IfNoneMatch: header('If-None-Match', 'An ETag. The service replies 304 when the content still has this ETag.', text),
  After: header(
    afterHeader,
    'Positions of earlier replies. The reply shows no older state: the service waits up to 2 seconds for it and then replies 500 with `waitingFor`. A service on one machine ignores this header.',
    { ...text, maxLength: maxPositionsLength },
  ),
  LastEventId: header(
    'Last-Event-ID',
    'The id of the last event that the client has received. The stream continues after it.',
    {
      ...text,
      maxLength: 64,
    },
  ),
  IfMatch: header('If-Match', 'An ETag. The service replies 412 when the object no longer has this ETag.', text),
};

/** Headers of replies. The keys are their names in the document. */
export const headers: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': {
    description: 'Id of the request. Include this id when you report a problem.',
    required: true,
    schema: text,
  },
  'X-RateLimit-Limit': {
    description: 'Maximum number of requests in the rate-limit window that has the fewest requests left.',
    schema: whole,
  },
  'X-RateLimit-Remaining': {
    description: 'Number of requests left in the window of X-RateLimit-Limit.',
    schema: whole,
  },
  'X-RateLimit-Reset': { description: 'End of the window of X-RateLimit-Limit, in seconds since 1970.', schema: whole },
  RateLimit: {
    description: 'The window of X-RateLimit-Limit, in the format of the IETF draft for rate-limit headers.',
    schema: text,
  },
  'RateLimit-Policy': { description: 'The maximums and durations of all rate-limit windows.', schema: text },
  'X-Test-Mode': { description: 'The reply contains made-up data.', schema: { const: 'true' } },
  'X-Key-Rotate-By': {
    description: 'Rotation of the API key has been due since this time.',
    schema: { ...text, format: 'date-time' },
  },
  [positionHeader]: {
    description:
      'Positions of the partitions that the reply was read from, for the header Tidings-After of later requests. Only a service on several machines sends it.',
    schema: text,
  },
  'Idempotent-Replayed': {
    description: 'The reply repeats the reply to an earlier request with this Idempotency-Key.',
    schema: { const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait before the next request.', schema: whole },
  'WWW-Authenticate': { description: 'How to authenticate.', required: true, schema: text },
  'Cache-Control': { description: '`no-store`: the reply contains a secret.', schema: text },
  'Set-Cookie': { description: 'The cookie of the session, or its removal.', schema: text },
  ETag: { description: 'Version of the content, for If-Match and If-None-Match.', required: true, schema: text },
  Link: { description: 'Links to the first, prev, next and last page.', required: true, schema: text },
  /**
   * The header `Link` of a refusal. Its key is `Help`, because the key `Link` is used for the header with the links
   * between the pages of a list.
   */
  Help: {
    description: 'Link to the explanation of the error.',
    required: true,
    schema: { ...text, pattern: '^</docs[^>]*>; rel="help"$' },
  },
  Location: { description: 'Address of the created object.', schema: { ...text, format: 'uri-reference' } },
};

const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy'];
const always = ['X-Request-Id', ...limits, 'X-Test-Mode', 'X-Key-Rotate-By', positionHeader];

/** Returns the names of all headers that a reply with this status can have. */
export function replyHeaders(
  { method, once, contract }: Pick<ApiRoute<never>, 'method' | 'once' | 'contract'>,
  status: number,
): string[] {
  const names = [...always];
  if (method === 'GET' || contract.conditional) names.push('ETag');
  const properties = contract.replies[status]?.properties ?? {};
  if (method === 'GET' && 'hasMore' in properties) names.push('Link');
  if (once) names.push('Idempotent-Replayed');
  if (status === 201 || status === 202) names.push('Location');
  if ('key' in properties || 'secret' in properties) names.push('Cache-Control');
  if (contract.setsCookie) names.push('Set-Cookie');
  if ('bodyMd' in properties && method === 'GET') names.push('Retry-After');
  return names;
}

/** Returns references to headers by their HTTP names. */
export function refsTo(names: readonly string[]): JsonSchema {
  const onTheWire = (name: string) => (name === 'Help' ? 'Link' : name);
  return Object.fromEntries(names.map((name) => [onTheWire(name), { $ref: `#/components/headers/${name}` }]));
}

/** Returns the names of all headers that a refusal with this status can have. */
export function refusalHeaders(status: number): string[] {
  if (status === 401) return ['X-Request-Id', 'Help', 'WWW-Authenticate'];
  if (status === 403) return ['X-Request-Id', 'Help'];
  const names = [...always, 'Help'];
  return status === 429 || status === 500 || status === 409 ? [...names, 'Retry-After'] : names;
}

/**
 * Describes the required headers of a webhook as parameters. This covers the webhooks that the service sends and those
 * that it receives from hosts.
 */
export function webhookHeaders(rows: readonly { name: string; description: string; example: string }[]): JsonSchema[] {
  return rows.map(({ name, description, example }) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: text,
    example,
  }));
}

function header(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'header', description, schema };
}
