/** Checks the scales of charts and the sentences about them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  duration,
  labelsSentence,
  median,
  mergesSentence,
  type Point,
  scaleEnd,
  waitSentence,
} from '../../dashboard/text/statistics.ts';

function points(...values: (number | null)[]): Point[] {
  return values.map((value, i) => ({ name: `week ${i}`, value }));
}

test('a scale ends at or above the largest value, and its half is a round number', () => {
  const ends = [0, 1, 2, 3, 7, 10, 11, 41, 99, 100, 101].map(scaleEnd);
  assert.deepEqual(ends, [2, 2, 2, 4, 8, 10, 20, 60, 100, 100, 200]);
  for (let max = 0; max < 5_000; max += 7) {
    assert.ok(scaleEnd(max) >= max, String(max));
    assert.equal((scaleEnd(max) / 2) % 1, 0);
  }
});

test('the median of an even number of values is between the two in the middle', () => {
  assert.deepEqual([median([]), median([3]), median([9, 1, 5]), median([4, 1, 2, 100])], [null, 3, 5, 3]);
});

test('times are written in a unit that fits', () => {
  assert.deepEqual([0, 0.5, 1, 30.4, 47, 72].map(duration), [
    '1 minute',
    '30 minutes',
    '1 hour',
    '30 hours',
    '47 hours',
    '3 days',
  ]);
});

test('sentences compare the last whole week with a usual week', () => {
  assert.equal(mergesSentence(points(8, 9, 10, 12, 1)), '12 merges last week, 9 in a usual week.');
  assert.equal(mergesSentence(points(1, 7)), '1 merge last week.');
  assert.equal(mergesSentence(points(7)), '0 merges last week.');
  assert.equal(
    labelsSentence(points(0.5, 0.25, null)),
    "25% of last week's merges have no label, 50% in a usual week.",
  );
  assert.equal(
    labelsSentence(points(0.5, null, 1)),
    'Nothing was merged last week. In a usual week, 50% have no label.',
  );
  assert.equal(
    waitSentence(points(72, null, 30, null)),
    'Half of the changes published last week had waited 30 hours or less, usually 3 days.',
  );
  assert.equal(waitSentence(points(72, null, 3)), 'Nothing was published last week. Usually a change waits 3 days.');
  assert.equal(waitSentence(points(null, null)), 'Nothing was published before this week.');
});
