/**
 * Tests that periodic work with the same interval shares a timer, and ends separately.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onInterval } from '../../../src/foundation/intervals.ts';

test('work with the same interval runs at the same time', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const runs: string[] = [];
  const endFirst = onInterval(1000, () => runs.push('first'));
  t.mock.timers.tick(600);
  const endSecond = onInterval(1000, () => runs.push('second'));
  t.mock.timers.tick(400);
  assert.deepEqual(runs, ['first', 'second']);
  endFirst();
  endSecond();
});

test('ended work does not run again, and other work continues', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const runs: string[] = [];
  const endFirst = onInterval(1000, () => runs.push('first'));
  const endSecond = onInterval(1000, () => runs.push('second'));
  endFirst();
  endFirst();
  t.mock.timers.tick(2000);
  assert.deepEqual(runs, ['second', 'second']);
  endSecond();
  t.mock.timers.tick(2000);
  assert.deepEqual(runs, ['second', 'second']);
});

test('the same function can run at two intervals, and twice at one interval', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let count = 0;
  const run = () => {
    count += 1;
  };
  const ends = [onInterval(1000, run), onInterval(1000, run), onInterval(3000, run)];
  t.mock.timers.tick(3000);
  assert.equal(count, 7);
  for (const end of ends) end();
});

test('work that ends itself does not disturb the others', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const runs: string[] = [];
  const end = onInterval(1000, () => {
    runs.push('once');
    end();
  });
  const endOther = onInterval(1000, () => runs.push('other'));
  t.mock.timers.tick(2000);
  assert.deepEqual(runs, ['once', 'other', 'other']);
  endOther();
});
