/**
 * Conditions of requests: which entity tags a header names, and which headers are none.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIfMatch } from '../../../src/api/conditional.ts';
import { digestOf, isKnown, toEtag } from '../../../src/foundation/etag.ts';

const digest = digestOf('content');
const etag = toEtag(digest);

test('reads the digests of strong tags', () => {
  assert.deepEqual(readIfMatch(etag), [digest]);
  assert.deepEqual(readIfMatch(`"a,b", ${etag}\t, W/${etag}`), [digest]);
  // The shape of responses counts for a reader's copy, not for what a writer has seen.
  assert.deepEqual(readIfMatch(`"7-${digest}"`), [digest]);
  assert.deepEqual(readIfMatch('"other"'), []);
});

test('takes any state without a condition', () => {
  assert.equal(readIfMatch(undefined), undefined);
  assert.equal(readIfMatch(' * '), undefined);
});

test('refuses what is no list of tags', () => {
  for (const header of ['', ' ', 'x', '"', '"a" "b"', '"a",', ',"a"', '*,"a"', 'w/"a"', `${'"a",'.repeat(9000)}"a"`]) {
    assert.throws(() => readIfMatch(header), { kind: 'invalid', message: /If-Match: expected \* or/ }, header);
  }
});

test('looks for tags in time that grows with their number', () => {
  const hostile = ['"'.repeat(8000), ' '.repeat(8000), '"a",'.repeat(2000), `${'"a" ,'.repeat(1600)}x`];
  for (const header of hostile) assert.throws(() => readIfMatch(header), { kind: 'invalid' });
});

test('knows a tag weak or strong, and nothing in nonsense', () => {
  for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) assert.ok(isKnown(header, etag), header);
  for (const header of ['', 'x', digest, `"7-${digest}"`, undefined]) assert.ok(!isKnown(header, etag), header);
});
