/**
 * Test mode knows every operation of the route table, and nothing else.
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

test('every POST can be repeated', () => {
  const without = apiRoutes.filter(({ method, once }) => method === 'POST' && !once);
  // A word for what waits: once it is given, nothing waits. The other two write nothing.
  assert.deepEqual(without.map(({ operation }) => operation).sort(), [
    'approveRetention',
    'previewPublication',
    'testChannel',
  ]);
});

test('the made-up key has the form of a key', () => {
  assert.equal(keyFault(sampleSecret), undefined);
});
