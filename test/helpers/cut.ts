/**
 * Compares cut payloads with whole ones. The comparison does not use the code that it tests: it parses the whole body
 * and then removes the fields that the schema does not name.
 */
import assert from 'node:assert/strict';
import type { TSchema } from '@sinclair/typebox';
import fc from 'fast-check';
import { type Cut, Cutter, readModule } from '../../src/intake/cut/cutter.ts';
import { treeOf } from '../../src/intake/cut/tree.ts';
import { parseJson } from '../../src/intake/json.ts';
import { damaged, jsonObjects } from './json-texts.ts';

/** Makes a cutter. It fails on a processor without vector instructions, which would make all tests pass. */
export function aCutter(): Cutter {
  const module = readModule();
  assert.ok(module, 'the module is valid on this processor');
  return new Cutter(module);
}

/** Returns a value without the fields that none of the schemas names. Values that a schema does not expect stay whole. */
export function filtered(value: unknown, ...schemas: readonly TSchema[]): unknown {
  const members = schemas.flatMap(membersOf);
  const known = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
  if (typeof value !== 'object' || value === null || members.some(({ type }) => !known.includes(type))) return value;
  if (Array.isArray(value)) {
    const items = members.flatMap(({ type, items }) => (type === 'array' ? [items as TSchema] : []));
    return items.length > 0 ? value.map((item) => filtered(item, ...items)) : value;
  }
  const objects = members.filter(({ type }) => type === 'object');
  if (objects.length === 0) return value;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const named = objects.flatMap(({ properties }) => (Object.hasOwn(properties, name) ? [properties[name]] : []));
    return named.length > 0 ? [[name, filtered(field, ...named)]] : [];
  });
  return Object.fromEntries(fields);
}

function membersOf(schema: TSchema): TSchema[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(membersOf) : [schema];
}

/** Returns all names of fields in a schema. */
export function namesIn(schema: TSchema): string[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].flatMap(namesIn);
  const fields = Object.entries((schema.properties ?? {}) as Record<string, TSchema>);
  return [...new Set([...inner, ...fields.flatMap(([name, field]) => [name, ...namesIn(field)])])];
}

/**
 * Asserts that a body is cut to the same values as the whole body has, and that no invalid body is cut.
 * @param mustCut whether a JSON object must be cut. Otherwise it may also be left to the caller.
 */
export function assertCutAsWhole(cut: Cut, schema: TSchema, body: Buffer, mustCut = false): void {
  const whole = objectIn(body);
  const text = cut(body);
  if (text === undefined) {
    assert.ok(!whole || !mustCut, `a JSON object was not cut: ${body}`);
    return;
  }
  assert.ok(whole, `a body that is not a JSON object was cut: ${JSON.stringify(body.toString('latin1'))}`);
  assert.deepEqual(parseJson(text), filtered(whole, schema), `${body}`);
}

/** Returns the object that a body contains; undefined if the body is not valid JSON, or is another value. */
function objectIn(body: Buffer): object | undefined {
  const text = body.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (parseJson(text) as object)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Compares `count` generated texts of each kind for one schema. */
export function fuzzCut(cutter: Cutter, schema: TSchema, options: { numRuns: number; seed: number }): void {
  const cut = cutter.cutBy(treeOf(schema));
  const names = namesIn(schema);
  const bytes = (text: string) => Buffer.from(text);
  const kinds = {
    valid: jsonObjects(names).map((text) => ({ body: bytes(text), mustCut: true })),
    escaped: jsonObjects(names, true).map((text) => ({ body: bytes(text), mustCut: false })),
    damaged: damaged(jsonObjects(names)).map((body) => ({ body, mustCut: !body.includes('\\') })),
    random: fc.uint8Array({ maxLength: 200 }).map((body) => ({ body: Buffer.from(body), mustCut: false })),
  };
  for (const kind of Object.values(kinds))
    fc.assert(
      fc.property(kind, ({ body, mustCut }) => assertCutAsWhole(cut, schema, body, mustCut)),
      options,
    );
}
