/** Tests the comparison of texts by lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diffLines, type Edit, linesOf, nearChanges } from '../../dashboard/text/diff.ts';

const sides = (edits: readonly Edit[]) => ({
  before: edits.filter(({ kind }) => kind !== 'added').map(({ line }) => line),
  after: edits.filter(({ kind }) => kind !== 'removed').map(({ line }) => line),
});

test('the edits of two texts contain both texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      assert.deepEqual(sides(diffLines(before, after)), { before, after });
    }),
  );
});

test('equal lines are kept, and only the others are edits', () => {
  assert.deepEqual(diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd']), [
    { kind: 'same', line: 'a' },
    { kind: 'removed', line: 'b' },
    { kind: 'added', line: 'x' },
    { kind: 'same', line: 'c' },
    { kind: 'added', line: 'd' },
  ]);
});

test('a line that moved over many others is one removed and one added line', () => {
  const before = Array.from({ length: 200 }, (_, i) => `line ${i}`);
  const after = [...before.slice(1), 'line 0'];
  assert.equal(diffLines(before, after).filter(({ kind }) => kind !== 'same').length, 2);
});

test('texts without a common line are compared in a short time', () => {
  const [before, after] = ['a', 'b'].map((letter) => Array.from({ length: 5_000 }, (_, i) => `${letter}${i}`));
  assert.deepEqual(sides(diffLines(before ?? [], after ?? [])), { before, after });
});

test('the last line break makes no line, and all kinds of line breaks are equal', () => {
  assert.deepEqual(linesOf('a\r\nb\n\n'), ['a', 'b', '']);
  assert.deepEqual(linesOf(''), []);
});

test('lines far from a change are left out', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `${i}`);
  const near = nearChanges(diffLines(lines, lines.with(10, 'x')), 1);
  assert.deepEqual(
    near.map((edit) => edit?.line ?? null),
    [null, '9', '10', 'x', '11', null],
  );
});
