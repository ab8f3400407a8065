/**
 * Made-up requests from the OpenAPI document, with keys of two organisations: no 5xx, no status or body that is not in the
 * document, no word of the other organisation (spec parts 4, 5 and 7).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../helpers/contract.ts';
import { fuzzService } from '../helpers/contract-fuzz.ts';

test('whatever is asked, the answer is as promised (spec 4)', async (t) => {
  const { requests, replies } = await fuzzService(t, 4000, 1);
  assert.ok(requests >= 4000);
  const ids = operations.map(({ definition }) => definition.operationId as string);
  const never = ids.filter(
    (id) => id !== 'receiveWebhook' && ![...replies.keys()].some((at) => /^\w+ 2/.test(at) && at.startsWith(`${id} `)),
  );
  assert.deepEqual(never, [], 'every operation succeeds now and then');
});
