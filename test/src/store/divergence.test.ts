/** Tests what a node remembers about a state that differs from that of other nodes. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Divergence, readDivergence, writeDivergence } from '../../../src/store/divergence.ts';
import { partitionFolder } from '../../../src/store/generation.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('a divergence is remembered, and a damaged file counts as one', (t) => {
  const dataDir = temporaryFolder(t);
  const folder = partitionFolder(dataDir, 'p00');
  mkdirSync(folder, { recursive: true });
  assert.equal(readDivergence(dataDir, 'p00'), undefined);
  const undecided: Divergence = { state: 'undecided', against: ['b'], repairs: [1, 2] };
  writeDivergence(dataDir, 'p00', undecided);
  assert.deepEqual(readDivergence(dataDir, 'p00'), undecided);
  assert.deepEqual(readdirSync(folder), ['diverged.json']);
  for (const damaged of ['', '{"state":', '{"state":"fine","against":[],"repairs":[]}', '{"state":"sound"}', 'null']) {
    writeFileSync(join(folder, 'diverged.json'), damaged);
    assert.deepEqual(readDivergence(dataDir, 'p00'), { state: 'diverged', against: [], repairs: [] }, damaged);
  }
});
