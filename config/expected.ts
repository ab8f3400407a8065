/**
 * Describes what a setting expects and where inside its value a fault is. The descriptions never show a value, because
 * a value can be a secret.
 */
import type { TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { didYouMean } from './nearest.ts';

/**
 * A fault inside the value of a setting. `place` is the path to it, such as `[1].kind`, or empty for the whole value.
 */
export interface SettingFault {
  place: string;
  expected: string;
  /**
   * The given value. The field is undefined if no value was given. The field is also undefined if the fault is an
   * unknown field or a list with too many items.
   */
  given?: { value: unknown };
}

/** Maximum number of faults that are reported per setting. */
const maxFaults = 5;

/** Returns the faults of a value: one per place, at most `maxFaults`. */
export function faultsOf(schema: TSchema, value: unknown): SettingFault[] {
  const places = new Map<string, SettingFault>();
  for (const error of Value.Errors(schema, value)) {
    const place = toPlace(error.path);
    if (!places.has(place)) places.set(place, describe(error, place, schema));
    if (places.size === maxFaults) break;
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

/**
 * Describes the values that a schema accepts. The description is the schema's own `words`. Without `words`, it is made
 * from the schema's type and bounds.
 */
export function wordsOf(schema: TSchema): string {
  if (typeof schema.words === 'string') return schema.words;
  if (Array.isArray(schema.anyOf)) return `one of ${schema.anyOf.map((each: TSchema) => each.const).join(', ')}`;
  if (schema.type === 'integer') return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'array') return 'a list';
  if (schema.type === 'object') return `an object with ${Object.keys(schema.properties).join(', ')}`;
  return 'a text that is not empty';
}

/** Converts a JSON pointer to the notation of fault messages: `/1/kind` becomes `[1].kind`. */
function toPlace(path: string): string {
  const parts = path.split('/').slice(1);
  return parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.slice(0, 80)}`)).join('');
}

/** Returns the allowed field names of an object. `path` is the path of an unknown field in this object. */
function fieldsAt(schema: TSchema, path: string): string[] {
  let at: TSchema | undefined = schema;
  for (const part of path.split('/').slice(1, -1)) at = at?.type === 'array' ? at.items : at?.properties?.[part];
  return Object.keys(at?.properties ?? {});
}
