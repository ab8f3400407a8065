/**
 * Tests the figures of a benchmark: medians, percentiles, latency curves, processor time per request, and the list of
 * wrong replies.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerFaults,
  comparisonFigures,
  cpuOf,
  curveOf,
  median,
  percentile,
  type Run,
  toSubject,
} from '../../bench/figures.ts';

const facts = { name: 'tidings', durability: 'fsync before each reply', hasRate: true };

function run(requests: number, seconds: number, more: Partial<Run> = {}): Run {
  return {
    seconds,
    statuses: { 202: requests },
    errors: 0,
    mismatches: 0,
    latencies: Float64Array.from({ length: requests }, (_, i) => requests - i),
    answers: requests,
    acknowledged: new Uint32Array(),
    cpu: { gateway: requests / 10_000, worker: requests / 20_000, load: requests / 50_000 },
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

test('a curve rises and has as many points between 90 and 99 % as below 90 %', () => {
  const curve = curveOf(Float64Array.from({ length: 10_000 }, (_, i) => i + 1));
  assert.equal(curve.filter(([percent]) => percent < 89.999).length, 15);
  assert.equal(curve.filter(([percent]) => percent > 89.999 && percent < 98.999).length, 15);
  assert.deepEqual(curve[0], [0, 1]);
  assert.equal(curve.at(-1)?.[1], 9_999);
  assert.ok(curve.every(([, ms], i) => i === 0 || ms >= (curve[i - 1]?.[1] ?? 0)));
});

test('a subject has the median rate and the percentiles of all rounds', () => {
  const subject = toSubject(facts, [run(100, 1), run(300, 1), run(200, 1)]);
  assert.deepEqual(subject.perSecond, { median: 200, min: 100, max: 300, rounds: [100, 300, 200] });
  assert.equal(subject.latency?.max, 300);
  assert.equal(subject.latency?.p50, 100);
});

test('a subject has its processor time per request without that of the generator', () => {
  const slow = { cpu: { gateway: 0.04, worker: 0.02, load: 0.002 } };
  const subject = toSubject(facts, [run(100, 1), run(100, 1, slow), run(100, 1)]);
  assert.deepEqual(Object.keys(subject.cpu), ['gateway', 'worker']);
  assert.deepEqual(
    subject.cpuRounds.map((microseconds) => Math.round(microseconds)),
    [150, 600, 150],
  );
  assert.equal(Math.round(cpuOf(subject)), 150);
  assert.equal(Math.round(subject.generatorCpu), 20);
});

test('a load with a fixed rate has no rate', () => {
  assert.equal(toSubject({ ...facts, hasRate: false }, [run(10, 1)]).perSecond, null);
});

test('compares medians, so that one slow round changes nothing', () => {
  const service = toSubject(facts, [run(75, 1), run(10, 1), run(80, 1)]);
  const peer = toSubject({ ...facts, name: 'peer' }, [run(100, 1), run(100, 1), run(40, 1)]);
  const figures = comparisonFigures(service, peer, { request: 'delivery', rate: { line: { atLeast: 0.8 } } });
  assert.deepEqual(
    figures.map(({ name, value, line }) => [name, Number(value.toFixed(3)), line]),
    [
      ['processor time per delivery, of the peer', 1, null],
      ['rate, of the peer', 0.75, { atLeast: 0.8 }],
    ],
  );
});

test('a missing program gives no figures', () => {
  const service = toSubject(facts, [run(10, 1)]);
  assert.deepEqual(comparisonFigures(service, undefined, { request: 'read' }), []);
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
