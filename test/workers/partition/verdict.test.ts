/** Tests who is right when the digests of nodes differ: the majority, and no one without a majority. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { judge } from '../../../workers/partition/verdict.ts';

/** Digests by position, such as `{ 4: 40 }`. */
type Digests = Record<number, number>;

const list = (digests: Digests) => Object.entries(digests).map(([seq, value]) => ({ seq: Number(seq), value }));
const judged = (own: Digests, others: Record<string, Digests> = {}) =>
  judge(list(own), new Map(Object.entries(others).map(([node, digests]) => [node, list(digests)])));

test('nodes without a common position cannot be compared', () => {
  assert.equal(judged({}).kind, 'unknown');
  assert.equal(judged({ 4: 1 }).kind, 'unknown');
  assert.equal(judged({ 4: 1 }, { b: { 5: 2 }, c: {} }).kind, 'unknown');
});

test('one equal node is enough to be equal', () => {
  assert.deepEqual(judged({ 4: 1, 6: 2 }, { b: { 4: 1 }, c: { 9: 9 } }), { kind: 'equal', seq: 4, differing: [] });
});

test('of three nodes, the odd one is wrong', () => {
  const [right, wrong] = [
    { 4: 1, 6: 3 },
    { 4: 1, 6: 2 },
  ];
  assert.deepEqual(judged(right, { b: wrong, c: right }), { kind: 'majority', seq: 6, differing: ['b'] });
  assert.deepEqual(judged(wrong, { a: right, c: right }), { kind: 'minority', seq: 6, differing: ['a', 'c'] });
});

test('two nodes that differ have no majority, and neither have two pairs nor three different nodes', () => {
  assert.deepEqual(judged({ 4: 1 }, { b: { 4: 2 } }), { kind: 'open', seq: 4, differing: ['b'] });
  assert.equal(judged({ 4: 1 }, { b: { 4: 1 }, c: { 4: 2 }, d: { 4: 2 } }).kind, 'open');
  assert.equal(judged({ 4: 1 }, { b: { 4: 2 }, c: { 4: 3 } }).kind, 'open');
});

test('a node that is away now decides by what it has announced where the states differed already', () => {
  assert.equal(judged({ 4: 1, 6: 2 }, { b: { 4: 9, 6: 8 }, c: { 4: 1 } }).kind, 'majority');
  assert.equal(judged({ 4: 9, 6: 8 }, { a: { 4: 1, 6: 2 }, c: { 4: 1 } }).kind, 'minority');
  // The states were equal when the third node was compared.
  assert.equal(judged({ 4: 1, 6: 2 }, { b: { 4: 1, 6: 8 }, c: { 4: 1 } }).kind, 'open');
});

test('two nodes with different states never both have a majority if they know the same digests', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 2, maxLength: 7 }), (values) => {
      const kinds = values.map((value, self) => {
        const others = values.flatMap((other, i) => (i === self ? [] : [[`n${i}`, { 4: other }] as const]));
        return { value, kind: judged({ 4: value }, Object.fromEntries(others)).kind };
      });
      const winners = new Set(kinds.filter(({ kind }) => kind === 'majority').map(({ value }) => value));
      assert.ok(winners.size <= 1);
      const losers = kinds.filter(({ kind }) => kind === 'minority');
      assert.equal(losers.length > 0, winners.size > 0, 'a minority stops only where a majority goes on');
    }),
  );
});
