/**
 * Tests the Markdown parser: short texts must not become huge tables or take much time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import MarkdownIt from 'markdown-it';
import { markdownTokens } from '../../../src/foundation/markdown.ts';
import { processorMs } from '../../helpers/processor-time.ts';

function cells(text: string): number {
  return markdownTokens(text).filter(({ type }) => type === 'td_open' || type === 'th_open').length;
}

/** Returns the Markdown of a table with `columns` columns whose rows have only one cell each. */
function table(columns: number, rows: number, prefix = ''): string {
  const lines = ['|a'.repeat(columns), '|-'.repeat(columns), ...Array.from({ length: rows }, () => 'a')];
  return `${lines.map((line) => prefix + line).join('\n')}\n\n`;
}

test('the rows of a table are filled up with empty cells', () => {
  assert.equal(cells(table(3, 4)), 15);
  assert.equal(cells(table(20, 1_000)), 20_020);
  assert.equal(cells(`- item\n\n  ${table(3, 4, '  ').trimStart()}`), 15);
});

test('the number of tokens is proportional to the length of the text, for tables with many missing cells too', () => {
  for (const prefix of ['', '> ', '> > ', '  ']) {
    const text = table(250, 250, prefix).repeat(40);
    assert.ok(markdownTokens(text).length < text.length, JSON.stringify(prefix));
  }
});

/** Returns two links inside `count` pairs of brackets. */
function inBrackets(count: number): string {
  return `${'['.repeat(count)}[a](https://a.example)[b]${']'.repeat(count)}\n\n[b]: https://b.example`;
}

test('links inside nested brackets are found', () => {
  for (const count of [0, 15, 50, 500])
    assert.equal(JSON.stringify(markdownTokens(inBrackets(count))).split('"link_open"').length - 1, 2);
});

test('a text of brackets takes less than half of the time that the library needs', () => {
  const text = '!['.repeat(100_000);
  const usual = new MarkdownIt({ html: true });
  const msOf = (read: (text: string) => unknown) => Math.min(...[1, 2, 3].map(() => processorMs(() => read(text))));
  const [ours, theirs] = [msOf(markdownTokens), msOf((each) => usual.parse(each, {}))];
  assert.ok(ours < theirs / 2, `${ours} ms of ${theirs} ms`);
});

test('blocks are read to a greater depth than brackets', () => {
  const text = markdownTokens(`${'> '.repeat(60)}*deep*`).flatMap(({ children }) => children ?? []);
  assert.deepEqual(
    text.filter(({ type }) => type === 'text' || type === 'em_open').map(({ type, content }) => [type, content]),
    [
      ['em_open', ''],
      ['text', 'deep'],
    ],
  );
});
