/** Tests that lists of several repositories become one list, newest first, with few readings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newestOf, type ReadNewest } from '../../../src/api/newest.ts';

const byNumber = (a: number, b: number): number => a - b;

/** Returns a list that counts the items that are read of it. */
function listOf(numbers: readonly number[]): { read: ReadNewest<number>; count: () => number } {
  const sorted = numbers.toSorted((a, b) => b - a);
  let read = 0;
  return {
    read: (limit, after) => {
      const start = after === undefined ? 0 : sorted.findIndex((each) => each < after);
      const items = start === -1 ? [] : sorted.slice(start, start + limit);
      read += items.length;
      return items;
    },
    count: () => read,
  };
}

test('the items of all lists come once each, newest first', async () => {
  const lists = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 0, maxLength: 600 });
  await fc.assert(
    fc.asyncProperty(lists, async (owners) => {
      const numbers = Array.from({ length: 10 }, (_, owner) =>
        owners.flatMap((each, number) => (each === owner ? number : [])),
      );
      const merged = [
        ...(await newestOf(
          numbers.map((each) => listOf(each).read),
          byNumber,
        )),
      ];
      assert.deepEqual(merged, owners.map((_, number) => number).reverse());
    }),
  );
});

test('a caller that takes few items reads few of each list', async () => {
  const lists = Array.from({ length: 100 }, (_, owner) =>
    listOf(Array.from({ length: 1_000 }, (_, i) => i * 100 + owner)),
  );
  const newest = await newestOf(
    lists.map(({ read }) => read),
    byNumber,
  );
  const taken: number[] = [];
  for (const number of newest) if (taken.push(number) === 100) break;
  assert.ok(lists.every(({ count }) => count() <= 5));
});

test('other work gets turns of the event loop while many lists are begun', async () => {
  let [others, begun] = [0, 0];
  const lists = Array.from({ length: 1_000 }, () => () => {
    if (begun++ % 200 === 0) setImmediate(() => (others += 1));
    return [];
  });
  await newestOf<number>(lists, byNumber);
  assert.ok(others >= 4, `${others} turns`);
});
