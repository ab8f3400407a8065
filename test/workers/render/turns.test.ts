/**
 * Checks in which order organizations get render threads. An organization that asks very often does not overtake an
 * organization that waits.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { ServiceError } from '../../../src/foundation/errors.ts';
import { type TurnKind, Turns } from '../../../workers/render/turns.ts';

/**
 * Creates the turns of a pool with `threads` threads. `ask` asks for a turn, and `free` ends a turn. `begun` and
 * `refused` list the outcomes.
 */
function bench(threads: number, maxWaiting = 64) {
  const turns = new Turns(threads, maxWaiting);
  const begun: string[] = [];
  const refused: string[] = [];
  const ask = (name: string, kind: TurnKind = 'questions', maxWaitMs?: number): void => {
    turns.take(name.split(' ')[0] as string, kind, maxWaitMs).then(
      () => begun.push(name),
      (error: ServiceError) => refused.push(`${name} ${error.kind} ${error.retryAfter}`),
    );
  };
  const free = async (organization: string): Promise<void> => {
    turns.free(organization);
    await turnOfLoop();
  };
  return { turns, begun, refused, ask, free };
}

test('an organization holds one thread and leaves the other to later ones', async () => {
  const { begun, ask, free } = bench(2);
  for (let count = 1; count <= 5; count += 1) ask(`acme ${count}`);
  ask('umbrella 1');
  await turnOfLoop();
  assert.deepEqual(begun, ['acme 1', 'umbrella 1']);
  await free('acme');
  assert.deepEqual(begun, ['acme 1', 'umbrella 1', 'acme 2']);
});

test('organizations take turns for one thread, however many tasks one of them has', async () => {
  const { begun, ask, free } = bench(1);
  for (let count = 1; count <= 4; count += 1) ask(`acme ${count}`);
  ask('umbrella 1');
  ask('umbrella 2');
  ask('initech 1');
  await turnOfLoop();
  for (const holder of ['acme', 'acme', 'umbrella', 'initech', 'acme', 'umbrella']) await free(holder);
  assert.deepEqual(begun, ['acme 1', 'acme 2', 'umbrella 1', 'initech 1', 'acme 3', 'umbrella 2', 'acme 4']);
});

test('an organization that keeps asking does not overtake one that waits', async () => {
  const { begun, ask, free } = bench(1);
  ask('acme 0');
  ask('acme 1');
  ask('umbrella 1');
  for (let count = 2; count <= 4; count += 1) {
    await free('acme');
    ask(`acme ${count}`);
    if (begun.includes('umbrella 1')) break;
  }
  assert.deepEqual(begun, ['acme 0', 'acme 1', 'umbrella 1']);
});

test('an organization’s questions come before its effects, but not before those of others', async () => {
  const { begun, ask, free } = bench(1);
  ask('acme 0');
  ask('acme effect', 'effects');
  ask('umbrella effect', 'effects');
  ask('acme question');
  await turnOfLoop();
  for (const holder of ['acme', 'acme', 'umbrella']) await free(holder);
  assert.deepEqual(begun, ['acme 0', 'acme question', 'umbrella effect', 'acme effect']);
});

test('refuses only the organization that has too many tasks waiting', async () => {
  const { turns, begun, refused, ask, free } = bench(1, 2);
  for (let count = 1; count <= 5; count += 1) ask(`acme ${count}`);
  ask('umbrella 1');
  await turnOfLoop();
  assert.deepEqual(refused, ['acme 4 unavailable 1', 'acme 5 unavailable 1']);
  assert.equal(turns.waiting, 3);
  for (const holder of ['acme', 'acme', 'umbrella', 'acme']) await free(holder);
  assert.deepEqual(begun, ['acme 1', 'acme 2', 'umbrella 1', 'acme 3']);
  assert.equal(turns.waiting, 0);
});

test('does not begin a question whose client has stopped waiting', async () => {
  const { begun, refused, ask, free } = bench(1);
  ask('acme 0');
  ask('umbrella gone', 'questions', 0);
  ask('umbrella here', 'questions', 60_000);
  ask('initech gone', 'questions', 0);
  await turnOfLoop();
  for (const holder of ['acme', 'umbrella']) await free(holder);
  ask('initech here');
  await turnOfLoop();
  assert.deepEqual(begun, ['acme 0', 'umbrella here', 'initech here']);
  assert.deepEqual(refused, ['umbrella gone unavailable 1', 'initech gone unavailable 1']);
});

test('counts get a thread that no other task waits for, and take no place of other tasks', async () => {
  const { begun, refused, ask, free } = bench(1, 1);
  for (const name of ['acme 1', 'acme 2']) ask(name);
  for (const name of ['initech count', 'acme count', 'umbrella count']) ask(name, 'counts');
  ask('umbrella 1', 'effects');
  await turnOfLoop();
  for (const holder of ['acme', 'acme', 'umbrella', 'initech', 'acme']) await free(holder);
  assert.deepEqual(begun, ['acme 1', 'acme 2', 'umbrella 1', 'initech count', 'acme count', 'umbrella count']);
  assert.deepEqual(refused, []);
});
