/**
 * Tests the percentiles that are estimated from the buckets of a histogram.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Buckets, bucketPercentile, bucketsBetween } from '../../bench/histogram.ts';

const buckets: Buckets = [
  [1, 50],
  [2, 90],
  [5, 99],
  [Number.POSITIVE_INFINITY, 100],
];

test('a percentile lies between the bounds of its bucket, in proportion', () => {
  assert.equal(bucketPercentile(buckets, 50), 1);
  assert.equal(bucketPercentile(buckets, 70), 1.5);
  assert.equal(bucketPercentile(buckets, 99), 5);
});

test('a percentile in the last bucket is the largest bound', () => {
  assert.equal(bucketPercentile(buckets, 99.9), 5);
});

test('a histogram without values has no percentiles', () => {
  assert.equal(bucketPercentile(bucketsBetween(buckets, buckets), 50), undefined);
});

test('only the counts between two readings are used', () => {
  const after = buckets.map(([bound, count]): [number, number] => [bound, count + (bound >= 2 ? 10 : 0)]);
  assert.equal(bucketPercentile(bucketsBetween(buckets, after), 50), 1.5);
});
