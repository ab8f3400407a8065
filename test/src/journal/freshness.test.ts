/** Tests when the state of a node is too old to be served, and how a node keeps it current without a lead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { Freshness } from '../../../src/journal/freshness.ts';
import { SilenceProbe } from '../../../src/journal/silence-probe.ts';

class Stage {
  now = 1_000_000;
  readonly freshness = new Freshness(['directory', 'p00'], 15_000, () => this.now);

  fold(partition: string, seq: number, asOf: number | undefined = this.now): void {
    this.freshness.note({ partition, seq, generation: 0, ...(asOf !== undefined && { asOf }) });
  }
}

test('A state that is not known to be current is not served', () => {
  const { freshness } = new Stage();
  assert.throws(() => freshness.assertFresh('p00'), ServiceError);
  assert.deepEqual(freshness.positions().p00, { position: 0, ageSeconds: null });
});

test('A state is served for 15 seconds', () => {
  const stage = new Stage();
  const { freshness } = stage;
  stage.fold('p00', 7);
  stage.now += 15_000;
  freshness.assertFresh('p00');
  stage.now += 1;
  assert.throws(
    () => freshness.assertFresh('p00'),
    (error) => error instanceof ServiceError && error.status === 500 && error.retryAfter === 2,
  );
  assert.deepEqual(freshness.stale(), [
    'directory (nothing new since position 0)',
    'p00 (nothing new since position 7)',
  ]);
  assert.deepEqual(freshness.positions().p00, { position: 7, ageSeconds: 15 });
  stage.fold('p00', 8);
  assert.ok(freshness.isFresh('p00'));
  assert.ok(!freshness.isFresh('directory'));
});

test('A signal from before a freeze does not make the state current', () => {
  const stage = new Stage();
  const sentAt = stage.now;
  stage.now += 25_000;
  // The signal waited in the socket of this process.
  stage.fold('p00', 7, sentAt);
  assert.ok(!stage.freshness.isFresh('p00'));
  stage.freshness.note({ partition: 'p00', seq: 8, generation: 0 });
  assert.ok(!stage.freshness.isFresh('p00'));
});

test('A store that replaces another one is served when it is known to be current', () => {
  const stage = new Stage();
  const { freshness } = stage;
  stage.fold('p00', 7);
  freshness.note({ partition: 'p00', generation: 0, seq: 8 });
  assert.ok(freshness.isFresh('p00'));
  freshness.note({ partition: 'p00', generation: 1, seq: 9 });
  assert.ok(!freshness.isFresh('p00'));
  freshness.note({ partition: 'p00', generation: 1, seq: 9, asOf: stage.now });
  assert.ok(freshness.isFresh('p00'));
  // The journal was replaced, and its sequences begin again.
  freshness.note({ partition: 'p00', generation: 1, seq: 2 });
  assert.ok(!freshness.isFresh('p00'));
});

test('A state that its owner has withdrawn is not served, and no message is appended for it', () => {
  const stage = new Stage();
  const { freshness } = stage;
  for (const name of ['directory', 'p00']) stage.fold(name, 7);
  freshness.note({ partition: 'p00', generation: 0, seq: 8, asOf: stage.now, withdrawn: true });
  assert.throws(() => freshness.assertFresh('p00'), /p00 on this node differ from those on other nodes/);
  assert.deepEqual(freshness.stale(), ['p00 (differs from other nodes at position 8)']);
  stage.now += 14_000;
  assert.deepEqual(
    freshness.silent().map(([name]) => name),
    ['directory'],
  );
  freshness.note({ partition: 'p00', generation: 0, seq: 8, asOf: stage.now });
  assert.ok(freshness.isFresh('p00'));
});

test('A node appends a message to a silent partition, and no second one before the first is folded', async () => {
  const stage = new Stage();
  const appended: string[] = [];
  const probe = new SilenceProbe(stage.freshness, async (name) => appended.push(name) + 100);
  for (const name of ['directory', 'p00']) stage.fold(name, 50);
  probe.check();
  stage.now += 7000;
  stage.fold('directory', 51);
  stage.now += 600;
  probe.check();
  await turn();
  probe.check();
  assert.deepEqual(appended, ['p00']);
  stage.fold('p00', 101);
  stage.now += 7000;
  stage.fold('directory', 52);
  stage.now += 600;
  probe.check();
  assert.deepEqual(appended, ['p00', 'p00']);
});

test('A node that cannot append tries again, and a node whose fold does not move does so seldom', async () => {
  const stage = new Stage();
  let attempts = 0;
  const failing = new SilenceProbe(stage.freshness, async () => {
    attempts += 1;
    throw new Error('no quorum');
  });
  for (let i = 0; i < 3; i++) {
    failing.check();
    await turn();
  }
  assert.equal(attempts, 6);
  let messages = 0;
  const stuck = new SilenceProbe(stage.freshness, async () => ++messages);
  for (let i = 0; i < 32; i++) {
    stuck.check();
    await turn();
  }
  assert.equal(messages, 4);
});
