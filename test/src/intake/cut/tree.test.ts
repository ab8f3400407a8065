/**
 * Tests the trees of names that are built from schemas.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '@sinclair/typebox';
import { treeOf } from '../../../../src/intake/cut/tree.ts';

const branch = (fields: object) => ({ fields: new Map(Object.entries(fields)) });

test('an object gives its fields, and an array its items', () => {
  const schema = Type.Object({ a: Type.String(), list: Type.Array(Type.Object({ b: Type.Integer() })) });
  assert.deepEqual(treeOf(schema), branch({ a: 'scalar', list: { items: branch({ b: 'scalar' }) } }));
});

test('the members of a union are joined', () => {
  const a = Type.Object({ x: Type.String(), user: Type.Object({ login: Type.String() }) });
  const b = Type.Object({ y: Type.Null(), user: Type.Object({ id: Type.Integer() }) });
  const schema = Type.Union([a, Type.Null(), b, Type.Array(Type.Boolean())]);
  const user = branch({ login: 'scalar', id: 'scalar' });
  assert.deepEqual(treeOf(schema), { ...branch({ x: 'scalar', user, y: 'scalar' }), items: 'scalar' });
});

test('a schema without a known shape keeps its value whole', () => {
  const object = Type.Object({ a: Type.String() });
  for (const schema of [
    Type.Unknown(),
    Type.Any(),
    Type.Object({}),
    Type.Record(Type.String(), Type.String()),
    Type.Intersect([object, Type.Object({ b: Type.String() })]),
    Type.Tuple([object]),
    Type.Union([object, Type.Unknown()]),
    Type.Union([Type.Record(Type.String(), Type.String()), object]),
  ])
    assert.equal(treeOf(schema), 'whole');
});
