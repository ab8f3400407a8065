/**
 * Requests made up from the OpenAPI document: most of them nearly right, so that they get deep. What they name is picked from
 * pools when they are sent.
 */
import fc from 'fast-check';
import { type Document, type Operation, operations, resolve } from './contract.ts';

/** A value that is picked from a pool when the request is sent. */
export interface Picked {
  pool: string;
  at: number;
}

/** A request as it was made up. */
export interface FuzzRequest {
  operation: Operation;
  params: Record<string, unknown>;
  query: [string, unknown][];
  headers: Record<string, unknown>;
  /** A value to encode, or a text to send as it is. */
  body: { value: unknown } | { text: string } | undefined;
  contentType: string;
  key: string;
}

/** Fields that hold the id or name of something that can be there. */
const pools: Readonly<Record<string, string>> = {
  repoId: 'repoId',
  rangeId: 'rangeId',
  releaseRangeId: 'rangeId',
  draftId: 'draftId',
  keyId: 'keyId',
  secretId: 'secretId',
  publicationId: 'pubId',
  channel: 'channel',
  endpointId: 'endpointId',
  deliveryId: 'deliveryId',
  url: 'url',
  orgId: 'orgId',
  org: 'org',
  fromTag: 'tag',
  toTag: 'tag',
  host: 'host',
  revision: 'revision',
  secret: 'secretText',
  tier: 'tier',
  'If-Match': 'etag',
  'If-None-Match': 'etag',
  'Idempotency-Key': 'once',
};

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom<unknown>(
    '',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    '..%2f',
    '9'.repeat(400),
    -1,
    1e308,
    null,
    [],
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A request of one of the operations that are named by their ids. */
export function fuzzRequest(ids: readonly string[]): fc.Arbitrary<FuzzRequest> {
  const wanted = operations.filter(({ definition }) => ids.includes(definition.operationId));
  // What is deleted is gone for all the others: there are fewer of these.
  const often = wanted.flatMap((operation) =>
    operation.method === 'DELETE' ? [operation] : Array<Operation>(3).fill(operation),
  );
  return fc.constantFrom(...often).chain((operation) => requestOf(operation));
}

function requestOf(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const parameters: Document[] = operation.definition.parameters.map(resolve);
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const body = operation.definition.requestBody?.content['application/json'];
  return fc.record({
    operation: fc.constant(operation),
    params: fc.record(
      Object.fromEntries(of('path').map(({ name, schema }) => [name, nearly(valueFor(schema, name), 20)])),
    ),
    query: queryOf(of('query')),
    headers: fc.record(
      Object.fromEntries(
        of('header').map(({ name, schema }) => [name, fc.option(headerOf(name, schema), { nil: undefined, freq: 3 })]),
      ),
    ),
    body: body ? bodyOf(body) : fc.constant(undefined),
    contentType: nearly(
      fc.constant('application/json'),
      40,
      fc.constantFrom('text/plain', 'application/json; charset=utf-8', 'x'),
    ),
    key: fc.oneof(
      { arbitrary: fc.constantFrom('acme', 'umbrella', 'instance'), weight: 12 },
      { arbitrary: fc.constantFrom('reader', 'test', 'revoked', 'none', 'junk'), weight: 3 },
    ),
  }) as fc.Arbitrary<FuzzRequest>;
}

function queryOf(parameters: readonly Document[]): fc.Arbitrary<[string, unknown][]> {
  const known = parameters.map(({ name, schema, required }) =>
    fc.option(fc.tuple(fc.constant(name), nearly(valueFor(schema, name), 12)), {
      nil: undefined,
      freq: required ? 20 : 2,
    }),
  );
  const unknown = fc.option(fc.tuple(fc.string({ maxLength: 12 }), junk), { nil: undefined, freq: 1 });
  const rarely = fc.oneof({ arbitrary: fc.constant(undefined), weight: 14 }, { arbitrary: unknown, weight: 1 });
  return fc.tuple(...known, rarely).map((pairs) => pairs.filter((pair) => pair !== undefined) as [string, unknown][]);
}

function headerOf(name: string, schema: Document): fc.Arbitrary<unknown> {
  const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
  return nearly(valueFor(schema, name), 6, printable);
}

function bodyOf({ schema, example }: Document): fc.Arbitrary<FuzzRequest['body']> {
  const right = valueFor(schema, '').map((value) => ({ value }));
  const bent = fc
    .tuple(valueFor(schema, ''), fc.string({ maxLength: 20 }), junk, fc.nat())
    .map(([value, name, other, at]) => ({ value: bend(value, name, other, at) }));
  const text = fc.oneof(
    junk.map((value) => ({ value })),
    fc.string({ maxLength: 40 }).map((made) => ({ text: made })),
  );
  const cut = fc.nat(40).map((length) => ({ text: JSON.stringify(example).slice(0, length) }));
  return fc.oneof(
    { arbitrary: right, weight: 6 },
    { arbitrary: bent, weight: 3 },
    { arbitrary: text, weight: 1 },
    { arbitrary: cut, weight: 1 },
  );
}

/** One field of an object made another, or one more. */
function bend(value: unknown, name: string, other: unknown, at: number): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const names = [...Object.keys(value), name];
  const bent: Record<string, unknown> = Object.assign(Object.create(null), value);
  bent[names[at % names.length] as string] = other;
  return bent;
}

function nearly(
  right: fc.Arbitrary<unknown>,
  weight: number,
  wrong: fc.Arbitrary<unknown> = junk,
): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: right, weight }, { arbitrary: wrong, weight: 1 });
}

/** A value that fits a schema of the document. */
function valueFor(schema: Document, name: string): fc.Arbitrary<unknown> {
  const pool = pools[name];
  if (pool !== undefined && schema.type !== 'integer') return fc.nat(1_000_000).map((at): Picked => ({ pool, at }));
  const { type } = schema;
  if (schema.$ref) return valueFor(resolve(schema), name);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  // Which settings fit depends on the channel; none fit half of them.
  if (name === 'settings') return fc.oneof(fc.constant({}), valueFor(schema, ''));
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each: Document) => valueFor(each, name)));
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return integerOf(schema);
  if (type === 'array') return fc.array(valueFor(schema.items, ''), { minLength: schema.minItems ?? 0, maxLength: 4 });
  if (type === 'object') return objectOf(schema);
  return textOf(schema);
}

function integerOf({ minimum = 0, maximum = 1000 }: Document): fc.Arbitrary<number> {
  const few = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 5) });
  return fc.oneof(few, fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));
}

function objectOf({ properties = {}, required = [], patternProperties }: Document): fc.Arbitrary<unknown> {
  const [values] = Object.values<Document>(patternProperties ?? {});
  if (values) return fc.dictionary(fc.stringMatching(/^[a-z/: ]{1,20}$/), valueFor(values, ''), { maxKeys: 3 });
  const fields = Object.entries<Document>(properties).map(([name, schema]) => [name, valueFor(schema, name)]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

function textOf({ format, pattern, minLength = 0, maxLength = 60 }: Document): fc.Arbitrary<string> {
  const between = { min: new Date('2025-12-01'), max: new Date('2030-02-01'), noInvalidDate: true };
  if (format === 'date') return fc.date(between).map((date) => date.toISOString().slice(0, 10));
  if (format === 'date-time') return fc.date(between).map((date) => date.toISOString());
  if (pattern) return fc.stringMatching(/^[1-9]\d{0,2}$/);
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) });
}
