/**
 * Tests the conversion of notes to messages of a workspace chat. The messages follow the chat's markup and limits.
 * Texts of users have no effects, such as mentions.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChatMessage } from '../../../../src/channels/text/chat-blocks.ts';
import { aNote, entries } from '../../../helpers/delivery.ts';

function textsOf(bodyMd: string): string[] {
  return toChatMessage(aNote({ bodyMd })).blocks.map(({ text }) => text.text);
}

/** Returns the text of the only section below the header. */
function section(bodyMd: string): string {
  const [, text = '', ...more] = textsOf(bodyMd);
  assert.equal(more.length, 0);
  return text;
}

test('headings, bullets, bold, code and links are written', () => {
  assert.equal(
    section(
      '## Features\n\n- **api:** Stream `a<b` ([#1](https://h.example/1?a=b&c=d)) <!-- rn:pr:1 -->\n  - inner\n- *two*\n',
    ),
    '*Features*\n• *api:* Stream `a&lt;b` (<https://h.example/1?a=b&amp;c=d|#1>)\n    ◦ inner\n• _two_',
  );
});

test('an escaped title is shown without backslashes', () => {
  assert.equal(
    section('- a \\* b \\_\\_init\\_\\_ snake_case \\`x \\<y\\>'),
    '• a * b `__init__` snake_case ˋx &lt;y&gt;',
  );
});

test('mentions notify no one', () => {
  const text = section('- @<!-- -->here @channel \\<!channel\\> \\<@U123> @scope/pkg a@b.example');
  assert.equal(text, '• @\u200Dhere @\u200Dchannel &lt;!channel&gt; &lt;@\u200DU123&gt; @scope/pkg a@b.example');
});

test('quotations and code blocks stay separate', () => {
  assert.equal(
    section('- a\n\n  > q\n  > r\n\n  ```sh\n  x ``y`` <z>\n  ```\n'),
    '• a\n> q r\n```\nx ˋˋyˋˋ &lt;z&gt;\n```',
  );
});

test('each part of the notes begins a section', () => {
  assert.deepEqual(textsOf('intro\n\n## A\n\n- x\n\n### b\n\n- y\n\n## C\n\n- z\n'), [
    'shoebox v2.0.0',
    'intro',
    '*A*\n• x\n\n*b*\n• y',
    '*C*\n• z',
  ]);
});

test('long texts are broken between words, and never within links', () => {
  const links = Array.from(
    { length: 60 },
    (_, at) => `[some words of link ${at}](https://h.example/${'p'.repeat(80)}/${at})`,
  );
  const texts = textsOf(links.join(' and '));
  assert.ok(texts.length > 2);
  for (const text of texts.slice(1)) {
    assert.ok(text.length <= 3_000);
    assert.doesNotMatch(text.replace(/<https:[^<>|\s]+\|[^<>]+>/g, ''), /[<>|]/);
  }
});

test('a very long word is broken, and escapes stay whole', () => {
  for (const letter of ['x', '&', '\u{1f680}', '漢']) {
    const texts = textsOf(letter.repeat(4_000).replace(/&/g, '\\&'));
    for (const text of texts) {
      assert.ok(text.length <= 3_000 && text.isWellFormed());
      assert.doesNotMatch(text, /&(?!amp;)/);
    }
  }
});

test('each fence of a long code block is closed', () => {
  const texts = textsOf(`\`\`\`\n${'line of code & more <here>\n'.repeat(200)}\`\`\`\n`).slice(1);
  assert.ok(texts.length > 1);
  for (const text of texts) assert.equal(text.match(/```/g)?.length ?? 0, 2 * (text.match(/```\nline/g)?.length ?? 0));
});

test('a message is cut between entries and links to the rest', () => {
  const message = toChatMessage(aNote({ bodyMd: `## Features\n\n${entries(400)}\n` }));
  const last = message.blocks.at(-1)?.text.text ?? '';
  const shown = message.blocks.flatMap(({ text }) => text.text.match(/usual length \d+/g) ?? []);
  assert.equal(
    last,
    `${400 - shown.length} more changes: <https://git.example/lanternhouse/shoebox/compare/v1.0.0...v2.0.0>`,
  );
  const length = message.blocks.reduce((sum, { text }) => sum + text.text.length, 0);
  assert.ok(length <= 11_000 && length > 10_800, String(length));
});

test('a message has at most fifty blocks', () => {
  const body = Array.from({ length: 90 }, (_, at) => `## Part ${at}\n\n- x <!-- rn:pr:${at + 1} -->\n`).join('\n');
  const { blocks } = toChatMessage(aNote({ bodyMd: body }));
  assert.ok(blocks.length <= 50 && blocks.length > 45, String(blocks.length));
});

test('the title fits into a header', () => {
  const { blocks, text } = toChatMessage(aNote({ version: '\u{1f680}'.repeat(200) }));
  const header = blocks[0]?.text.text ?? '';
  assert.ok(header.length <= 150 && header.isWellFormed() && header.endsWith('…'), header);
  assert.ok(text.isWellFormed());
});
