/**
 * Tests that remembered answers are removed as soon as their partition changes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Remembered } from '../../../src/store/remembered.ts';

/** A partition whose sequence and generation the test sets. */
function stateOf() {
  const state = { seq: 1, generation: 1 };
  const readers = { current: () => undefined, seq: () => state.seq, generation: () => state.generation };
  return { state, readers };
}

test('an answer is remembered while the partition stays the same', () => {
  const { readers } = stateOf();
  const remembered = new Remembered<string>(readers, 'directory');
  assert.equal(remembered.get('a'), undefined);
  assert.equal(remembered.set('a', 'A'), 'A');
  assert.equal(remembered.get('a'), 'A');
  assert.equal(remembered.get('b'), undefined);
});

test('all answers are removed after a commit, and after a change of the generation', () => {
  const { state, readers } = stateOf();
  const remembered = new Remembered<string>(readers, 'directory');
  for (const change of [() => (state.seq += 1), () => (state.generation += 1)]) {
    remembered.get('a');
    remembered.set('a', 'A');
    change();
    assert.equal(remembered.get('a'), undefined);
  }
});

test('no more answers than the maximum are kept', () => {
  const { readers } = stateOf();
  const remembered = new Remembered<number>(readers, 'directory', 3);
  for (let i = 0; i < 10; i++) {
    remembered.get(String(i));
    remembered.set(String(i), i);
  }
  const kept = Array.from({ length: 10 }, (_, i) => remembered.get(String(i))).filter((answer) => answer !== undefined);
  assert.ok(kept.length <= 3);
  assert.equal(remembered.get('9'), 9);
});
