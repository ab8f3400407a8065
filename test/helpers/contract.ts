/**
 * Validates live replies against the service's OpenAPI document. An independent JSON Schema validator reads the
 * document in the form that clients get.
 */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/api/openapi.ts';
import { apiRoutes } from '../../src/api/routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read as whatever it is
export type Document = any;

/** A reply as it was received. */
export interface LiveReply {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The OpenAPI document as the service sends it. */
export const openApi: Document = JSON.parse(JSON.stringify(openApiDocument(apiRoutes)));

/** An operation of the OpenAPI document with its path. */
export interface Operation {
  method: string;
  path: string;
  definition: Document;
}

export const operations: readonly Operation[] = Object.entries<Document>(openApi.paths).flatMap(([path, methods]) =>
  Object.entries<Document>(methods).map(([method, definition]) => ({ method: method.toUpperCase(), path, definition })),
);

const ajv = createAjv();
const compiled = new Map<unknown, ValidateFunction>();
const patterns = operations.map((operation) => ({ operation, pattern: toPattern(operation.path) }));

function createAjv(): Ajv2020 {
  const made = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    validateFormats: true,
  });
  made.addFormat('date', /^\d{4}-\d{2}-\d{2}$/);
  made.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
  made.addFormat('time-zone', /^[A-Za-z][\w+/-]*$/);
  made.addFormat('uri-reference', /^\S+$/);
  // These keywords exist in OpenAPI but not in JSON Schema.
  for (const keyword of ['discriminator', 'components']) made.addKeyword(keyword);
  made.addSchema({ $id: 'document:', components: openApi.components });
  return made;
}

/** Validates a value against a schema of the document. Returns the faults as text; undefined when there are none. */
export function faultOf(schema: Document, value: unknown): string | undefined {
  let validate = compiled.get(schema);
  if (!validate) {
    const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document:#/components/'));
    validate = ajv.compile(whole);
    compiled.set(schema, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

/** Returns the operation that a request calls; undefined when the document has no such path or method. */
export function operationOf(method: string, url: string): Operation | undefined {
  const path = url.split('?')[0] ?? '';
  return patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation;
}

/** Returns how a reply contradicts the OpenAPI document; undefined when the reply matches the document. */
export function replyFault(method: string, url: string, reply: LiveReply): string | undefined {
  const operation = operationOf(method, url);
  if (!operation) return undefined;
  const { operationId, responses } = operation.definition;
  const definition = resolve(responses[String(reply.status)]);
  const at = `${operationId} ${reply.status}`;
  if (!definition) return `${at}: the status is not in the document; ${JSON.stringify(reply.body)}`;
  const wrong = Object.entries<Document>(definition.headers ?? {}).flatMap(([name, header]) => {
    const fault = headerFault(resolve(header), reply.headers.get(name));
    return fault === undefined ? [] : [`${at}: header ${name} ${fault}`];
  });
  const isStream = definition.content?.['text/event-stream'] !== undefined;
  if (isStream) return reply.headers.get('content-type') === 'text/event-stream' ? wrong[0] : `${at}: is not a stream`;
  if (definition.content === undefined) return reply.body === '' ? wrong[0] : `${at}: has a body`;
  if (reply.headers.get('content-type') !== 'application/json') return `${at}: is not JSON`;
  const fault = faultOf(definition.content['application/json'].schema, reply.body);
  return fault === undefined ? wrong[0] : `${at}: ${fault}; ${JSON.stringify(reply.body)}`;
}

/**
 * Validates the reply to every `fetch` call in this process against the OpenAPI document. A reply that contradicts the
 * document fails the test.
 */
export function checkContract(): void {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await plain(input, init);
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (!operationOf(request.method, pathname)) return response;
    // A stream does not end.
    const text = isStream(response) ? '' : await response.clone().text();
    const { status, headers } = response;
    const fault = replyFault(request.method, pathname, { status, headers, body: parsed(text) });
    if (fault !== undefined) assert.fail(fault);
    return response;
  };
}

/** Whether a reply is a stream of events, which does not end. */
export function isStream({ headers }: Pick<Response, 'headers'>): boolean {
  return headers.get('content-type') === 'text/event-stream';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the target of a `$ref` in the document; any other value is returned unchanged. */
export function resolve(value: Document): Document {
  if (typeof value?.$ref !== 'string') return value;
  const parts = value.$ref.slice(2).split('/');
  const found = parts.reduce((at: Document, part: string) => at?.[part], openApi);
  assert.ok(found, `${value.$ref} leads somewhere`);
  return found;
}

function headerFault({ required, schema }: Document, text: string | null): string | undefined {
  if (text === null) return required ? 'is missing' : undefined;
  return faultOf(schema, schema.type === 'integer' ? Number(text) : text);
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}
