/**
 * Tests that a reply has the content encoding that the client prefers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseEncoding } from '../../../src/http/encoding.ts';

test('chooseEncoding returns the highest weight, and among equals the smaller encoding', () => {
  for (const [header, encoding] of [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;Q=1.0', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['identity', 'identity'],
    ['identity;q=1, gzip;q=0.5', 'identity'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0', 'identity'],
    ['*;q=0', 'identity'],
    ['deflate, zstd', 'identity'],
    ['gzip;level=9', 'identity'],
    ['gzip;q=2', 'identity'],
    [`gzip, ${'x'.repeat(2000)}`, 'identity'],
  ] as const) {
    assert.equal(chooseEncoding(header), encoding, String(header));
  }
});
