/**
 * Tests the reading of the results that wrk's script prints.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toResult } from '../../bench/wrk.ts';

test('reads the last line that wrk prints', () => {
  const line = '{"requests":100,"microseconds":2000000,"bytes":530000,"status":3,"broken":1,"latencies":[500,1500]}';
  const result = toResult(`Running 2s test\n  2 threads\n${line}\n`, 0.5);
  assert.equal(result.answers, 100);
  assert.equal(result.seconds, 2);
  assert.deepEqual(result.statuses, { 200: 97, 'other than 2xx or 3xx': 3 });
  assert.equal(result.errors, 1);
  assert.deepEqual([...result.latencies], [0.5, 1.5]);
  assert.equal(result.bytesPerReply, 5300);
  assert.equal(result.cpu, 0.5);
});
