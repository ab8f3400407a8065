/**
 * Reading Markdown: tables, and what a text of few characters would make of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownTokens } from '../../../src/channels/markdown.ts';

function cells(text: string): number {
  return markdownTokens(text).filter(({ type }) => type === 'td_open' || type === 'th_open').length;
}

/** A table of so many columns whose rows have one cell each. */
function table(columns: number, rows: number, prefix = ''): string {
  const lines = ['|a'.repeat(columns), '|-'.repeat(columns), ...Array.from({ length: rows }, () => 'a')];
  return `${lines.map((line) => prefix + line).join('\n')}\n\n`;
}

test('rows of a table are filled up', () => {
  assert.equal(cells(table(3, 4)), 15);
  assert.equal(cells(table(20, 1_000)), 20_020);
  assert.equal(cells(`- item\n\n  ${table(3, 4, '  ').trimStart()}`), 15);
});

test('a text has no more tokens than in proportion to its length, whatever its tables lack', () => {
  for (const prefix of ['', '> ', '> > ', '  ']) {
    const text = table(250, 250, prefix).repeat(40);
    assert.ok(markdownTokens(text).length < text.length, JSON.stringify(prefix));
  }
});
