/** Tests the check of the loads on a cluster: it must find a single delivery that is lost, and a single item that is doubled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLoad, checkLoad, type Findings } from '../../helpers/load-check.ts';

const acked = Array.from({ length: 1000 }, (_, i) => `acme/rocket#${i}`);
const items = Array.from({ length: 100 }, (_, i) => `0-${i}`);
const complete: Findings = {
  acked,
  stored: new Map(['a', 'b', 'c'].map((node) => [node, new Set([...acked, 'acme/rocket#9999'])])),
  edits: new Map([['draft 0', { sent: 102, acked: 100, made: 101 }]]),
  completed: 100,
  items,
};

test('a complete load passes the check', () => {
  assertLoad(checkLoad(complete));
});

test('the check fails if one node does not have one acknowledged delivery', () => {
  const stored = new Map(complete.stored).set('b', new Set(acked.filter((_, i) => i !== 500)));
  const faults = checkLoad({ ...complete, stored });
  assert.deepEqual(faults.lost, ['acme/rocket#500 on b']);
  assert.throws(() => assertLoad(faults), { name: 'AssertionError' });
});

test('the check fails if an item is doubled, even if another one is missing', () => {
  const faults = checkLoad({ ...complete, items: [...items.slice(1), '0-7'] });
  assert.deepEqual([faults.doubled, faults.undelivered], [['0-7'], 1]);
  assert.throws(() => assertLoad(faults), { name: 'AssertionError' });
});

test('the check fails if an edit made no revision, or two', () => {
  const editsOf = (made: number) => new Map([['draft 0', { sent: 102, acked: 100, made }]]);
  assert.deepEqual(checkLoad({ ...complete, edits: editsOf(99) }).lost, ['1 edits of draft 0']);
  assert.deepEqual(checkLoad({ ...complete, edits: editsOf(103) }).foldedTwice, ['1 edits of draft 0']);
});
