/**
 * Generates values that fit a schema of the OpenAPI document. The caller supplies ids and names of objects that exist.
 */
import { type Document, resolve } from '../contract.ts';
import { pick, type Random } from '../random.ts';

/** Supplies the parts of generated values: random choices, ids, existing values and texts. */
export interface Maker {
  random: Random;
  /** Returns an id with a prefix, such as `range`. */
  id: (prefix: string) => string;
  /** Returns the existing values of a field by its name; undefined for a field that accepts any value. */
  known: (field: string) => readonly unknown[] | undefined;
  /** Returns free text up to a maximum length. */
  text: (maxLength: number) => string;
  /**
   * Chooses one of the forms that the schema allows for a field. When it returns undefined, the form is chosen at
   * random.
   */
  form?: (field: string, forms: readonly Document[]) => Document | undefined;
  /** Number of cases out of ten in which an optional field is set. */
  optional: number;
}

const idLike = /^([a-z]+)_[0-9a-z]{28}$/;
const prefixes: Readonly<Record<string, string>> = {
  publication: 'pub',
  releaseRange: 'range',
  endpoint: 'ep',
  delivery: 'dlv',
};
const pairs = /^from([A-Z]\w*)?$/;
const day = 86_400_000;
const [firstDay, days] = [Date.UTC(2025, 11, 1), 1500];
/** A PNG of one pixel. */
const smallPng = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Each pattern in the OpenAPI document matches at least one of these texts. */
const patterned = [
  'docs/NEWS.md',
  'main',
  'https://127.0.0.1:9/hook',
  'ada@example.org',
  '7',
  'en',
  'x1',
  'a-key-of-24-characters-',
  '#0b57b7',
  'https://docs.example.org',
  `data:image/png;base64,${smallPng}`,
];

/** Returns the prefix of the ids that a field contains, such as `range`; undefined for a field that contains no id. */
export function prefixOf(field: string, example?: unknown): string | undefined {
  if (typeof example === 'string') return idLike.exec(example)?.[1];
  const [, name] = /^(\w+)Id$/.exec(field) ?? [];
  return name && (prefixes[name] ?? name);
}

/** Returns a value that a schema allows. `field` is the name of the value in its object. */
export function valueFor(maker: Maker, given: Document, field: string, example?: unknown): unknown {
  const { random } = maker;
  const schema = resolve(given);
  if (Array.isArray(schema.type))
    return valueFor(maker, { ...schema, type: pick(random, schema.type) }, field, example);
  if (schema.type === 'null') return null;
  const known = maker.known(field)?.filter((value) => fits(schema, value)) ?? [];
  if (known.length > 0) return pick(random, known);
  const prefix = schema.type === 'string' ? prefixOf(field, example ?? schema.example) : undefined;
  if (prefix) return maker.id(prefix);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(random, schema.enum);
  const forms: Document[] | undefined = schema.anyOf ?? schema.oneOf;
  if (forms) return valueFor(maker, maker.form?.(field, forms) ?? pick(random, forms), '');
  if (schema.type === 'boolean') return random(2) === 0;
  if (schema.type === 'integer' || schema.type === 'number') return integerOf(random, schema);
  if (schema.type === 'array') return arrayOf(maker, schema);
  if (schema.type === 'object') return objectOf(maker, schema, example);
  return textOf(maker, schema);
}

/**
 * Whether a schema allows a known value of a field. Known values are stored by field name, and fields with the same
 * name can need different values. For example, `from` is an address in one body and a time in another.
 */
function fits({ pattern, format, enum: values }: Document, value: unknown): boolean {
  if (pattern && !new RegExp(pattern, 'u').test(String(value))) return false;
  if (format && Number.isNaN(Date.parse(String(value)))) return false;
  return !values || values.includes(value);
}

function integerOf(random: Random, { minimum = 0, maximum = 1000 }: Document): number {
  if (random(4) === 0) return pick(random, [minimum, maximum]);
  return minimum + random(Math.min(6, maximum - minimum + 1));
}

function arrayOf(maker: Maker, { items, minItems = 0, maxItems = 4, uniqueItems }: Document): unknown[] {
  const length = minItems + maker.random(Math.min(4, maxItems - minItems) + 1);
  const made = Array.from({ length }, () => valueFor(maker, items, ''));
  return uniqueItems ? [...new Set(made)] : made;
}

function objectOf(maker: Maker, schema: Document, example: unknown): Record<string, unknown> {
  const { properties = {}, required = [], patternProperties, minProperties = 0 } = schema;
  const made: Record<string, unknown> = {};
  const [sure] = minProperties > 0 ? [pick(maker.random, Object.keys(properties))] : [];
  const [free] = Object.values<Document>(patternProperties ?? {});
  if (free)
    for (let left = maker.random(4); left > 0; left--) made[`label ${maker.random(9)}`] = valueFor(maker, free, '');
  for (const [name, each] of Object.entries<Document>(properties)) {
    // A field with known values is always set. Without the field, the fuzzed service could use a default that is the
    // address of a real service.
    const wanted =
      required.includes(name) ||
      name === sure ||
      maker.random(10) < maker.optional ||
      maker.known(name)?.[0] !== undefined;
    if (!wanted) continue;
    const value = valueFor(maker, each, name, (example as Record<string, unknown> | undefined)?.[name]);
    if (value !== undefined) made[name] = value;
  }
  inOrder(made);
  return made;
}

/** Swaps the values of a `from…` field and its `to…` field when the `from…` value is greater. */
function inOrder(made: Record<string, unknown>): void {
  for (const from of Object.keys(made)) {
    const match = pairs.exec(from);
    const to = match && `to${match[1] ?? ''}`;
    if (!to || made[to] === undefined || (made[from] as string) <= (made[to] as string)) continue;
    [made[from], made[to]] = [made[to], made[from]];
  }
}

function textOf(maker: Maker, { format, pattern, minLength = 0, maxLength = 60 }: Document): string {
  const { random } = maker;
  const time = new Date(firstDay + random(days) * day + random(day)).toISOString();
  if (format === 'date') return time.slice(0, 10);
  if (format === 'date-time') return time;
  if (format === 'time-zone') return pick(random, ['UTC', 'Europe/Berlin', 'America/St_Johns']);
  if (pattern) {
    const fitting = [maker.text(Math.min(maxLength, 60)), ...patterned].filter(
      (text) => text.length <= maxLength && new RegExp(pattern, 'u').test(text),
    );
    return pick(random, fitting.length > 0 ? fitting : patterned);
  }
  return maker.text(Math.min(maxLength, 200)).padEnd(minLength, 'x');
}
