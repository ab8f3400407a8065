/** Tests the tools of the editor, and the marks on words that differ. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffWords } from '../../dashboard/text/diff.ts';
import { applyTool, type Tool } from '../../dashboard/text/markdown-edit.ts';

/** Applies a tool to the part between two bars, and returns the text with bars around the new selection. */
function used(tool: Tool, text: string): string {
  const [before = '', chosen = '', after = ''] = text.split('|');
  const whole = before + chosen + after;
  const made = applyTool(tool, whole, before.length, before.length + chosen.length);
  const next = whole.slice(0, made.from) + made.insert + whole.slice(made.to);
  const [start, end] = made.select;
  return `${next.slice(0, start)}|${next.slice(start, end)}|${next.slice(end)}`;
}

test('a tool changes the selection, and a second use removes the change', () => {
  for (const [tool, before, after] of [
    ['bold', 'a |b| c', 'a **|b|** c'],
    ['bold', 'a **|b|** c', 'a |b| c'],
    ['code', '||', '`||`'],
    ['link', 'a |b|', 'a [b](|https://|)'],
    ['link', '|https://a.example|', '[||](https://a.example)'],
    ['list', 'a\n|b\nc|', 'a\n|- b\n- c|'],
    ['list', '|- b\n- c|', '|b\nc|'],
    ['heading', 'a|b|', '## ab||'],
  ] as const)
    assert.equal(used(tool, before), after, tool);
});

test('only the words that differ are marked', () => {
  const [before, after] = diffWords('The red house is old', 'The blue house is old') ?? [];
  const changed = (pieces: typeof before) => pieces?.filter((each) => each.isChanged).map(({ text }) => text);
  assert.deepEqual([changed(before), changed(after)], [['red'], ['blue']]);
  assert.equal(diffWords('one two three four', 'five six seven four eight nine'), undefined);
});
