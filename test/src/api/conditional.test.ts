/**
 * Tests the `If-Match` and `If-None-Match` headers of requests: which entity tags a header contains, and which headers
 * are refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIfMatch } from '../../../src/api/conditional.ts';
import { digestOf, isKnown, toEtag } from '../../../src/foundation/etag.ts';

const digest = digestOf('content');
const etag = toEtag(digest);

test('readIfMatch returns the digests of strong tags', () => {
  assert.deepEqual(readIfMatch(etag), [digest]);
  assert.deepEqual(readIfMatch(`"a,b", ${etag}\t, W/${etag}`), [digest]);
  // The ETag in a reply to a GET begins with the version of the response format, here 7. An If-Match header ignores
  // this version.
  assert.deepEqual(readIfMatch(`"7-${digest}"`), [digest]);
  assert.deepEqual(readIfMatch('"other"'), []);
});

test('without a condition any state is accepted', () => {
  assert.equal(readIfMatch(undefined), undefined);
  assert.equal(readIfMatch(' * '), undefined);
});

test('a header that is not a list of tags is refused', () => {
  for (const header of ['', ' ', 'x', '"', '"a" "b"', '"a",', ',"a"', '*,"a"', 'w/"a"', `${'"a",'.repeat(9000)}"a"`]) {
    assert.throws(() => readIfMatch(header), { kind: 'invalid', message: /If-Match: expected \* or/ }, header);
  }
});

test('reading tags takes time in proportion to the length of the header', () => {
  const hostile = ['"'.repeat(8000), ' '.repeat(8000), '"a",'.repeat(2000), `${'"a" ,'.repeat(1600)}x`];
  for (const header of hostile) assert.throws(() => readIfMatch(header), { kind: 'invalid' });
});

test('isKnown finds weak and strong tags, and nothing in an invalid header', () => {
  for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) assert.ok(isKnown(header, etag), header);
  for (const header of ['', 'x', digest, `"7-${digest}"`, undefined]) assert.ok(!isKnown(header, etag), header);
});
