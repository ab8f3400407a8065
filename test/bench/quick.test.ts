/**
 * Tests the comparison of the short performance gate with the recorded figures.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QuickResult, quickText, regressions, tolerance } from '../../bench/quick.ts';

function result(delivery: number, read: number): QuickResult {
  const figure = (multiple: number) => ({
    service: multiple * 80,
    floor: 80,
    multiple,
    byProcess: { gateway: multiple * 80 },
  });
  return {
    at: '2026-01-01T00:00:00.000Z',
    commit: 'abc1234',
    cpu: 'A processor',
    node: 'v20',
    figures: { delivery: figure(delivery), read: figure(read) },
    othersShare: 0,
    faults: [],
  };
}

test('a growth beyond the tolerance fails, and a smaller one passes', () => {
  const recorded = result(2, 1.5);
  assert.deepEqual(regressions(result(2 * (1 + tolerance * 0.9), 1), recorded), []);
  assert.deepEqual(regressions(result(2 * (1 + tolerance * 1.1), 1.5), recorded), ['delivery']);
  assert.deepEqual(regressions(result(2, 3), recorded), ['read']);
});

test('nothing fails while nothing is recorded', () => {
  assert.deepEqual(regressions(result(2, 1.5), undefined), []);
  assert.match(quickText(result(2, 1.5), undefined), /nothing is recorded yet/);
});

test('the text warns when other programs used the processors', () => {
  const recorded = result(2, 1.5);
  assert.match(quickText({ ...recorded, othersShare: 0.5 }, recorded), /other programs used up to 50 %/);
  assert.doesNotMatch(quickText(recorded, recorded), /other programs/);
});

test('the text has both multiples and the change', () => {
  const text = quickText(result(3, 1.5), result(2, 1.5));
  assert.match(
    text,
    /✗ processor time per delivery: 3\.00 × floor \(240 µs, floor 80 µs\); recorded 2\.00 .*change \+50 %/,
  );
  assert.match(text, /✓ processor time per read: 1\.50 × floor/);
});
