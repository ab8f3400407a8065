/** Tests how drafts look on a terminal, with and without color. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { renderMarkdown, terminalStyle } from '../../demo/terminal/markdown.ts';
import { textWidth } from '../../demo/terminal/spans.ts';
import { processorMs } from '../helpers/processor-time.ts';

const plain = { width: 60, color: false };
const colored = { width: 60, color: true };

test('shows headings, emphasis, code and links without color', () => {
  const text = '## Features\n\nAdd **bold**, *soft* and `code` ([guide](https://git.example/guide))';
  assert.equal(
    renderMarkdown(text, { width: 80, color: false }),
    'Features\n\nAdd bold, soft and code (guide (https://git.example/guide))\n',
  );
});

test('leaves out the addresses of numbers and handles', () => {
  const text = 'Add it ([#12](https://git.example/pull/12)) by [@ada](https://git.example/ada)';
  assert.equal(renderMarkdown(text, { width: 80, color: false }), 'Add it (#12) by @ada\n');
});

test('shows bold text and dims addresses of links', () => {
  const text = renderMarkdown('**now** [here](https://a.example)', colored);
  assert.equal(text, '\x1b[1mnow\x1b[0m \x1b[34mhere\x1b[0m \x1b[2m(https://a.example)\x1b[0m\n');
});

test('shows the same words with and without color', () => {
  const text = '# T\n\n- **area:** a *b* `c`\n> quote\n\n---\n\n```\ncode\n```\n';
  assert.equal(stripVTControlCharacters(renderMarkdown(text, colored)), renderMarkdown(text, plain));
});

test('wraps list items under their first word', () => {
  const text = renderMarkdown(`- ${'word '.repeat(20)}\n  - inner item\n1. first`, plain);
  assert.deepEqual(text.trimEnd().split('\n'), [
    `  • ${Array(11).fill('word').join(' ')}`,
    `    ${Array(9).fill('word').join(' ')}`,
    '    ◦ inner item',
    '  1. first',
  ]);
});

test('keeps every wrapped line within the width', () => {
  const text = `> ${'alpha beta **gamma delta** '.repeat(30)}\n\n- ${'wide 写真 '.repeat(40)}`;
  for (const line of renderMarkdown(text, plain).split('\n')) assert.ok(textWidth(line) <= 60, line);
});

test('drops comments but keeps those in code', () => {
  const text = '<!-- rn:pr:1 -->\n- Add it, @<!-- -->someone <!-- two\nlines --> end\n\n```\n<!-- kept -->\n```';
  assert.equal(renderMarkdown(text, plain), '  • Add it, @someone end\n\n    <!-- kept -->\n');
});

test('keeps a list together across lines that contain only a comment', () => {
  assert.equal(renderMarkdown('- a\n<!-- x -->\n- b', plain), '  • a\n  • b\n');
});

test('shows the content of details under their summary', () => {
  const text = '<details><summary>3 <b>updates</b></summary>\n\n- one\n\n</details>\n\nafter';
  assert.equal(renderMarkdown(text, plain), '▾ 3 updates\n\n    • one\n\nafter\n');
});

test('shows quotes next to a bar', () => {
  assert.equal(renderMarkdown('> Run `x`\n> twice.', plain), '│ Run x twice.\n');
});

test('leaves code in fences as it is written', () => {
  assert.equal(renderMarkdown('```toml\na = "*b*"\n\n  c = 1\n```', plain), '    a = "*b*"\n\n      c = 1\n');
});

test('shows escaped characters without their backslash', () => {
  assert.equal(
    renderMarkdown('\\*not soft\\* snake_case_name 2 * 3 &lt;b&gt; &#35;1', plain),
    '*not soft* snake_case_name 2 * 3 <b> #1\n',
  );
});

test('removes escape sequences from titles', () => {
  const text = renderMarkdown('a\x1b]0;owned\x07b\x9b31m &#27;[2J \u202edrawkcab', colored);
  assert.equal(text, 'a]0;ownedb31m [2J drawkcab\n');
});

test('hostile lines take little time', () => {
  const render = (piece: string) => renderMarkdown(piece.repeat(60_000 / piece.length), plain);
  for (const piece of ['[', '`', '*', '<details ', '<!--', '![a](', '_a', '&', '<', '> ', '- ']) {
    assert.ok(processorMs(() => render(piece)) < 1500, piece);
  }
});

test('the stream and NO_COLOR decide about color', () => {
  const terminal = { isTTY: true, columns: 72 };
  assert.deepEqual(terminalStyle(terminal, {}), { width: 72, color: true });
  assert.equal(terminalStyle(terminal, { NO_COLOR: '1' }).color, false);
  assert.deepEqual(terminalStyle({}, {}), { width: 80, color: false });
});
