/**
 * Shortening at the borders of entries: what must be read stays, the rest is counted, headings go with what stands under them.
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

function cut(markdown: string, longest: number): Cut {
  const build = (kept: Block[], rest: Rest | null): Cut => ({ text: toPlain(kept), rest });
  return cutToFit(parseMarkdown(markdown), build, ({ text }) => text.length <= longest);
}

test('leaves alone what fits', () => {
  const { text, rest } = cut(`## Features\n\n${entries(3)}\n`, 10_000);
  assert.equal(rest, null);
  assert.match(text, /length 3$/);
});

test('keeps as many whole entries as fit and counts the others', () => {
  const all = cut(`## Features\n\n${entries(50)}\n`, 1_000);
  const shown = all.text.match(/usual length \d+$/gm) ?? [];
  assert.equal(shown.length + (all.rest?.changes ?? 0), 50);
  assert.ok(all.text.length <= 1_000 && all.text.length > 900, String(all.text.length));
  assert.match(all.text, new RegExp(`length ${shown.length}$`));
});

test('keeps highlights and what breaks as long as anything', () => {
  const body = `## Features\n\n${entries(30)}\n\n## Breaking Changes\n\n- Old things go <!-- rn:pr:99 -->\n\n## Highlights\n\n- The best\n`;
  const { text, rest } = cut(body, 300);
  assert.match(text, /Breaking Changes\n=+\n\n- Old things go\n\nHighlights\n=+\n\n- The best$/);
  assert.ok((rest?.changes ?? 0) >= 25);
});

test('shows no heading over nothing', () => {
  const body = `## Features\n\n### api\n\n${entries(3)}\n\n### web\n\n${entries(3)}\n\n## Fixes\n\n${entries(3)}\n`;
  for (let longest = 0; longest < 700; longest += 7) {
    const { text } = cut(body, longest);
    assert.doesNotMatch(text, /[=-]{3}\s*$|-{3}\n\n\w+\n-/, `cut to ${longest}`);
  }
});

test('counts items where no entry has a marker', () => {
  assert.equal(cut('- a\n- b\n- c\n', 3).rest?.changes, 2);
  assert.equal(cut('- a <!-- rn:pr:1 -->\n- and more\n- c\n', 3).rest?.changes, 0);
});

test('never shows half an entry, whatever the length', () => {
  const entry = fc.constantFrom(
    '- a\n\n  ```\n  code\n  ```\n',
    '- b\n',
    'prose\n\n',
    '- c\n  - d\n',
    '## H\n\n',
    '> q\n\n',
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), fc.nat(120), (parts, longest) => {
      const whole = parseMarkdown(parts.join(''));
      const kept = cutToFit(
        whole,
        (blocks) => blocks,
        (blocks) => toPlain(blocks).length <= longest,
      );
      assert.ok(kept.length === 0 || toPlain(kept).length <= longest);
      const pieces = (blocks: readonly Block[]): string[] =>
        blocks
          .flatMap((block): unknown[] => (block.kind === 'list' ? block.items : [block]))
          .map((piece) => JSON.stringify(piece));
      const all = pieces(whole);
      for (const piece of pieces(kept)) assert.ok(all.includes(piece), piece);
    }),
  );
});
