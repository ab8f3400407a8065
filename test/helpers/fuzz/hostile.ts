/**
 * Hostile values and bodies for API requests: wrong types, values beyond the limits of a schema, texts that some
 * parsers misread, and bytes that are not valid JSON.
 */
import { type Document, resolve } from '../contract.ts';
import { pick, type Random } from '../random.ts';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Texts that a parser, a query, a web page or a terminal may misinterpret. */
export const hostileTexts: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\u202eabc\u202c', '\u200f', '\u009b31m', '\u001b[2J'],
  ...[
    '\ufeff',
    '\uffff',
    '\u2028',
    '\r\nX-Test-Mode: true',
    '%00',
    '%2e%2e%2f',
    '../../etc/passwd',
    '..%2f',
    '.',
    '..',
  ],
  ...["' OR 1=1 --", '"; DROP TABLE keys; --', '$where', '{"$gt":""}', '*', '__proto__', 'constructor', 'toString'],
  ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '[a](javascript:alert(1))', '# Heading\n\n---\n'],
  ...['<!-- rn:pr:2 -->', '```', '|a|b|\n|-|-|', '<!channel>', '<@U1>', '{{7*7}}', '#{7*7}', '=cmd|"/c calc"!A0'],
  ...['http://127.0.0.1:9/', 'http://[::1]:9/', 'http://user:pass@127.0.0.1/', 'file:///etc/passwd', 'javascript:1'],
  ...['//127.0.0.1', 'http://0x7f000001/', 'http://127.1/', 'https://127.0.0.1:0/', 'http://localhost:99999/'],
  ...['null', 'true', '1e400', '-0', 'NaN', '9'.repeat(400), '\u0130', 'ß'.repeat(100), '😀'.repeat(130), 'a\u0301'],
  ...['2026-02-30', '+275760-09-13T00:00:00Z', '0000-01-01', 'rn_live_x', 'org_', 'repo_zz', 'instance', '\u3000'],
];

const numbers: readonly number[] = [-1, 0, -0, 0.5, 1e308, 2 ** 31, 2 ** 53, -(2 ** 53), 5e-324, 721, 101, 513];

/** JSON tokens, valid and nearly valid, that replace a value. */
const tokens: readonly string[] = [
  ...['1e400', '-1e400', '-0', '1E+2', '01', '0x10', 'NaN', 'Infinity', '9'.repeat(400), '1.0000000000000000000001'],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '"\\ud83d\\ude00"',
    '"\\x41"',
    '"a\nb"',
    deep(31),
    deep(40),
    deep(5000),
    '{"a":1,"a":2}',
  ],
  ...['{"__proto__":{"orgId":1}}', '{"constructor":{"prototype":{}}}', "'a'", 'undefined', '', '{"":{"":{"":{}}}}'],
];

/** Returns a value that most fields of a request do not allow. */
export function hostileValue(random: Random): unknown {
  const kind = random(10);
  if (kind < 6) return pick(random, hostileTexts);
  if (kind < 7) return pick(random, numbers);
  return pick<unknown>(random, [null, true, false, [], {}, [[]], [null], { length: 1e9 }, { toJSON: 1 }, ['a', 'a']]);
}

/**
 * Returns a copy of a body with one value replaced, at any depth. The new value has another type, is hostile, or is
 * just outside the limits of the schema.
 */
export function withOneChanged(random: Random, body: unknown, schema: Document): unknown {
  const path = pick(random, placesOf(body));
  const off = random(3) === 0 ? beyond(random, schemaAt(schema, path)) : undefined;
  return changed(body, path, off === undefined ? hostileValue(random) : off);
}

/** Returns a copy of a body without one of its fields. */
export function withOneMissing(random: Random, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Object.keys(body).length === 0) return {};
  const gone = pick(random, Object.keys(body));
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== gone));
}

/** Returns a copy of a body with one additional field. */
export function withOneMore(random: Random, body: unknown, names: readonly string[]): unknown {
  const name = pick(random, ['', 'id', 'orgId', 'createdBy', 'constructor', 'toString', 'x'.repeat(300), ...names]);
  return { ...(body as object), [name]: hostileValue(random) };
}

/**
 * Returns bytes made from a body. Most of them are not valid JSON. Some are valid but ambiguous, for example with the
 * same field twice.
 */
export function rawBody(random: Random, body: unknown): Buffer {
  const text = JSON.stringify(body) ?? '{}';
  const inside = text.length > 2 ? `,${text.slice(1)}` : '}';
  const mark = '"\u0001\u0001"';
  const holed = JSON.stringify(changed(body, pick(random, placesOf(body)), '\u0001\u0001')) ?? mark;
  const [before, after = ''] = holed.split(JSON.stringify('\u0001\u0001'));
  const name = JSON.stringify(Object.keys((body as object | null) ?? {})[0] ?? 'a');
  const made: (() => Buffer | string)[] = [
    ...tokens.map((token) => () => `${before}${token}${after}`),
    () => Buffer.concat([Buffer.from(`${before}"a`), Buffer.from([0xc3, 0x28, 0xff, 0xfe]), Buffer.from(`"${after}`)]),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
    () => Buffer.from(text, 'utf16le'),
    () => `{${name}:1${inside}`,
    () => `{"__proto__":{"scopes":["*"]}${inside}`,
    () => text.slice(0, random(text.length)),
    () => text + text,
    () => `${text}\u0000`,
    () => `${text},`,
    () => `/* */${text}`,
    () => ' \t\r\n'.repeat(2000) + text,
    () => '',
    () => '[]',
    () => `[${text}]`,
  ];
  const bytes = pick(random, made)();
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
}

/** Returns the paths of all replaceable values in a JSON value. */
function placesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, child]) => placesOf(child, [...path, name]))];
}

function changed(value: unknown, [first, ...rest]: string[], by: unknown): unknown {
  if (first === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  return Object.assign(copy, { [first]: changed((value as Record<string, unknown>)[first], rest, by) });
}

function schemaAt(schema: Document, path: readonly string[]): Document {
  let at: Document = resolve(schema);
  for (const name of path) {
    const forms: Document[] = (at?.anyOf ?? [at]).map((form: Document) => form && resolve(form));
    const next = forms
      .map((form) => form?.properties?.[name] ?? form?.items ?? Object.values(form?.patternProperties ?? {})[0])
      .find((found) => found !== undefined);
    at = next && resolve(next);
  }
  return at ?? {};
}

/** Returns a value at or just outside the limits of a schema; undefined when the schema sets no limits. */
function beyond(random: Random, schema: Document): unknown {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, enum: values } = schema;
  const made: unknown[] = [];
  if (minimum !== undefined) made.push(minimum - 1, minimum + 0.5);
  if (maximum !== undefined) made.push(maximum + 1);
  if (minLength > 0) made.push('x'.repeat(minLength - 1));
  if (maxLength !== undefined) made.push('x'.repeat(maxLength + 1), 'x'.repeat(maxLength), '😀'.repeat(maxLength));
  if (minItems > 0) made.push([]);
  if (maxItems !== undefined) made.push(Array.from({ length: maxItems + 1 }, (_, at) => `${at}`));
  if (values) made.push(`${values[0]} `, String(values[0]).toUpperCase(), [values[0]]);
  return made.length === 0 ? undefined : pick(random, made);
}
