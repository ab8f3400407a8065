/**
 * Tests cutting long notes between entries: important sections stay, removed entries are counted, and no heading stays
 * without its content.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutToFit, type Rest } from '../../../../src/channels/text/cut.ts';
import type { Block } from '../../../../src/channels/text/document.ts';
import { parseMarkdown } from '../../../../src/channels/text/parse.ts';
import { toPlain } from '../../../../src/channels/text/plain.ts';
import { entries } from '../../../helpers/delivery.ts';

interface Cut {
  text: string;
  rest: Rest | null;
}

function cut(markdown: string, max: number): Cut {
  const build = (kept: Block[], rest: Rest | null): Cut => ({ text: toPlain(kept), rest });
  return cutToFit(parseMarkdown(markdown), build, ({ text }) => text.length <= max);
}

test('a text that fits does not change', () => {
  const { text, rest } = cut(`## Features\n\n${entries(3)}\n`, 10_000);
  assert.equal(rest, null);
  assert.match(text, /length 3$/);
});

test('as many whole entries as fit are kept, and the others are counted', () => {
  const all = cut(`## Features\n\n${entries(50)}\n`, 1_000);
  const shown = all.text.match(/usual length \d+$/gm) ?? [];
  assert.equal(shown.length + (all.rest?.changes ?? 0), 50);
  assert.ok(all.text.length <= 1_000 && all.text.length > 900, String(all.text.length));
  assert.match(all.text, new RegExp(`length ${shown.length}$`));
});

test('highlights and breaking changes are kept longest', () => {
  const body = `## Features\n\n${entries(30)}\n\n## Breaking Changes\n\n- Old things go <!-- rn:pr:99 -->\n\n## Highlights\n\n- The best\n`;
  const { text, rest } = cut(body, 300);
  assert.match(text, /Breaking Changes\n=+\n\n- Old things go\n\nHighlights\n=+\n\n- The best$/);
  assert.ok((rest?.changes ?? 0) >= 25);
});

test('no heading is shown without content', () => {
  const body = `## Features\n\n### api\n\n${entries(3)}\n\n### web\n\n${entries(3)}\n\n## Fixes\n\n${entries(3)}\n`;
  for (let max = 0; max < 700; max += 7) {
    const { text } = cut(body, max);
    assert.doesNotMatch(text, /[=-]{3}\s*$|-{3}\n\n\w+\n-/, `cut to ${max}`);
  }
});

test('items are counted when no entry has a marker', () => {
  assert.equal(cut('- a\n- b\n- c\n', 3).rest?.changes, 2);
  assert.equal(cut('- a <!-- rn:pr:1 -->\n- and more\n- c\n', 3).rest?.changes, 0);
});

test('an entry is never cut in two, at any length', () => {
  const entry = fc.constantFrom(
    '- a\n\n  ```\n  code\n  ```\n',
    '- b\n',
    'prose\n\n',
    '- c\n  - d\n',
    '## H\n\n',
    '> q\n\n',
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), fc.nat(120), (parts, max) => {
      const whole = parseMarkdown(parts.join(''));
      const kept = cutToFit(
        whole,
        (blocks) => blocks,
        (blocks) => toPlain(blocks).length <= max,
      );
      assert.ok(kept.length === 0 || toPlain(kept).length <= max);
      const pieces = (blocks: readonly Block[]): string[] =>
        blocks
          .flatMap((block): unknown[] => (block.kind === 'list' ? block.items : [block]))
          .map((piece) => JSON.stringify(piece));
      const all = pieces(whole);
      for (const piece of pieces(kept)) assert.ok(all.includes(piece), piece);
    }),
  );
});
