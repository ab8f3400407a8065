/**
 * Tests that test mode covers exactly the operations of the route table.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mocks } from '../../../src/api/mocks.ts';
import { apiRoutes } from '../../../src/api/routes.ts';
import { sampleSecret } from '../../../src/api/samples.ts';
import { keyFault } from '../../../src/foundation/api-key.ts';

test('every operation has a test mode (spec 4)', () => {
  assert.deepEqual(apiRoutes.map(({ operation }) => operation).sort(), Object.keys(mocks).sort());
});

test('every body is checked in test mode', () => {
  const unchecked = apiRoutes.filter(({ contract, checkBody }) => contract.body && !checkBody);
  assert.deepEqual(
    unchecked.map(({ operation }) => operation),
    [],
  );
});

test('every POST that writes can be repeated', () => {
  const without = apiRoutes.filter(({ method, once }) => method === 'POST' && !once);
  // These operations need no Idempotency-Key. A repeated `approveRetention` finds nothing left to approve, and a dead
  // letter that is replayed twice is folded once.
  // The other operations write nothing.
  assert.deepEqual(without.map(({ operation }) => operation).sort(), [
    'approveRetention',
    'checkHost',
    'createAppManifest',
    'previewPublication',
    'previewRange',
    'previewRepositorySettings',
    'replayDeadLetters',
    'testChannel',
  ]);
});

test('the made-up key has the format of a key', () => {
  assert.equal(keyFault(sampleSecret), undefined);
});
