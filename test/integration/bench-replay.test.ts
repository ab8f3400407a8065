/**
 * Tests the benchmark of restarts at a small size: a node folds a generated journal, restarts, and is restored from its
 * snapshots.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { restartReplay } from '../../bench/scenarios/restart-replay.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { temporaryFolder } from '../helpers/ports.ts';

const records = 1500;

test('a node folds every generated record once, and is restored from its snapshots', async (t) => {
  const folder = temporaryFolder(t);
  const steps: (() => unknown)[] = [];
  const cleanUp = async () => {
    for (let step = steps.pop(); step; step = steps.pop()) await step();
  };
  afterwards(t, cleanUp);
  const context = { seconds: 1, rounds: 1, warmUpSeconds: 1, folder, size: records };
  const measured = await restartReplay.run({ ...context, defer: (step) => void steps.push(step) });
  assert.deepEqual(
    measured.map(({ faults }) => faults),
    [[], [], []],
  );
  const [replayed] = measured;
  assert.match(replayed?.notes.join('\n') ?? '', new RegExp(`The journal had ${records} records`));
  for (const { figures } of measured)
    for (const { name, value, line } of figures) assert.ok(value > 0 && line === null, name);
  await cleanUp();
  assert.deepEqual(readdirSync(folder), []);
});
