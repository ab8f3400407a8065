/**
 * Makes `operations.ts` from the service's OpenAPI document: `node dist/sdk/generate.js openapi.json >
 * sdk/operations.ts`. The generated file has one type per schema, and the input and reply types of each operation.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// biome-ignore lint/suspicious/noExplicitAny: a document is read as whatever it is
type Document = any;

const head = `/**
 * Shapes and operations of the API. Made by sdk/generate.ts from the OpenAPI document; not to be edited.
 */
`;

/** The type of an object without fields. */
const emptyObject = 'Record<string, never>';

/** Returns the text of `operations.ts`. */
export function operationsSource(document: Document): string {
  const shapes = Object.entries<Document>(document.components.schemas).map(
    ([name, schema]) => `export type ${name === 'Error' ? 'ErrorBody' : name} = ${typeOf(schema)};\n`,
  );
  const found = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, definition]) => ({
      path,
      method: method.toUpperCase(),
      definition,
    })),
  );
  // Only hosts send to the webhook receiver, so the client has no method for it. Streams have methods of their own.
  const operations = found.filter(
    ({ definition }) => definition.operationId !== 'receiveWebhook' && !isStream(definition),
  );
  const types = operations.map(({ definition }) => operationType(definition));
  const table = operations.map(({ path, method, definition }) => row(path, method, definition));
  return [
    head,
    ...shapes,
    webhookTypes(document.webhooks),
    `/** The input and the reply of each operation, and the item of each list. */\nexport interface Operations {\n${types.join('')}}\n`,
    `export const operations = {\n${table.join('')}} as const;\n`,
  ].join('\n');
}

/** Returns the types of webhook bodies by event, and their union, which is discriminated by `event`. */
function webhookTypes(webhooks: Document): string {
  const fields = Object.entries<Document>(webhooks).map(([event, { post }]) => {
    const { schema } = post.requestBody.content['application/json'];
    return `  /** ${post.summary}. */\n  '${event}': ${typeOf(schema)};\n`;
  });
  return [
    `/** Bodies of the webhooks that the service sends, by event. */\nexport interface WebhookEvents {\n${fields.join('')}}\n`,
    '/** The body of a webhook; `event` determines its type. */\nexport type WebhookEvent = WebhookEvents[keyof WebhookEvents];\n',
  ].join('\n');
}

function operationType(definition: Document): string {
  const { operationId, summary, parameters, requestBody, responses } = definition;
  const fields = parameters
    .filter((parameter: Document) => parameter.in === 'path' || parameter.in === 'query')
    .map(({ name, required, schema }: Document) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`);
  const parts = fields.length > 0 ? [`{ ${fields.join('; ')} }`] : [];
  if (requestBody) {
    const body = typeOf(requestBody.content['application/json'].schema);
    // The type of an empty body allows no fields, so it would also forbid the path parameters.
    if (body !== emptyObject || parts.length === 0) parts.push(body);
  }
  const reply = replySchema(responses);
  const list = listOf(reply);
  const item = list === undefined ? '' : ` item: ${typeOf(reply.properties[list].items)};`;
  return `  /** ${summary}. */\n  ${operationId}: { input: ${parts.join(' & ') || emptyObject}; reply: ${typeOf(reply)};${item} };\n`;
}

function row(path: string, method: string, { operationId, parameters, requestBody, responses }: Document): string {
  const query = parameters.filter((each: Document) => each.in === 'query').map((each: Document) => `'${each.name}'`);
  const list = listOf(replySchema(responses));
  const parts = [
    `method: '${method}'`,
    `path: '${path}'`,
    `query: [${query.join(', ')}]`,
    `body: ${requestBody !== undefined}`,
    ...(list === undefined ? [] : [`list: '${list}'`]),
  ];
  return `  ${operationId}: { ${parts.join(', ')} },\n`;
}

function isStream({ responses }: Document): boolean {
  return responses['200']?.content['text/event-stream'] !== undefined;
}

function replySchema(responses: Document): Document {
  const [, response] = Object.entries<Document>(responses).find(([status]) => status.startsWith('2')) ?? [];
  return response.content['application/json'].schema;
}

/** Returns the name of the field that holds the items of a page. Returns undefined for a reply that is not a page. */
function listOf({ properties }: Document): string | undefined {
  if (properties?.hasMore === undefined) return undefined;
  return Object.keys(properties).find((name) => properties[name].type === 'array');
}

/** Turns a schema into a TypeScript type. */
function typeOf(schema: Document): string {
  const { $ref, anyOf, type } = schema;
  if ($ref) return $ref.split('/').pop();
  if (schema.enum) return schema.enum.map((value: string) => `'${value}'`).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'");
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ');
  if (type === 'array') return `readonly (${typeOf(schema.items)})[]`;
  if (type === 'object') return objectType(schema);
  if (type === 'integer') return 'number';
  return type ?? 'unknown';
}

function objectType({ properties, required = [], additionalProperties, patternProperties }: Document): string {
  const [values] = [additionalProperties, ...Object.values(patternProperties ?? {})].filter(
    (each) => typeof each === 'object',
  );
  if (values) return `{ [name: string]: ${typeOf(values)} }`;
  if (!properties) return 'Record<string, unknown>';
  const fields = Object.entries<Document>(properties).map(([name, schema]) => {
    return `${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`;
  });
  return fields.length === 0 ? emptyObject : `{ ${fields.join('; ')} }`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(operationsSource(JSON.parse(readFileSync(process.argv[2] ?? 0, 'utf8'))));
}
