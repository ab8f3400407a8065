/** Tests the check that no acknowledged record is lost: it must find a single record that is missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSet, checkSet, type StoredMessage } from '../../helpers/set-check.ts';

const messages: StoredMessage[] = Array.from({ length: 1000 }, (_, i) => ({ seq: i + 1, ids: [`a${i}`, `b${i}`] }));
const acked = new Map(messages.flatMap(({ seq, ids }) => ids.map((id, index) => [id, { seq, index }] as const)));

test('a complete stream passes the check', () => {
  assertSet(acked, messages);
  assertSet(acked, [...messages, { seq: 1001, ids: ['stored, but never acknowledged'] }]);
});

test('the check fails if one acknowledged record is dropped', () => {
  const dropped = messages.map(({ seq, ids }) => ({ seq, ids: seq === 500 ? ids.slice(0, 1) : ids }));
  assert.throws(() => assertSet(acked, dropped), { name: 'AssertionError' });
  assert.deepEqual(checkSet(acked, dropped), { lost: ['b499'], twice: [], misplaced: [] });
});

test('the check fails if one record is stored twice', () => {
  const repeated = [...messages, { seq: 1001, ids: ['a7'] }];
  assert.deepEqual(checkSet(acked, repeated), { lost: [], twice: ['a7'], misplaced: [] });
});

test('the check fails if one record is not where its acknowledgement says', () => {
  const swapped = messages.map(({ seq, ids }) => ({ seq, ids: seq === 3 ? [...ids].reverse() : ids }));
  assert.deepEqual(checkSet(acked, swapped), { lost: [], twice: [], misplaced: ['a2', 'b2'] });
});
