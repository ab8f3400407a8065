/**
 * Builds trees of names from schemas. A tree lists the fields that are kept of a payload.
 */
import type { TSchema } from '@sinclair/typebox';

/** A value that the cutter does not look into. */
export type Leaf = 'scalar' | 'whole';

/**
 * A value that the cutter looks into. Objects keep `fields` only, and arrays keep all items, each cut by `items`.
 * Without `fields`, objects are kept whole. Without `items`, arrays are.
 */
export interface Branch {
  fields?: ReadonlyMap<string, Tree>;
  items?: Tree;
}

export type Tree = Leaf | Branch;

const scalars = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/**
 * Returns the tree of a schema. The members of a union are joined: each field that one of them names is kept. A schema
 * that is neither an object with fields, an array, a union nor a scalar keeps its value whole.
 */
export function treeOf(schema: TSchema): Tree {
  const { type, anyOf, properties, patternProperties, items } = schema;
  if (Array.isArray(anyOf)) return anyOf.map(treeOf).reduce(join);
  if (scalars.has(type)) return 'scalar';
  if (type === 'array' && items && !Array.isArray(items)) return { items: treeOf(items) };
  if (type !== 'object' || !properties || patternProperties) return 'whole';
  const entries = Object.entries(properties as Record<string, TSchema>);
  if (entries.length === 0) return 'whole';
  return { fields: new Map(entries.map(([name, field]) => [name, treeOf(field)])) };
}

function join(a: Tree, b: Tree): Tree {
  if (a === 'whole' || b === 'whole') return 'whole';
  if (a === 'scalar') return b;
  if (b === 'scalar') return a;
  const branch: Branch = {};
  const fields = a.fields && b.fields ? joinFields(a.fields, b.fields) : (a.fields ?? b.fields);
  const items = a.items && b.items ? join(a.items, b.items) : (a.items ?? b.items);
  if (fields) branch.fields = fields;
  if (items) branch.items = items;
  return branch;
}

function joinFields(a: ReadonlyMap<string, Tree>, b: ReadonlyMap<string, Tree>): ReadonlyMap<string, Tree> {
  const joined = new Map(a);
  for (const [name, tree] of b) {
    const known = joined.get(name);
    joined.set(name, known === undefined ? tree : join(known, tree));
  }
  return joined;
}
