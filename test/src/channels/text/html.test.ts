/**
 * Tests the conversion of blocks to HTML and to plain text: the output has the content of the Markdown, loads nothing
 * and runs no script.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksToHtml } from '../../../../src/channels/text/html.ts';
import { parseMarkdown } from '../../../../src/channels/text/parse.ts';
import { toPlain } from '../../../../src/channels/text/plain.ts';

const body =
  '## New\n\n- **a** `b<c` [d](https://h.example/?e=f&g="h") <!-- rn:pr:1 -->\n  1. x\n  2. y\n\n> q\n\n| a | b |\n|---|---|\n| 1 | ~~2~~ |\n\n```\n<pre>\n```\n';

test('headings, lists, links, tables and code become HTML', () => {
  assert.equal(
    blocksToHtml(parseMarkdown(body)),
    [
      '<h2>New</h2>',
      '<ul>',
      '<li><strong>a</strong> <code>b&lt;c</code> <a href="https://h.example/?e=f&amp;g=%22h%22" rel="nofollow noopener noreferrer">d</a>',
      '<ol>',
      '<li>x</li>',
      '<li>y</li>',
      '</ol></li>',
      '</ul>',
      '<blockquote>',
      '<p>q</p>',
      '</blockquote>',
      '<table>',
      '<tr><th>a</th><th>b</th></tr>',
      '<tr><td>1</td><td><s>2</s></td></tr>',
      '</table>',
      '<pre><code>&lt;pre&gt;</code></pre>',
    ].join('\n'),
  );
});

test('headings are moved below those of the page', () => {
  assert.equal(blocksToHtml(parseMarkdown('# a\n\n###### b\n'), { headingShift: 2 }), '<h3>a</h3>\n<h6>b</h6>');
});

test('plain text shows addresses after the text of links', () => {
  assert.equal(
    toPlain(parseMarkdown(body)),
    [
      'New',
      '===',
      '',
      '- a b<c d <https://h.example/?e=f&g=%22h%22>',
      '  1. x',
      '  2. y',
      '',
      '> q',
      '',
      'a | b',
      '1 | 2',
      '',
      '    <pre>',
    ].join('\n'),
  );
});
