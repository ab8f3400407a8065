/**
 * Tests API keys: their form, their checksum, and the parts that are stored.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey, keyFault, keyParts, newKey } from '../../../src/foundation/api-key.ts';

test('a new key has the published form', () => {
  assert.match(newKey(), /^rn_live_[0-9A-Za-z]{36}$/);
  assert.match(newKey('test'), /^rn_test_[0-9A-Za-z]{36}$/);
  assert.equal(keyFault(newKey()), undefined);
  assert.equal(keyFault(newKey('test')), undefined);
});

test('a thousand new keys are all different', () => {
  const keys = new Set(Array.from({ length: 1000 }, () => newKey()));
  assert.equal(keys.size, 1000);
});

test('a key with one changed character fails the checksum', () => {
  const key = newKey();
  for (let i = 'rn_live_'.length; i < key.length; i++) {
    const other = key[i] === 'x' ? 'y' : 'x';
    assert.equal(keyFault(key.slice(0, i) + other + key.slice(i + 1)), 'checksum', `position ${i}`);
  }
});

test('a key with two swapped characters fails the checksum', () => {
  const key = newKey();
  for (let i = 'rn_live_'.length; i < key.length - 1; i++) {
    if (key[i] === key[i + 1]) continue;
    const swapped = key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2);
    assert.equal(keyFault(swapped), 'checksum', `position ${i}`);
  }
});

test('a live key with the prefix of a test key fails the checksum', () => {
  assert.equal(keyFault(newKey('live').replace('live', 'test')), 'checksum');
});

test('a text of another form is malformed', () => {
  const key = newKey();
  const texts = [
    '',
    'rn_live_',
    key.slice(1),
    `${key}0`,
    key.slice(0, -1),
    `${key}\n`,
    ` ${key}`,
    key.replace('rn', 'RN'),
  ];
  for (const text of texts) assert.equal(keyFault(text), 'malformed', JSON.stringify(text));
});

test('the stored parts are hash, prefix and the last four characters', () => {
  const key = newKey();
  const parts = keyParts(key);
  assert.deepEqual(parts, { prefix: 'rn_live_', hash: hashKey(key), last4: key.slice(-4) });
  assert.match(parts.hash, /^[0-9a-f]{64}$/);
  assert.equal(JSON.stringify(parts).includes(key.slice(8, 40)), false);
});
