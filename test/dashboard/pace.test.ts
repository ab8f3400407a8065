/** Tests how often the screens of the dashboard read their data again while events arrive. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pace } from '../../dashboard/state/pace.ts';

/** Runs a pace on a clock of the test. Returns when it reported, in milliseconds, and what. */
function paceOf(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const reports: [at: number, keys: string][] = [];
  const pace = new Pace(
    (keys) => reports.push([now, [...keys].join(' ')]),
    () => now,
  );
  /** Lets the time pass, with an event every `stepMs` milliseconds; 0 = no events. */
  const pass = (ms: number, stepMs = 0): void => {
    for (const end = now + ms; now < end; ) {
      if (stepMs > 0 && now % stepMs === 0) pace.note(['event']);
      now += 100;
      t.mock.timers.tick(100);
    }
  };
  return { pace, reports, pass, times: () => reports.map(([at]) => at) };
}

test('events of one change are reported together, soon after the first', (t) => {
  const { pace, reports, pass } = paceOf(t);
  pace.note(['a', 'b']);
  pass(100);
  pace.note(['b', 'c']);
  pass(5_000);
  assert.deepEqual(reports, [[200, 'a b c']]);
});

test('the pauses of a flood double up to ten seconds, and a quiet time ends this', (t) => {
  const { reports, pass, times } = paceOf(t);
  pass(40_000, 100);
  assert.deepEqual(times(), [200, 2_200, 6_200, 14_200, 24_200, 34_200]);
  pass(20_000);
  reports.length = 0;
  pass(200, 200);
  pass(1_000);
  pass(100, 100);
  pass(3_000);
  assert.deepEqual(times(), [60_200, 62_200]);
});

test('the second change within a pause waits for its end only', (t) => {
  const { pace, pass, times } = paceOf(t);
  pace.note(['a']);
  pass(1_000);
  pace.note(['a']);
  pass(9_000);
  assert.deepEqual(times(), [200, 2_200]);
});

test('a pace that was stopped reports nothing', (t) => {
  const { pace, reports, pass } = paceOf(t);
  pace.note(['a']);
  pace.stop();
  pass(5_000);
  pace.note(['b']);
  pass(5_000);
  assert.deepEqual(
    reports.map(([, keys]) => keys),
    ['b'],
  );
});
