/** Tests the HTML of notes on their pages: anchors of headings, marks, and the text that a search reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf, withAnchors } from '../../../src/pages/note-html.ts';

const anchorsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

test('headings get an anchor and a link with a name', () => {
  const { html } = withAnchors('<h2>Bug <code>Fixes</code> &amp; more</h2>\n<p>Text</p>');
  assert.equal(
    html,
    '<div class="heading"><h2 id="bug-fixes-more">Bug <code>Fixes</code> &amp; more</h2>' +
      '<a class="anchor" href="#bug-fixes-more" aria-label="Link to Bug Fixes &amp; more">#</a></div>\n<p>Text</p>',
  );
});

test('anchors are unique, short and free of markup', () => {
  const names = [
    'Fixed',
    'Fixed 1',
    'Fixed',
    'Fixed',
    '',
    '🚀',
    'Ünïcode',
    '&lt;b&gt; &quot;x&quot; onload=1',
    'word'.repeat(80),
  ];
  const { html } = withAnchors(names.map((name) => `<h3>${name}</h3>`).join('\n'));
  const ids = anchorsOf(html);
  assert.deepEqual(ids.slice(0, 7), ['fixed', 'fixed-1', 'fixed-2', 'fixed-3', 'section', 'section-1', 'ünïcode']);
  assert.equal(new Set(ids).size, names.length);
  for (const id of ids) assert.match(id, /^[\p{L}\p{N}-]{1,70}$/u);
  assert.deepEqual(
    [...html.matchAll(/href="#([^"]*)"/g)].map(([, to]) => to),
    ids,
  );
});

test('the first section of each kind has a mark, in a fixed order', () => {
  const { marks } = withAnchors(
    '<h2>Fixed</h2><p>a</p><h2>🎉 New!</h2><p>b</p><h2>New Contributors</h2><h2>Action required</h2><h2>Bug Fixes</h2>',
  );
  assert.deepEqual(marks, [
    { mark: 'breaking', anchor: 'action-required' },
    { mark: 'new', anchor: 'new' },
    { mark: 'fixed', anchor: 'fixed' },
  ]);
});

test('code and tables can be reached by keyboard', () => {
  assert.equal(
    withAnchors('<pre><code>&lt;pre&gt;</code></pre><table>').html,
    '<pre tabindex="0"><code>&lt;pre&gt;</code></pre><table tabindex="0">',
  );
});

test('a note with very many headings has anchors at the first ones only', () => {
  const { html } = withAnchors('<h2>New</h2>\n'.repeat(20_000));
  assert.equal(anchorsOf(html).length, 500);
  assert.equal(html.match(/<h2/g)?.length, 20_000);
});

test('a heading without an end stays as it is', () => {
  assert.equal(withAnchors('<h2>a<h3>b</h3>').html, '<h2>a<h3>b</h3>');
});

test('the text of a note has no elements and no escapes', () => {
  assert.equal(textOf('<p>a &lt;b&gt; <a href="https://x.test/?a=1&amp;b">c &amp;amp; d</a></p>'), ' a <b> c &amp; d ');
});

test('words of two blocks stay apart, and words with inner elements stay whole', () => {
  assert.deepEqual(
    textOf('<p>Alpha</p><p>Be<strong>t</strong><s>a</s></p><tr><td>c</td><td>d<br>e<a href="htt').split(/ +/),
    ['', 'Alpha', 'Beta', 'c', 'd', 'e', ''],
  );
});

test('the anchor of a very long heading is made from its beginning', () => {
  const { html } = withAnchors(`<h2>${'a '.repeat(450)}<em>b</em>${' '.repeat(2000)}</h2><h2>Next</h2>`);
  assert.deepEqual(anchorsOf(html).slice(1), ['next']);
  const read = withAnchors(`<h2>${'<em></em>'.repeat(200)}late</h2>`);
  assert.deepEqual(anchorsOf(read.html), ['section']);
  assert.match(read.html, /late<\/h2>/);
});

test('a note with very many tables has a bounded number of them in the order of the keyboard', () => {
  assert.equal(withAnchors('<pre></pre>'.repeat(5000)).html.match(/tabindex/g)?.length, 1000);
});
