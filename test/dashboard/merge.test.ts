/** Tests the merge of two texts that were made from the same text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { merge, mergedText } from '../../dashboard/text/merge.ts';

const text = (...lines: string[]) => `${lines.join('\n')}\n`;
const merged = (base: string, mine: string, theirs: string) => mergedText(merge(base, mine, theirs), new Map());

test('changes in different places are both kept', () => {
  const base = text('a', 'b', 'c', 'd', 'e');
  assert.equal(merged(base, text('A', 'b', 'c', 'd', 'e'), text('a', 'b', 'c', 'E')), text('A', 'b', 'c', 'E'));
});

test('equal changes are kept once', () => {
  assert.equal(merged(text('a', 'b'), text('a', 'x'), text('a', 'x')), text('a', 'x'));
});

test('different changes of a line are a conflict, and a choice ends it', () => {
  const parts = merge(text('a', 'b', 'c'), text('a', 'mine', 'c'), text('a', 'theirs', 'c'));
  assert.deepEqual(parts, [
    { kind: 'settled', lines: ['a'] },
    { kind: 'conflict', base: ['b'], mine: ['mine'], theirs: ['theirs'] },
    { kind: 'settled', lines: ['c'] },
  ]);
  assert.equal(mergedText(parts, new Map([[1, 'mine']])), text('a', 'mine', 'c'));
  assert.equal(mergedText(parts, new Map([[1, 'theirs']])), text('a', 'theirs', 'c'));
  assert.equal(mergedText(parts, new Map([[1, 'both']])), text('a', 'mine', 'theirs', 'c'));
  assert.equal(mergedText(parts, new Map()), text('a', 'mine', 'theirs', 'c'), 'without a choice nothing is lost');
});

test('an edit on one side only never becomes a conflict', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 }).map((each) => text('first', ...each));
  fc.assert(
    fc.property(lines, lines, (base, changed) => {
      assert.equal(merged(base, changed, base), changed);
      assert.equal(merged(base, base, changed), changed);
      assert.equal(merged(base, changed, changed), changed);
    }),
  );
});

test('no line of either side is lost without a choice', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, lines, (base, mine, theirs) => {
      const own = ['new of mine', ...mine];
      const other = [...theirs, 'new of theirs'];
      const result = merged(text(...base), text(...own), text(...other)).split('\n');
      assert.ok(result.includes('new of mine') && result.includes('new of theirs'), result.join('|'));
    }),
  );
});
