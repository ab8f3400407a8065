/**
 * Sends requests that are generated from the OpenAPI document, with keys of two organizations. Replies match the
 * document, and every write operation succeeds at least once. A request of one organization changes and reveals nothing
 * of the other organization (spec parts 4, 5 and 7).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FuzzOptions, fuzzApi } from '../helpers/fuzz/fuzz.ts';

test('requests of one organization change and show nothing of another (spec 5)', async (t) => {
  const tally = await fuzzApi(t, { requests: 5000, seed: 1 });
  t.diagnostic(tally.table());
  assert.deepEqual(tally.never, [], 'every write operation succeeds at least once');
});

test('a change in the organization that sent no request fails the fuzz', async (t) => {
  const breach: FuzzOptions['breach'] = async ({ service, world }) => {
    const [draftId] = world.living('umbrella', 'draft');
    await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd: 'not umbrella’s own words' });
  };
  await assert.rejects(
    fuzzApi(t, { requests: 200, seed: 2, breach }),
    /things have changed:[\s\S]*changed: p\d\d drafts /,
  );
});
