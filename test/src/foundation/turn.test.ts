/**
 * Tests the numbers of the event loop's turns.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentTurn } from '../../../src/foundation/turn.ts';

test('the number stays the same within a turn and its microtasks', async () => {
  const turn = currentTurn();
  await Promise.resolve();
  assert.equal(currentTurn(), turn);
});

test('the number grows with each turn that asks for it', async () => {
  const turns = [currentTurn()];
  for (let i = 0; i < 3; i++) {
    await nextTurn();
    turns.push(currentTurn());
  }
  assert.equal(new Set(turns).size, 4);
  assert.deepEqual(
    turns,
    [...turns].sort((a, b) => a - b),
  );
});
