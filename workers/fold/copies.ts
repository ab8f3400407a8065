/**
 * Copies records with the fields of their schema, in one fixed order. Equal records then have equal bytes in the store,
 * even if their snapshots left out different fields.
 *
 * The fold changes such a copy field by field instead of spreading records into new ones. V8 takes 30 ns for a literal
 * of twelve fields, 500 ns if one field of a spread object is replaced, and 2 µs if fields are added to it.
 */
import type { TObject } from '@sinclair/typebox';

type Copy<T> = (record: Partial<T>) => T;

/** Returns the function that copies records of a schema. Fields that are undefined are left out. */
export function copierOf<T extends object>({ properties }: TObject): Copy<T> {
  const fields = Object.keys(properties);
  const presence = fields.map((field, index) => `(record.${field} === undefined ? 0 : ${2 ** index})`);
  const presentIn = new Function('record', `return ${presence.join(' + ')};`) as (record: Partial<T>) => number;
  // One literal for each set of fields that records have.
  const literals = new Map<number, Copy<T>>();
  return (record) => {
    const present = presentIn(record);
    const known = literals.get(present);
    if (known) return known(record);
    const literal = literalOf<T>(fields.filter((field) => record[field as keyof T] !== undefined));
    literals.set(present, literal);
    return literal(record);
  };
}

function literalOf<T>(fields: readonly string[]): Copy<T> {
  const values = fields.map((field) => `${field}: record.${field}`);
  return new Function('record', `return { ${values.join(', ')} };`) as Copy<T>;
}
