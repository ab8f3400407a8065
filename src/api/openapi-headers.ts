/**
 * Headers of the OpenAPI document: what requests may carry, what replies and refusals carry.
 */
import type { ApiRoute } from './handle.ts';
import type { JsonSchema } from './json-schema.ts';

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };

/** Headers of requests, as parameters by name. */
export const requestHeaders: Readonly<Record<string, JsonSchema>> = {
  RequestId: header('X-Request-Id', 'Comes back in the reply; one is made without it.', { ...text, maxLength: 128 }),
  TestMode: header('X-Test-Mode', '`true` checks the request, writes nothing and answers with made-up data.', {
    type: 'string',
    enum: ['true', 'false'],
  }),
  IdempotencyKey: header('Idempotency-Key', 'Makes the request safe to repeat for 24 hours.', {
    ...text,
    minLength: 1,
    maxLength: 255,
  }),
  IfNoneMatch: header('If-None-Match', 'An ETag; the answer is 304 when it is still that of the reply.', text),
  IfMatch: header('If-Match', 'An ETag; the answer is 412 when what is written to has changed since.', text),
};

/** Headers of replies, by name. */
export const headers: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': { description: 'Name it when you report a problem.', required: true, schema: text },
  'X-RateLimit-Limit': { description: 'Requests allowed in the window with the fewest left.', schema: whole },
  'X-RateLimit-Remaining': { description: 'Requests left in it.', schema: whole },
  'X-RateLimit-Reset': { description: 'When it ends, in seconds since 1970.', schema: whole },
  RateLimit: { description: 'The same, as the IETF writes it.', schema: text },
  'RateLimit-Policy': { description: 'All windows.', schema: text },
  'X-Test-Mode': { description: 'The reply is made up.', schema: { const: 'true' } },
  'X-Key-Rotate-By': {
    description: 'By when the key should have been rotated.',
    schema: { ...text, format: 'date-time' },
  },
  'Idempotent-Replayed': { description: 'The reply is that of an earlier request.', schema: { const: 'true' } },
  'Retry-After': { description: 'Seconds.', schema: whole },
  'WWW-Authenticate': { description: 'How to authenticate.', required: true, schema: text },
  'Cache-Control': { description: 'A secret is not to be kept on its way.', schema: text },
  ETag: { description: 'Validator of the content.', required: true, schema: text },
  Link: { description: 'The first, prev, next and last page.', required: true, schema: text },
  /** Of a refusal; `Link` on the wire. */
  Help: {
    description: 'Where the refusal is explained.',
    required: true,
    schema: { ...text, pattern: '^</docs[^>]*>; rel="help"$' },
  },
  Location: { description: 'Where to find what was made.', schema: { ...text, format: 'uri-reference' } },
};

const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy'];
const always = ['X-Request-Id', ...limits, 'X-Test-Mode', 'X-Key-Rotate-By'];

/** Names of the headers that a reply of this status carries, or may carry. */
export function replyHeaders({ method, once, contract }: ApiRoute<never>, status: number): string[] {
  const names = [...always];
  if (method === 'GET' || contract.conditional) names.push('ETag');
  const properties = contract.replies[status]?.properties ?? {};
  if (method === 'GET' && 'hasMore' in properties) names.push('Link');
  if (once) names.push('Idempotent-Replayed');
  if (status === 201 || status === 202) names.push('Location');
  if ('key' in properties || 'secret' in properties) names.push('Cache-Control');
  if ('bodyMd' in properties && method === 'GET') names.push('Retry-After');
  return names;
}

/** References to headers by the names they have on the wire. */
export function refsTo(names: readonly string[]): JsonSchema {
  const onTheWire = (name: string) => (name === 'Help' ? 'Link' : name);
  return Object.fromEntries(names.map((name) => [onTheWire(name), { $ref: `#/components/headers/${name}` }]));
}

/** Names of the headers that a refusal carries, or may carry. */
export function refusalHeaders(status: number): string[] {
  if (status === 401) return ['X-Request-Id', 'Help', 'WWW-Authenticate'];
  if (status === 403) return ['X-Request-Id', 'Help'];
  const names = [...always, 'Help'];
  return status === 429 || status === 500 || status === 409 ? [...names, 'Retry-After'] : names;
}

/** Headers that a webhook has to carry, ours or a host's, as parameters. */
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
