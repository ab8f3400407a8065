/**
 * Checks queries and bodies against their schemas. One reply reports all bad fields, each with the expected and the
 * received value (spec part 7).
 */
import { FormatRegistry, Kind, type TObject, type TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { ValueErrorType } from '@sinclair/typebox/errors';
import { type ErrorDetails, invalid } from '../foundation/errors.ts';
import { pageForms } from '../protocol/host-channel-settings.ts';
import { isTimeZone } from './local-days.ts';

FormatRegistry.Set('date', isDate);
FormatRegistry.Set('date-time', isTimestamp);
FormatRegistry.Set('time-zone', isTimeZone);

/**
 * Maximum number of faults that a reply lists. A body can have a million unknown fields, and a few faults are enough to
 * fix the client.
 */
const maxFaults = 20;
/** Maximum length, in characters, of a value or name that a message repeats from the request. */
const maxShownLength = 80;

/** Words for texts of a certain form, by the pattern of the form. */
const formWords = new Map<string, string>(Object.values(pageForms).map(({ pattern, words }) => [pattern, words]));

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** Whether a text is an existing calendar day as YYYY-MM-DD. `2026-02-30` is not. */
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
 * Returns the value when it fits its schema.
 * @param what the value's name in messages: `body`, `query` or `settings`
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
 * Fills in the defaults of a schema where fields are missing. A field of the wrong type is not changed, so that `check`
 * refuses it. TypeBox's own function is not used. If a field's default is an array and the client sends an object, that
 * function copies the object's fields into the array. For example, `{"length": 1e9}` makes an array with a billion
 * items, and the function then visits each item.
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
 * Parses and checks a query string. Parameters whose schema is an integer become numbers.
 * @throws ServiceError `invalid` with one detail for each bad, repeated or unknown parameter
 */
export function checkQuery<T>(schema: TObject, query: string): T {
  const values = withoutPrototype<unknown>();
  const repeated = withoutPrototype<string>();
  for (const [name, text] of new URLSearchParams(query)) {
    if (name in values) repeated[name] = 'expected this parameter once, got it several times';
    const integer = schema.properties[name]?.type === 'integer' && /^-?\d{1,15}$/.test(text);
    values[name] = integer ? Number(text) : text;
  }
  if (Object.keys(repeated).length > 0) throw invalid(repeated, 'The query is invalid.');
  for (const [name, property] of Object.entries(schema.properties)) {
    if (values[name] === undefined && property.default !== undefined) values[name] = property.default;
  }
  return check<T>(schema, values, 'query');
}

/** Makes an object without a prototype, so that fields such as `constructor` and `__proto__` can be written to it. */
function withoutPrototype<T>(): Record<string, T> {
  return Object.create(null);
}

/**
 * Returns the field that a JSON pointer names, with its parts joined by dots: `/flags/highlights` becomes
 * `flags.highlights`.
 */
function toField(pointer: string): string {
  const parts = pointer.slice(1).split('/');
  const names = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, maxShownLength));
  return names.join('.') || 'body';
}

function faults(known: TypeCheck<TSchema>, value: Record<string, unknown>): ErrorDetails {
  const details = withoutPrototype<string>();
  for (const { path, schema, type, value: found } of known.Errors(value)) {
    if (Object.keys(details).length === maxFaults) break;
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
  if (patternProperties) return 'a name on one line, of at most 100 characters';
  const names = Object.keys(properties ?? {}).join(', ');
  return names === '' ? 'nothing' : `one of ${names}`;
}

function expectation(schema: TSchema): string {
  if (schema[Kind] === 'Union') return `one of ${(schema.anyOf as TSchema[]).map((member) => member.const).join(', ')}`;
  if (schema[Kind] === 'Literal') return JSON.stringify(schema.const);
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer') return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'array')
    return `an array of ${schema.minItems ? `${schema.minItems} to` : 'at most'} ${schema.maxItems}${schema.uniqueItems ? ' different' : ''} items`;
  if (schema.type === 'object')
    return `an object${schema.maxProperties ? ` of at most ${schema.maxProperties} fields` : ''}`;
  if (schema.format === 'date-time') return 'a time in UTC such as 2026-01-31T00:00:00Z';
  if (schema.format === 'date') return 'a day as YYYY-MM-DD';
  if (schema.format === 'time-zone') return 'an IANA time zone such as Europe/Berlin';
  const form = formWords.get(schema.pattern);
  if (form !== undefined) return form;
  const atLeast = schema.minLength ? ' that is not empty' : '';
  const line = schema.pattern ? ' on one line' : '';
  return `a string${atLeast}${line}${schema.maxLength ? ` of at most ${schema.maxLength} characters` : ''}`;
}

/** Formats a received value for a message. Long texts are cut. For objects and arrays, only their type is shown. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, maxShownLength) : value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength - 3)}…` : text;
}
