/**
 * Twenty thousand made-up requests against a real service: `node dist/test/fuzz/api.js [--requests 20000] [--seed 1]`. Ends
 * with 1 at the first reply that is not as the OpenAPI document promises, and shows its request.
 */
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { fuzzed, fuzzService } from '../helpers/contract-fuzz.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});

test(`${values.requests} requests, seed ${values.seed}`, async (t) => {
  const started = performance.now();
  const { requests, replies } = await fuzzService(t, fuzzed, Number(values.requests), Number(values.seed));
  const seconds = Math.round((performance.now() - started) / 1000);
  const statuses = new Map<string, number>();
  for (const [at, count] of replies) {
    const status = at.split(' ')[1] as string;
    statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
  console.log(`${requests} requests in ${seconds} s`);
  for (const [status, count] of [...statuses].sort()) console.log(`${status}  ${count}`);
});
