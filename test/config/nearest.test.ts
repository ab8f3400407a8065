/**
 * Tests the suggestion for a misspelled name: a name is suggested only if the user probably meant it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean, nearest } from '../../config/nearest.ts';
import { processorMs } from '../helpers/processor-time.ts';

const names = ['keys', 'orgs', 'webhooks', 'webhook-secrets', 'doctor', 'TIDINGS_DATA_DIR'];

test('a name is found despite a letter that is added, missing, replaced or swapped, in any case', () => {
  for (const [wrong, name] of [
    ['key', 'keys'],
    ['keyss', 'keys'],
    ['kezs', 'keys'],
    ['kyes', 'keys'],
    ['KEYS', 'keys'],
    ['webhook-secret', 'webhook-secrets'],
    ['webhook', 'webhooks'],
    ['TIDINGS_DATADIR', 'TIDINGS_DATA_DIR'],
  ] as const)
    assert.equal(nearest(wrong, names), name, wrong);
});

test('a name that is not close to a known one gets no suggestion', () => {
  for (const wrong of ['x', 'nonsense', 'sky', 'constructor']) assert.equal(nearest(wrong, names), undefined, wrong);
  assert.deepEqual([didYouMean('kyes', names), didYouMean('nonsense', names)], [' Did you mean keys?', '']);
});

test('a very long text takes no time', () => {
  const long = 'k'.repeat(1_000_000);
  assert.equal(nearest(long, names), undefined);
  assert.ok(processorMs(() => nearest(long, names)) < 500);
});
