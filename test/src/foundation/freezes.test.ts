/** Tests that a frozen process notices its freeze. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Freezes } from '../../../src/foundation/freezes.ts';
import { machineNow } from '../../../src/foundation/machine-clock.ts';

class Stage {
  now = 1_000_000;
  wakes = 0;
  readonly freezes: Freezes;

  constructor(t: TestContext) {
    this.freezes = new Freezes(
      () => {
        this.wakes += 1;
      },
      () => this.now,
    );
    t.after(() => this.freezes.close());
  }
}

test('A freeze is noticed at the next question, before any timer runs', (t) => {
  const stage = new Stage(t);
  const before = stage.now;
  stage.now += 25_000;
  assert.ok(stage.freezes.since(before));
  assert.equal(stage.wakes, 1);
  assert.ok(!stage.freezes.since(stage.now));
  assert.equal(stage.wakes, 1);
});

test('A process whose timers run is not frozen', (t) => {
  const stage = new Stage(t);
  const before = stage.now;
  for (let i = 0; i < 20; i++) {
    stage.now += 1500;
    assert.ok(!stage.freezes.since(before));
  }
  assert.equal(stage.wakes, 0);
});

test('The clock of the machine moves with the monotonic clock', () => {
  const apart = machineNow() - Number(process.hrtime.bigint()) / 1e6;
  assert.ok(Math.abs(apart) < 1000, String(apart));
});
