/** Tests what a node does when its clock is off. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { registry } from '../../../src/foundation/metrics.ts';
import { ClockWatch } from '../../../src/supervisor/clock-watch.ts';

function watch(t: TestContext, offsets: (number | Error)[]) {
  const lines: string[] = [];
  const logger = { warn: (_: object, text: string) => lines.push(`warn ${text}`), info: (_: object, text: string) => lines.push(text) }; // biome-ignore format: one line
  const compare = async (): Promise<number> => {
    const next = offsets.shift();
    if (typeof next === 'number') return next;
    throw next;
  };
  const clock = new ClockWatch(async () => 0, logger as never, compare);
  t.after(() => clock.stop());
  return { clock, lines };
}

test('A clock that is more than 2 seconds off is reported until it is right', async (t) => {
  const { clock, lines } = watch(t, [0.4, -2.5, 1.9, 0]);
  await clock.start();
  assert.equal(lines.length, 0);
  await clock.check();
  assert.match(lines.join('\n'), /^warn clock is 2.5 seconds behind the clock of the NATS server/);
  assert.match(await registry.getSingleMetricAsString('tidings_clock_offset_seconds'), / -2\.5$/m);
  await clock.check();
  await clock.check();
  assert.deepEqual(lines.slice(1), ['clock is right again']);
  assert.equal(clock.fault, undefined);
});

test('A node whose clock is more than 30 seconds off is not ready, also while the server does not answer', async (t) => {
  const { clock, lines } = watch(t, [31, new Error('no answer'), 30]);
  await clock.start();
  assert.equal(clock.fault, 'clock (31.0 seconds ahead of the clock of the NATS server)');
  await clock.check();
  assert.match(lines.at(-1) as string, /^warn clock cannot be compared/);
  assert.ok(clock.fault);
  await clock.check();
  assert.equal(clock.fault, undefined);
});
