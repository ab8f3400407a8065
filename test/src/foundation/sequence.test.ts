/** Tests that steps run one after another, and that the failure of a step reaches only its own caller. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Sequence } from '../../../src/foundation/sequence.ts';

test('a step begins when the step before it has ended', async () => {
  const sequence = new Sequence();
  const events: string[] = [];
  const step = (name: string, ms: number) => async (): Promise<string> => {
    events.push(`${name} begins`);
    await pause(ms);
    events.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all([sequence.run(step('a', 10)), sequence.run(step('b', 0)), sequence.run(() => 'c')]);
  assert.deepEqual(results, ['a', 'b', 'c']);
  assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a step that fails rejects its own result and does not stop the next step', async () => {
  const sequence = new Sequence();
  const failing = sequence.run(() => Promise.reject(new Error('failed')));
  const next = sequence.run(() => 'next');
  await assert.rejects(failing, /failed/);
  assert.equal(await next, 'next');
});

test('ended waits for all steps, also for a failing one', async () => {
  const sequence = new Sequence();
  let isDone = false;
  sequence.run(() => Promise.reject(new Error('failed'))).catch(() => {});
  void sequence.run(async () => {
    await pause(5);
    isDone = true;
  });
  await sequence.ended();
  assert.equal(isDone, true);
});
