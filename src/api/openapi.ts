/**
 * Makes the OpenAPI 3.1 document from the route table. The document contains every operation with its parameters,
 * bodies, replies and refusals, and gives an example of each of these parts. Tests compare the real replies with the
 * document.
 */
import type { TSchema } from '@sinclair/typebox';
import { version } from '../foundation/version.ts';
import { positionHeader } from '../protocol/positions.ts';
import { components } from '../protocol/resources/components.ts';
import type { Deprecation } from '../protocol/resources/contract.ts';
import { NoQuerySchema, params } from '../protocol/resources/fields.ts';
import { receiver } from '../protocol/resources/receiver.ts';
import { deprecationSchemas } from './deprecation.ts';
import { exampleOf, type JsonSchema, SchemaWriter } from './json-schema.ts';
import { headers, refsTo, replyHeaders, requestHeaders, webhookHeaders } from './openapi-headers.ts';
import { receiverResponses, refusalComponents, refusalRef } from './openapi-refusals.ts';
import { webhooksSection } from './openapi-webhooks.ts';
import { parameterDescriptions, tagDescriptions } from './openapi-words.ts';
import type { ApiRoute } from './route.ts';
import { type SessionOperation, sessionOperations } from './session-operations.ts';

const schemas = new SchemaWriter(components);
const json = 'application/json';
/**
 * Version of the API contract. It changes only when clients have to change, while `info.version` changes with each
 * release of Tidings.
 */
const apiVersion = '1.0';

const about = `Release notes from merged pull requests and closed issues. Requests need an API key in the header
\`Authorization: Bearer <API_KEY>\`. The webhook receiver and this document need no API key. Pages of the service use a session instead of a key: a cookie, and the header \`X-Tidings-CSRF\`. The [guide](/docs/guide) explains each task.`;

const license = { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' };

/** The parts of a route that the document describes, and how clients authenticate for it. */
type Described = Pick<ApiRoute<never>, 'method' | 'path' | 'operation' | 'contract' | 'query' | 'once'> & {
  description: string;
  security: readonly JsonSchema[];
  hasTestMode: boolean;
};

/** Returns the status codes of an operation's refusals. Most of them follow from its method, path and options. */
function refusalsOf(route: Described): number[] {
  const { refusals = [], conditional } = route.contract;
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE';
  const statuses = [400, 401, 403, 429, 500, ...refusals];
  if (route.path.includes(':')) statuses.push(404);
  if (takesBody) statuses.push(413, 415);
  if (route.once) statuses.push(409, 422);
  if (conditional) statuses.push(412);
  return [...new Set(statuses)].sort();
}

/**
 * Makes the whole document.
 * @param publicUrl address of the service for its clients. If it is empty, the document refers to the address from
 * which it was downloaded.
 */
export function openApiDocument(routes: readonly ApiRoute<never>[], publicUrl = ''): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const route of [...routes.map(describedRoute), ...sessionOperations.map(describedSession)]) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  paths['/api/webhooks/scm'] = { post: receiverOperation() };
  paths['/api/openapi.json'] = { get: documentOperation() };
  const used = new Set<string>([
    ...[...routes, ...sessionOperations].map(({ contract }) => contract.tag),
    'Webhooks',
    'Contract',
  ]);
  const tags = Object.entries(tagDescriptions).filter(([name]) => used.has(name));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidings',
      version,
      'x-api-version': apiVersion,
      description: about,
      contact: { name: 'Operator of this service', ...(publicUrl !== '' && { url: publicUrl }) },
      license,
    },
    servers: servers(publicUrl),
    tags: tags.map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooksSection((schema) => schemas.reply(schema)),
    components: {
      schemas: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, schemas.whole(schema)])),
      responses: refusalComponents(),
      parameters: requestHeaders,
      headers,
      securitySchemes,
    },
  };
}

function servers(publicUrl: string): JsonSchema[] {
  const here = { url: '/', description: 'The server that returned this document.' };
  return publicUrl === '' ? [here] : [{ url: publicUrl, description: 'The public address of the service.' }, here];
}

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'rn_live_ or rn_test_, then 36 letters and digits' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-tidings',
    description:
      'The cookie of a session, from `POST /api/session`. A service on the same machine that is reached over plain http uses the name `tidings`. Only pages of the service can use it: requests also need the header `X-Tidings-CSRF`, and `Sec-Fetch-Site: same-origin`, which browsers send. A request with an Authorization header ignores the cookie.',
  },
  sessionCsrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Tidings-CSRF',
    description: 'The value `csrf` from the reply of `POST /api/session`.',
  },
};

function describedRoute(route: ApiRoute<never>): Described {
  const { scope } = route;
  const scopes = scope === null ? [] : [scope];
  const security = [{ apiKey: scopes }, { session: scopes, sessionCsrf: [] }];
  const description = scope === null ? streamWords : `Needs the scope \`${scope}\`.`;
  return { ...route, description, security, hasTestMode: true };
}

function describedSession(session: SessionOperation): Described {
  const bySession = { session: [], sessionCsrf: [] };
  const [description, security] = {
    anyone: [
      'Needs no API key in a header: the body contains the API key, or a code that `tidings dashboard` printed. Sets the cookie of the session. A client may try five times per minute.',
      [],
    ],
    session: ['Needs a session, and no scope.', [bySession]],
    keyOrSession: ['Needs an API key or a session, and no scope.', [{ apiKey: [] }, bySession]],
  }[session.access] as [string, JsonSchema[]];
  return { ...session, query: NoQuerySchema, description, security, hasTestMode: false };
}

function operation(route: Described): JsonSchema {
  const { contract, operation: operationId, method, description, security, hasTestMode } = route;
  const { tag, summary, body, replies, conditional, deprecated, streams } = contract;
  const reads = method === 'GET';
  const named = [
    'RequestId',
    hasTestMode && 'TestMode',
    reads && (streams ? 'LastEventId' : 'IfNoneMatch'),
    method === 'POST' && hasTestMode && 'IdempotencyKey',
    operationId !== 'createSession' && 'After',
    conditional && 'IfMatch',
  ];
  const sent = Object.entries(replies).map(([status, schema]) => [
    status,
    withDeprecation(
      streams ? stream(schema, streams) : reply(schema, summary, replyHeaders(route, Number(status))),
      deprecated,
    ),
  ]);
  const refused = refusalsOf(route).map((status) => [String(status), refusalRef(status)]);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(deprecated && { deprecated: true }),
    security,
    parameters: [
      ...pathParameters(route.path),
      ...queryParameters(route.query),
      ...named
        .filter((name) => name !== false && name !== undefined)
        .map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body && { requestBody: requestBody(body, contract.example ?? exampleOf(body)) }),
    responses: Object.fromEntries([...sent, ...(reads && !streams ? [['304', unchanged]] : []), ...refused]),
  };
}

const unchanged = {
  description: 'The content still has the ETag in If-None-Match.',
  headers: refsTo([
    'X-Request-Id',
    'ETag',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    positionHeader,
  ]),
};

function requestBody(schema: TSchema, example: unknown): JsonSchema {
  return { required: true, content: { [json]: { schema: schemas.request(schema), example } } };
}

function reply(schema: TSchema, description: string, names: readonly string[]): JsonSchema {
  const content = { [json]: { schema: schemas.reply(schema), example: exampleOf(schema) } };
  return { description, headers: refsTo(names), content };
}

const streamWords = `Needs a key with any scope. The stream contains an event if the key may read its object: \`repo.event\`
and \`backfill.progress\` need \`repos:read\`, \`range.counts\` needs \`ranges:read\`, \`draft.status\` and
\`publication.status\` need \`drafts:read\`, \`delivery.refused\` needs \`webhooks:read\`. A key or a session has
at most 4 open streams.`;

/** Describes a stream of server-sent events by the shape and the examples of its events. */
function stream(schema: TSchema, samples: NonNullable<ApiRoute['contract']['streams']>): JsonSchema {
  const examples = Object.fromEntries(samples.map((sample) => [sample.event, { value: sample }]));
  return {
    description:
      'A stream of server-sent events. The line `event` has the name of an event, the line `data` its data as JSON, and the line `id` the position from which the stream can continue.',
    headers: refsTo(['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
    content: { 'text/event-stream': { schema: schemas.reply(schema), examples } },
  };
}

function withDeprecation(response: JsonSchema, deprecated: Deprecation | undefined): JsonSchema {
  return deprecated ? { ...response, headers: { ...(response.headers as object), ...deprecationSchemas } } : response;
}

function pathParameters(path: string): JsonSchema[] {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as keyof typeof params);
  return names.map((name) => {
    const { examples, ...schema } = schemas.request(params[name]);
    const description = parameterDescriptions[name];
    return { name, in: 'path', required: true, description, schema, example: (examples as string[])[0] };
  });
}

function queryParameters(query: TSchema): JsonSchema[] {
  const required = (query.required ?? []) as string[];
  return Object.entries((query.properties ?? {}) as Record<string, TSchema>).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    description: parameterDescriptions[name],
    schema: schemas.request(schema),
  }));
}

function receiverOperation(): JsonSchema {
  const { summary, headers: taken, replies } = receiver;
  const sent = Object.entries(replies).map(([status, schema]) => [status, reply(schema, summary, ['X-Request-Id'])]);
  return {
    operationId: 'receiveWebhook',
    tags: ['Webhooks'],
    summary,
    description: 'Needs no API key. The signature of the raw body, made with a webhook secret, proves the sender.',
    security: [],
    parameters: [...webhookHeaders(taken), { $ref: '#/components/parameters/TestMode' }],
    requestBody: { required: true, content: { [json]: { schema: { type: 'object' }, example: receiver.example } } },
    responses: { ...Object.fromEntries(sent), ...receiverResponses() },
  };
}

function documentOperation(): JsonSchema {
  const content = { [json]: { schema: { type: 'object' }, example: { openapi: '3.1.0' } } };
  return {
    operationId: 'getOpenApi',
    tags: ['Contract'],
    summary: 'Get this document',
    description: 'Needs no API key.',
    security: [],
    parameters: [{ $ref: '#/components/parameters/RequestId' }, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: {
      200: { description: 'This document', headers: refsTo(['X-Request-Id', 'ETag']), content },
      304: { description: 'The document has not changed.', headers: refsTo(['X-Request-Id', 'ETag']) },
    },
  };
}
