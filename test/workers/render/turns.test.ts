/**
 * Turns of organisations for render threads: who begins next, whoever asked how often.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { ServiceError } from '../../../src/foundation/errors.ts';
import { Turns } from '../../../workers/render/turns.ts';

/** Asks for turns and notes which have begun. */
function bench(threads: number, mostWaiting = 64) {
  const turns = new Turns(threads, mostWaiting);
  const begun: string[] = [];
  const refused: string[] = [];
  const ask = (name: string, kind: 'questions' | 'effects' = 'questions', patienceMs?: number): void => {
    turns.take(name.split(' ')[0] as string, kind, patienceMs).then(
      () => begun.push(name),
      (error: ServiceError) => refused.push(`${name} ${error.kind} ${error.retryAfter}`),
    );
  };
  const give = async (organisation: string): Promise<void> => {
    turns.give(organisation);
    await turnOfLoop();
  };
  return { turns, begun, refused, ask, give };
}

test('an organisation holds one thread, and leaves the other to those that come later', async () => {
  const { begun, ask, give } = bench(2);
  for (let count = 1; count <= 5; count += 1) ask(`acme ${count}`);
  ask('umbrella 1');
  await turnOfLoop();
  assert.deepEqual(begun, ['acme 1', 'umbrella 1']);
  await give('acme');
  assert.deepEqual(begun, ['acme 1', 'umbrella 1', 'acme 2']);
});

test('with one thread, organisations take turns however many tasks one of them has', async () => {
  const { begun, ask, give } = bench(1);
  for (let count = 1; count <= 4; count += 1) ask(`acme ${count}`);
  ask('umbrella 1');
  ask('umbrella 2');
  ask('initech 1');
  await turnOfLoop();
  for (const holder of ['acme', 'acme', 'umbrella', 'initech', 'acme', 'umbrella']) await give(holder);
  assert.deepEqual(begun, ['acme 1', 'acme 2', 'umbrella 1', 'initech 1', 'acme 3', 'umbrella 2', 'acme 4']);
});

test('an organisation that asks again and again does not come before one that waits', async () => {
  const { begun, ask, give } = bench(1);
  ask('acme 0');
  ask('acme 1');
  ask('umbrella 1');
  for (let count = 2; count <= 4; count += 1) {
    await give('acme');
    ask(`acme ${count}`);
    if (begun.includes('umbrella 1')) break;
  }
  assert.deepEqual(begun, ['acme 0', 'acme 1', 'umbrella 1']);
});

test('questions of an organisation come before its effects, and not before those of others', async () => {
  const { begun, ask, give } = bench(1);
  ask('acme 0');
  ask('acme effect', 'effects');
  ask('umbrella effect', 'effects');
  ask('acme question');
  await turnOfLoop();
  for (const holder of ['acme', 'acme', 'umbrella']) await give(holder);
  assert.deepEqual(begun, ['acme 0', 'acme question', 'umbrella effect', 'acme effect']);
});

test('the organisation that has too many waiting is refused, and no other', async () => {
  const { turns, begun, refused, ask, give } = bench(1, 2);
  for (let count = 1; count <= 5; count += 1) ask(`acme ${count}`);
  ask('umbrella 1');
  await turnOfLoop();
  assert.deepEqual(refused, ['acme 4 unavailable 1', 'acme 5 unavailable 1']);
  assert.equal(turns.waiting, 3);
  for (const holder of ['acme', 'acme', 'umbrella', 'acme']) await give(holder);
  assert.deepEqual(begun, ['acme 1', 'acme 2', 'umbrella 1', 'acme 3']);
  assert.equal(turns.waiting, 0);
});

test('a question that nobody waits for any more is not begun', async () => {
  const { begun, refused, ask, give } = bench(1);
  ask('acme 0');
  ask('umbrella gone', 'questions', 0);
  ask('umbrella here', 'questions', 60_000);
  ask('initech gone', 'questions', 0);
  await turnOfLoop();
  for (const holder of ['acme', 'umbrella']) await give(holder);
  ask('initech here');
  await turnOfLoop();
  assert.deepEqual(begun, ['acme 0', 'umbrella here', 'initech here']);
  assert.deepEqual(refused, ['umbrella gone unavailable 1', 'initech gone unavailable 1']);
});
