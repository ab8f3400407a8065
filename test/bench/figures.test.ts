/**
 * Tests the figures of a benchmark: medians, percentiles, the ratio of the service to the reference server (the floor),
 * and the list of wrong replies.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerFaults, median, percentile, type Run, ratioOf, toSide } from '../../bench/figures.ts';

function run(requests: number, seconds: number, more: Partial<Run> = {}): Run {
  return {
    seconds,
    statuses: { 202: requests },
    errors: 0,
    mismatches: 0,
    latencies: Float64Array.from({ length: requests }, (_, i) => requests - i),
    acknowledged: new Uint32Array(),
    cpu: { gateway: requests / 10_000 },
    othersShare: 0,
    ...more,
  };
}

test('the median is the middle value, or the mean of the middle two', () => {
  assert.equal(median([5, 1, 3]), 3);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(median([]), 0);
});

test('percentiles use the nearest rank', () => {
  const sorted = Float64Array.from({ length: 1000 }, (_, i) => i + 1);
  assert.deepEqual(
    [50, 97.5, 99, 99.9, 100].map((percent) => percentile(sorted, percent)),
    [500, 975, 990, 999, 1000],
  );
  assert.equal(percentile([], 50), 0);
});

test('merges the replies of all rounds of a side', () => {
  const side = toSide([run(100, 1), run(300, 1), run(200, 1)]);
  assert.deepEqual(side.requestsPerSecond, { median: 200, min: 100, max: 300, rounds: [100, 300, 200] });
  assert.equal(side.answers, 600);
  assert.equal(side.latency.max, 300);
  assert.equal(side.latency.p50, 100);
  assert.ok(Math.abs((side.cpuPerRequest.gateway ?? 0) - 100) < 1e-9);
});

test('divides the medians, so that one slow round changes nothing', () => {
  const service = toSide([run(75, 1), run(10, 1), run(80, 1)]);
  const floor = toSide([run(100, 1), run(100, 1), run(40, 1)]);
  assert.equal(ratioOf(service, floor), 0.75);
});

test('lists every kind of wrong reply with its count', () => {
  const wrong = run(10, 1, { statuses: { 202: 7, 500: 2, 429: 1 }, errors: 4, mismatches: 3 });
  assert.deepEqual(answerFaults('service', [run(5, 1), wrong], 202), [
    'service: 1 replies with status 429',
    'service: 2 replies with status 500',
    'service: 4 broken connections or timeouts',
    'service: 3 replies with an unexpected body',
  ]);
  assert.deepEqual(answerFaults('floor', [run(0, 1)], 202), ['floor: no replies']);
});
