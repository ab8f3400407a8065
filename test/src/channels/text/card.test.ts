/**
 * Tests the conversion of notes to Adaptive Cards: title, parts, lists, monospace code, and the maximum size that
 * workflows accept.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCardMessage } from '../../../../src/channels/text/card.ts';
import { aNote, entries } from '../../../helpers/delivery.ts';

function bodyOf(bodyMd: string): Record<string, unknown>[] {
  const { attachments } = toCardMessage(aNote({ bodyMd }));
  return attachments[0].content.body.slice(1).map(({ type, wrap, ...rest }) => rest);
}

test('parts, lists, quotations and code are written', () => {
  assert.deepEqual(
    bodyOf(
      '## New\n\n- **api:** one ([#1](https://h.example/(1))) <!-- rn:pr:1 -->\n- two\n\n  > steps `run`\n\n  ```\n  a\n    b\n  ```\n- three\n',
    ),
    [
      { text: 'New', weight: 'Bolder', size: 'Medium', spacing: 'Large' },
      { text: '- **api:** one ([#1](https://h.example/%281%29))\n- two', spacing: 'Small' },
      { text: 'steps run', spacing: 'Small' },
      { text: 'a\n\n\u00A0\u00A0b', fontType: 'Monospace', spacing: 'Small' },
      { text: '- three', spacing: 'Small' },
    ],
  );
});

test('Markdown of cards is escaped, and names stay unchanged', () => {
  assert.deepEqual(bodyOf('- \\*a\\* snake_case \\_x\\_ \\[y\\](z) @here {{DATE}}\n'), [
    { text: '- \\*a\\* snake_case \\_x\\_ \\[y\\](z) @\u200Dhere {\u200D{DATE}}', spacing: 'Small' },
  ]);
});

test('a card is cut between entries, below 28 kB', () => {
  const message = toCardMessage(aNote({ bodyMd: `## New\n\n${entries(900, 'Änderung → 漢字 of some length')}\n` }));
  const size = Buffer.byteLength(JSON.stringify(message));
  assert.ok(size <= 27_500 && size > 27_000, String(size));
  const texts = message.attachments[0].content.body.map(({ text }) => text);
  const shown = texts.join('\n').match(/some length \d+$/gm)?.length ?? 0;
  assert.match(texts.at(-1) ?? '', new RegExp(`^${900 - shown} more changes: \\[`));
});
