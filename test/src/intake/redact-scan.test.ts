/**
 * Tests the fast searches of the finders: they find exactly what a regular expression finds in the whole text.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { charClass, searchAt, searchRuns } from '../../../src/intake/redact/scan.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', ' ', '\\', 'n'), maxLength: 60 });

test('a search of runs finds the matches of a search through the whole text', () => {
  const pattern = /(?:(?<![ab1])|(?<=\\n))ab[ab1-]{3}(?![ab1]{4})/g;
  const kind = charClass(/[ab1-]/);
  fc.assert(
    fc.property(letters, (text) => {
      const found: [number, string][] = [];
      searchRuns(text, { kind, min: 5, pattern }, ([match], at) => {
        found.push([at, match]);
        return at + match.length;
      });
      pattern.lastIndex = 0;
      const expected = [...text.matchAll(pattern)].map((match) => [match.index, match[0]]);
      assert.deepEqual(found, expected);
    }),
    { numRuns: 3000 },
  );
});

test('a search for beginnings visits each occurrence once and in order', () => {
  fc.assert(
    fc.property(
      letters,
      fc.uniqueArray(fc.constantFrom('a', '11', 'b-', ' ', 'ab'), { minLength: 1 }),
      (text, words) => {
        const visited: number[] = [];
        searchAt(text, words, (at) => {
          visited.push(at);
          return at;
        });
        const expected = Array.from({ length: text.length }, (_, at) => at).filter((at) =>
          words.some((word) => text.startsWith(word, at)),
        );
        assert.deepEqual(visited, expected);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a search for beginnings continues where the visit ended', () => {
  const visited: number[] = [];
  searchAt('a-a-b-a-b', ['a', 'b'], (at) => {
    visited.push(at);
    return at + 3;
  });
  assert.deepEqual(visited, [0, 4, 8]);
});
