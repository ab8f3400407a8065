/**
 * Tests the parsing of a draft's Markdown into blocks. Markers identify changes and are removed, escapes are undone,
 * and raw HTML stays text.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, Inline, List } from '../../../../src/channels/text/document.ts';
import { parseMarkdown } from '../../../../src/channels/text/parse.ts';

const words = (text: string): Inline => ({ kind: 'text', text });

/** Returns the only paragraph of a text. */
function line(markdown: string): Inline[] {
  const [block, ...rest] = parseMarkdown(markdown);
  assert.equal(rest.length, 0, markdown);
  assert.equal(block?.kind, 'paragraph', markdown);
  return (block as Extract<Block, { kind: 'paragraph' }>).content;
}

test('markers are dropped, and items with a marker are changes', () => {
  const [list] = parseMarkdown('- One <!-- rn:pr:1 -->\n- Two\n  - inner <!-- rn:issue:2 -->\n- Three\n') as [List];
  assert.deepEqual(
    list.items.map(({ isChange }) => isChange),
    [true, true, false],
  );
  assert.deepEqual(list.items[0]?.blocks, [{ kind: 'paragraph', content: [words('One')] }]);
  assert.doesNotMatch(JSON.stringify(list), /rn:|<!--/);
});

test('text that a merge kept in a comment is dropped', () => {
  const body = 'Mine.\n\n<!-- rn:new\n- New words\n\n- More\n-->\n\n- Kept <!-- rn:pr:3 -->\n';
  assert.doesNotMatch(JSON.stringify(parseMarkdown(body)), /New words|More|--/);
  assert.equal(parseMarkdown(body).length, 2);
});

test('a comment in code stays', () => {
  assert.deepEqual(line('Write `<!-- rn:pr:1 -->` there'), [
    words('Write '),
    { kind: 'code', text: '<!-- rn:pr:1 -->' },
    words(' there'),
  ]);
});

test('the two parts of a disabled mention are joined', () => {
  assert.deepEqual(line('Ask @<!-- -->here now'), [words('Ask @here now')]);
});

test('escapes of titles are undone', () => {
  const title = 'A \\*b\\* \\_c\\_ \\[d\\](e) \\<f\\> \\`g \\#1 \\\\h 1\\. \\&lt;';
  assert.deepEqual(line(title), [words('A *b* _c_ [d](e) <f> `g #1 \\h 1. &lt;')]);
});

test('other raw HTML becomes text', () => {
  assert.deepEqual(line('a <b onclick=x>b</b>'), [words('a <b onclick=x>b</b>')]);
  assert.deepEqual(line('<div>\nboo\n</div>'), [words('<div> boo </div>')]);
});

test('summaries of collapsed parts become lines', () => {
  const blocks = parseMarkdown('<details>\n<summary>3 changes shipped in v1\\_0</summary>\n\n- a\n\n</details>\n');
  assert.deepEqual(blocks[0], {
    kind: 'paragraph',
    content: [{ kind: 'strong', content: [words('3 changes shipped in v1_0')] }],
  });
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['paragraph', 'list'],
  );
});

test('only web and mail addresses become links', () => {
  const targets = (markdown: string): string[] =>
    line(markdown).flatMap((piece) => (piece.kind === 'link' ? [piece.href] : []));
  assert.deepEqual(targets('[x](https://a.example/b?c=d&e=f) [y](mailto:a@b.example)'), [
    'https://a.example/b?c=d&e=f',
    'mailto:a@b.example',
  ]);
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    '/relative',
    '#',
    'file:///etc/passwd',
    'vbscript:x',
  ]) {
    assert.deepEqual(targets(`[x](${address})`), [], address);
  }
  assert.deepEqual(targets(`[x](https://a.example/${'y'.repeat(3_000)})`), []);
  assert.deepEqual(targets('![shot](https://a.example/x.png)'), []);
});

test('tables, quotations, code and numbered lists are read', () => {
  const blocks = parseMarkdown('| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n\n```sh\nx\n y\n```\n\n3. c\n4. d\n\n---\n');
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['table', 'quote', 'code', 'list', 'rule'],
  );
  assert.deepEqual(blocks[2], { kind: 'code', text: 'x\n y' });
  assert.equal((blocks[3] as List).start, 3);
});
