/**
 * Checks queries and bodies against their schemas. All bad fields are reported at once, each with what was expected and what
 * arrived (spec part 7).
 */
import { FormatRegistry, Kind, type TObject, type TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { ValueErrorType } from '@sinclair/typebox/errors';
import { type ErrorDetails, invalid } from '../foundation/errors.ts';

FormatRegistry.Set('date', isDate);
FormatRegistry.Set('date-time', isTimestamp);

/** A body can have a million unknown fields; whoever mends the client needs to see a few. */
const mostFaults = 20;
/** Longest part of a request that a message repeats, in characters. */
const longestShown = 80;

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** Whether a text is a calendar day, YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(instant) && new Date(instant).toISOString().startsWith(text);
}

/** Whether a text is an ISO 8601 time in UTC, such as 2026-01-31T00:00:00Z. */
function isTimestamp(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text)) return false;
  return isDate(text.slice(0, 10)) && Number.isFinite(Date.parse(text));
}

/**
 * A value that fits its schema, with defaults filled in.
 * @throws ServiceError `invalid` with one detail for each bad field
 */
export function check<T>(schema: TObject, value: unknown, what: string): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid({ [what]: `expected a JSON object, got ${shown(value)}` });
  }
  const known = compiled.get(schema) ?? TypeCompiler.Compile(schema);
  compiled.set(schema, known);
  if (known.Check(value)) return value as T;
  throw invalid(faults(known, value as Record<string, unknown>), `The ${what} is invalid.`);
}

/**
 * A value with the defaults of its schema where a field is missing. A field of another type stays for `check` to refuse. TypeBox
 * would merge an object into the default of an array: `{"length": 1e9}` becomes an array that it then walks.
 */
export function withDefaults(schema: TSchema, value: unknown): unknown {
  const given = value === undefined ? structuredClone(schema.default) : value;
  if (schema.properties === undefined || typeof given !== 'object' || given === null || Array.isArray(given))
    return given;
  const whole: Record<string, unknown> = { ...given };
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    const field = withDefaults(property, Object.hasOwn(given, name) ? whole[name] : undefined);
    if (field !== undefined) whole[name] = field;
  }
  return whole;
}

/**
 * The parameters of a query string, integers read as such.
 * @throws ServiceError `invalid` with one detail for each bad, repeated or unknown parameter
 */
export function checkQuery<T>(schema: TObject, query: string): T {
  const values = withoutPrototype<unknown>();
  const repeated = withoutPrototype<string>();
  for (const [name, text] of new URLSearchParams(query)) {
    if (name in values) repeated[name] = 'expected once, got it repeated';
    const integer = schema.properties[name]?.type === 'integer' && /^-?\d{1,15}$/.test(text);
    values[name] = integer ? Number(text) : text;
  }
  if (Object.keys(repeated).length > 0) throw invalid(repeated, 'The query is invalid.');
  for (const [name, property] of Object.entries(schema.properties)) {
    if (values[name] === undefined && property.default !== undefined) values[name] = property.default;
  }
  return check<T>(schema, values, 'query');
}

/** A record that a field named like a part of every object (`constructor`, `__proto__`) can be written to. */
function withoutPrototype<T>(): Record<string, T> {
  return Object.create(null);
}

/** The field that a JSON pointer names, its parts joined by dots. */
function toField(pointer: string): string {
  const parts = pointer.slice(1).split('/');
  const names = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, longestShown));
  return names.join('.') || 'body';
}

function faults(known: TypeCheck<TSchema>, value: Record<string, unknown>): ErrorDetails {
  const details = withoutPrototype<string>();
  for (const { path, schema, type, value: found } of known.Errors(value)) {
    if (Object.keys(details).length === mostFaults) break;
    const field = toField(path);
    if (field in details) continue;
    details[field] =
      type === ValueErrorType.ObjectAdditionalProperties
        ? `unknown; expected ${knownFields(schema)}`
        : `expected ${expectation(schema)}, got ${schema.writeOnly ? 'a value that is not shown' : shown(found)}`;
  }
  return details;
}

function knownFields({ properties, patternProperties }: TSchema): string {
  if (patternProperties) return 'a name of one line and at most 100 characters';
  return `one of ${Object.keys(properties ?? {}).join(', ') || 'nothing'}`;
}

function expectation(schema: TSchema): string {
  if (schema[Kind] === 'Union') return `one of ${(schema.anyOf as TSchema[]).map((member) => member.const).join(', ')}`;
  if (schema[Kind] === 'Literal') return JSON.stringify(schema.const);
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer') return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'array')
    return `an array of at most ${schema.maxItems}${schema.uniqueItems ? ' different' : ''} items`;
  if (schema.type === 'object')
    return `an object${schema.maxProperties ? ` of at most ${schema.maxProperties} fields` : ''}`;
  if (schema.format === 'date-time') return 'a time in UTC such as 2026-01-31T00:00:00Z';
  if (schema.format === 'date') return 'a day as YYYY-MM-DD';
  const atLeast = schema.minLength ? ' that is not empty' : '';
  const line = schema.pattern ? ' on one line' : '';
  return `a string${atLeast}${line}${schema.maxLength ? ` of at most ${schema.maxLength} characters` : ''}`;
}

/** What arrived, as a message may show it: cut short, and nothing of what can be nested without end. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, longestShown) : value);
  return text.length > longestShown ? `${text.slice(0, longestShown - 3)}…` : text;
}
