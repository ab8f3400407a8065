/**
 * Made requests from the OpenAPI document, with keys of two organisations: replies are as the document promises, every write
 * operation succeeds, and no request changes or shows anything of the other organisation (spec parts 4, 5 and 7).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FuzzOptions, fuzzApi } from '../helpers/fuzz/fuzz.ts';

test('requests of one organisation change and show nothing of another (spec 5)', async (t) => {
  const tally = await fuzzApi(t, { requests: 5000, seed: 1 });
  t.diagnostic(tally.table());
  assert.deepEqual(tally.never, [], 'every write operation succeeds now and then');
});

test('a change in the organisation that did not ask fails the fuzz', async (t) => {
  const breach: FuzzOptions['breach'] = async ({ service, world }) => {
    const [draftId] = world.living('umbrella', 'draft');
    await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd: 'not umbrella’s own words' });
  };
  await assert.rejects(
    fuzzApi(t, { requests: 200, seed: 2, breach }),
    /things are not as they were:[\s\S]*changed: p\d\d drafts /,
  );
});
