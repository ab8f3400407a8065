/**
 * Sends many generated requests to a real service: `node dist/test/fuzz/api.js [--requests 100000] [--seed 1]`. The
 * requests use keys of two organizations. The program prints the request and exits with 1 in two cases: a reply
 * contradicts the OpenAPI document, or a request of one organization has changed data of the other organization. It
 * also exits with 1 when a write operation never succeeded.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { createProgress } from '../../src/cli/progress.ts';
import { fuzzApi } from '../helpers/fuzz/fuzz.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];

test(`${requests} requests, seed ${seed}`, async (t) => {
  const progress = createProgress({ label: 'requests', total: requests, stream: process.stderr });
  const started = performance.now();
  const tally = await fuzzApi(t, { requests, seed, advance: () => progress.advance() });
  progress.done(`${Math.round((performance.now() - started) / 1000)} s`);
  console.log(tally.table());
  assert.deepEqual(tally.never, [], 'every write operation succeeds at least once');
});
