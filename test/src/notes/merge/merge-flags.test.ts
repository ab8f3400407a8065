/**
 * Tests edits of a draft's flags. When the draft is generated again, flags that a person set keep their values, and all
 * other flags get the generated values.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editFlags, isSameFlags, mergeFlags } from '../../../../src/notes/merge/merge-flags.ts';
import type { DraftFlags } from '../../../../src/protocol/stored.ts';

function flags(highlights: string[], contributors: string[] = [], upgradeInstructions = ''): DraftFlags {
  return { highlights, contributors, upgradeInstructions };
}

test('changes only the given flags, with each item once', () => {
  const generated = flags(['a', 'b'], ['ada'], 'Restart.');
  const edited = editFlags(generated, generated, { highlights: ['b', 'mine', 'b'] });
  assert.deepEqual(edited, flags(['b', 'mine'], ['ada'], 'Restart.'));
  assert.deepEqual(editFlags(edited, generated, { upgradeInstructions: '' }), flags(['b', 'mine'], ['ada']));
  assert.deepEqual(editFlags(edited, generated, { highlights: null }), generated);
});

test('merges a list item by item', () => {
  const base = flags(['a', 'b', 'c']);
  const merged = (mine: string[], next: string[]) => mergeFlags(base, flags(mine), flags(next)).highlights;
  assert.deepEqual(merged(['a', 'b', 'c'], ['d', 'a']), ['d', 'a'], 'what nobody edited follows');
  assert.deepEqual(merged(['a, reworded', 'b', 'c'], ['a', 'b', 'c', 'd']), ['a, reworded', 'b', 'c', 'd']);
  assert.deepEqual(merged(['c', 'a'], ['a', 'b', 'c']), ['c', 'a'], 'what was taken out stays out');
  assert.deepEqual(merged(['mine', 'a', 'b', 'c'], ['a', 'c']), ['mine', 'a', 'c'], 'what is gone goes');
  assert.deepEqual(merged([], ['a', 'd']), ['d']);
});

test('keeps each flag that a person set, and lets the others follow', () => {
  const base = flags(['a'], ['ada'], 'Restart.');
  const next = flags(['b'], ['ada', 'grace'], 'Restart twice.');
  assert.deepEqual(mergeFlags(base, { ...base, upgradeInstructions: 'Mine.' }, next), {
    ...next,
    upgradeInstructions: 'Mine.',
  });
  assert.deepEqual(mergeFlags(base, { ...base, contributors: ['grace'] }, next), { ...next, contributors: ['grace'] });
});

test('never loses or repeats an item that a person added', () => {
  const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 5 });
  fc.assert(
    fc.property(list, list, list, (base, mine, next) => {
      const merged = mergeFlags(flags(base), flags(mine), flags(next)).highlights;
      assert.equal(new Set(merged).size, merged.length);
      const isEdited = !isSameFlags(flags(base), flags(mine));
      for (const item of mine) if (isEdited && !base.includes(item)) assert.ok(merged.includes(item), item);
      for (const item of base) if (isEdited && !mine.includes(item)) assert.ok(!merged.includes(item), item);
    }),
  );
});
