/**
 * Tests the memory budget of bodies: the reserved memory never exceeds the limit, and all of it is released.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BodyBudget } from '../../../src/http/budget.ts';

test('bytes that do not fit are not reserved', () => {
  const budget = new BodyBudget(100);
  assert.ok(budget.take(60));
  assert.equal(budget.take(41), false);
  assert.ok(budget.take(40));
  assert.equal(budget.take(1), false);
  budget.free(40);
  assert.ok(budget.take(40));
});

test('the limit holds for any sequence of requests', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 50 })), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (moves) => {
      const budget = new BodyBudget(100);
      const held: number[] = [];
      for (const [takes, bytes] of moves) {
        if (takes && budget.take(bytes)) held.push(bytes);
        else if (!takes) budget.free(held.pop() ?? 0);
        assert.ok(held.reduce((sum, each) => sum + each, 0) <= 100);
      }
      for (const bytes of held) budget.free(bytes);
      assert.ok(budget.take(100), 'everything was released');
      budget.free(100);
    }),
  );
});
