/**
 * Tests the link that compares two tags: the link is valid for any text in a tag name.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareUrl } from '../../../src/foundation/compare-url.ts';

const repository = 'https://github.com/acme/rocket';

test('the link names both tags', () => {
  assert.equal(compareUrl(repository, 'v1.0.0', 'v1.1.0'), `${repository}/compare/v1.0.0...v1.1.0`);
});

test('the link keeps slashes and encodes other special characters', () => {
  assert.equal(
    compareUrl(repository, 'release/1.0#rc', '50%?a b'),
    `${repository}/compare/release/1.0%23rc...50%25%3Fa%20b`,
  );
  assert.equal(compareUrl(repository, "a'b(c)*!", '🚀'), `${repository}/compare/a%27b%28c%29%2A%21...%F0%9F%9A%80`);
});

test('any tag gives a link without markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (from, to) => {
      const link = compareUrl(repository, from, to);
      assert.match(link, /^https:\/\/github\.com\/acme\/rocket\/compare\/[A-Za-z0-9/._~%-]*$/);
    }),
  );
});

test('a lone surrogate does not throw', () => {
  assert.equal(compareUrl(repository, '\ud800', 'v1'), `${repository}/compare/%EF%BF%BD...v1`);
});
