/**
 * Says in words what a setting expects, and where inside of it a value is wrong. No value is shown here: it can be a secret.
 */
import type { TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { didYouMean } from './nearest.ts';

/** A fault inside of a setting: its place, like `[1].kind`, empty for the whole value; and what is wrong. */
export interface SettingFault {
  place: string;
  expected: string;
  /** What was given; undefined where it was the name of a field, or nothing. */
  given?: { value: unknown };
}

/** Faults of one setting that are reported at once. */
const mostFaults = 5;

/** The faults of a value, one per place. */
export function faultsOf(schema: TSchema, value: unknown): SettingFault[] {
  const places = new Map<string, SettingFault>();
  for (const error of Value.Errors(schema, value)) {
    const place = toPlace(error.path);
    if (!places.has(place)) places.set(place, describe(error, place, schema));
    if (places.size === mostFaults) break;
  }
  return [...places.values()];
}

function describe({ type, schema, path, value }: ValueError, place: string, whole: TSchema): SettingFault {
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    const fields = fieldsAt(whole, path);
    const wrong = path.slice(path.lastIndexOf('/') + 1);
    return { place, expected: `no such field.${didYouMean(wrong, fields) || ` Expected one of ${fields.join(', ')}`}` };
  }
  if (type === ValueErrorType.ObjectRequiredProperty)
    return { place, expected: `expected ${wordsOf(schema)}, got nothing` };
  if (type === ValueErrorType.ArrayMaxItems)
    return { place, expected: `expected at most ${schema.maxItems} items, got ${(value as unknown[]).length}` };
  return { place, expected: `expected ${wordsOf(schema)}`, given: { value } };
}

/** What a schema takes, in words: its own, else those of its type and bounds. */
export function wordsOf(schema: TSchema): string {
  if (typeof schema.words === 'string') return schema.words;
  if (Array.isArray(schema.anyOf)) return `one of ${schema.anyOf.map((each: TSchema) => each.const).join(', ')}`;
  if (schema.type === 'integer') return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'array') return 'a list';
  if (schema.type === 'object') return `an object with ${Object.keys(schema.properties).join(', ')}`;
  return 'a text that is not empty';
}

/** `/1/kind` becomes `[1].kind`. */
function toPlace(path: string): string {
  const parts = path.split('/').slice(1);
  return parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.slice(0, 80)}`)).join('');
}

/** Names of the fields that the object around a place can have. */
function fieldsAt(schema: TSchema, path: string): string[] {
  let at: TSchema | undefined = schema;
  for (const part of path.split('/').slice(1, -1)) at = at?.type === 'array' ? at.items : at?.properties?.[part];
  return Object.keys(at?.properties ?? {});
}
