/**
 * Tests the framing check of requests. A request without a Content-Length, or with one valid Content-Length, is
 * accepted. Everything else is refused as ambiguous.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Framing, frameHeader, newFraming } from '../../../src/http/framing.ts';

function frame(...headers: [string, string][]): Framing {
  const framing = newFraming();
  for (const [name, value] of headers) frameHeader(framing, name, value);
  return framing;
}

test('one length or none is valid', () => {
  assert.deepEqual(frame(), { contentLengths: 0, contentLength: 0, ambiguous: false });
  assert.deepEqual(frame(['host', 'x'], ['content-length', '44']), {
    contentLengths: 1,
    contentLength: 44,
    ambiguous: false,
  });
});

test('two lengths are ambiguous, even equal ones', () => {
  assert.ok(frame(['content-length', '5'], ['content-length', '10']).ambiguous);
  assert.ok(frame(['content-length', '5'], ['content-length', '5']).ambiguous);
  assert.ok(frame(['content-length', ''], ['content-length', '5']).ambiguous);
});

test('any transfer encoding is ambiguous', () => {
  for (const value of ['chunked', 'identity', '', 'gzip, chunked']) {
    assert.ok(frame(['content-length', '5'], ['transfer-encoding', value]).ambiguous, value);
  }
});

test('a length that is not a number is ambiguous', () => {
  const values = ['', ' ', '-5', '+5', '5,5', '5, 5', '0x5', '5.0', '1e3', '٣', '5 ', `9${'9'.repeat(15)}`, 'NaN'];
  for (const value of values) assert.ok(frame(['content-length', value]).ambiguous, JSON.stringify(value));
});

test('a valid length is the number that was sent', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), (length) => {
      assert.deepEqual(frame(['content-length', String(length)]).contentLength, length);
    }),
  );
});
