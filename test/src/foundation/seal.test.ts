/**
 * Tests sealing (encryption of stored secrets): a sealed text can be opened only for the same object and with the same
 * key.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSealer, parseSealingKey, SealError } from '../../../src/foundation/seal.ts';

const key = randomBytes(32);
const sealer = createSealer(key);
const place = ['webhook secret', 'secret_1', 'https://github.com', ''];

test('a sealed text opens for the object that it belongs to', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (text, belongsTo) => {
      const sealed = sealer.seal(text, belongsTo);
      assert.match(sealed, /^v1\.[0-9a-f]{16}\.[\w-]+$/);
      assert.equal(createSealer(key).open(sealed, belongsTo), text);
    }),
  );
});

test('sealing a text twice gives different results', () => {
  assert.notEqual(sealer.seal('the same', place), sealer.seal('the same', place));
});

test('a sealed text does not open for another object', () => {
  const sealed = sealer.seal('a secret text', place);
  const others = [
    [],
    place.slice(0, 3),
    [...place, ''],
    place.with(1, 'secret_2'),
    place.with(2, 'https://git.example'),
    place.with(3, 'org_1'),
    [place.join('')],
    ['webhook secret', 'secret_1https://github.com', '', ''],
  ];
  for (const belongsTo of others) {
    assert.throws(
      () => sealer.open(sealed, belongsTo),
      /SealError: the stored value was changed, or was sealed for another object/,
    );
  }
});

test('the error for another key names both keys', () => {
  const sealed = sealer.seal('a secret text', place);
  const other = createSealer(randomBytes(32));
  assert.throws(
    () => other.open(sealed, place),
    /the stored value was sealed with another key \([0-9a-f]{16}; the sealing key/,
  );
});

test('a changed sealed text does not open', () => {
  const sealed = sealer.seal('a secret text', place);
  const [version, keyId, content = ''] = sealed.split('.');
  const bytes = Buffer.from(content, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.throws(() => sealer.open([version, keyId, changed.toString('base64url')].join('.'), place), SealError);
  }
  const broken = ['', 'v1', `v2${sealed.slice(2)}`, `${version}.${keyId}.`, `${version}.${keyId}.AAAA`, `${sealed}=`];
  for (const text of [...broken, sealed.slice(0, -4)]) {
    assert.throws(() => sealer.open(text, place), SealError, text);
  }
});

test('errors hold nothing of the text', () => {
  const sealed = sealer.seal('a secret text', place);
  for (const attempt of [() => sealer.open(sealed, []), () => createSealer(randomBytes(32)).open(sealed, place)]) {
    assert.throws(attempt, (error: Error) => !/secret text/.test(JSON.stringify([error.message, error.stack])));
  }
});

test('keys are read from hex and base64', () => {
  for (const text of [key.toString('hex'), key.toString('hex').toUpperCase(), key.toString('base64')]) {
    assert.deepEqual(parseSealingKey(text), key, text);
  }
  assert.deepEqual(parseSealingKey(key.toString('base64url')), key);
  const short = randomBytes(31);
  const wrong = ['', 'x', short.toString('hex'), short.toString('base64'), `${key.toString('hex')}00`];
  for (const text of [...wrong, ` ${key.toString('hex')}`, `${key.toString('hex')}\n`, 'g'.repeat(64)]) {
    assert.equal(parseSealingKey(text), undefined, text);
  }
});

test('a digest is the same for the same text, object and key only', () => {
  const digest = sealer.mac('ada@example.org', place);
  assert.equal(createSealer(key).mac('ada@example.org', place), digest);
  const others = [
    sealer.mac('ada@example.com', place),
    sealer.mac('ada@example.org', [...place, '']),
    createSealer(randomBytes(32)).mac('ada@example.org', place),
  ];
  for (const other of others) assert.notEqual(other, digest);
});
