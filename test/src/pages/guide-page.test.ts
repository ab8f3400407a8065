/**
 * Tests the guide page: every section has an anchor and a line in the table of contents, every link has a target, and
 * the page loads nothing from another server.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { guidePage } from '../../../src/pages/guide-page.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const text = readFileSync(`${root}docs/api.md`, 'utf8');
const page = guidePage(text, 'v1');
const all = (html: string, pattern: RegExp): string[] => [...html.matchAll(pattern)].map((match) => match[1] as string);

test('the contents list every section, in the order of the guide', () => {
  const [, contents = ''] = /<nav class="contents"[^>]*>([\s\S]*?)<\/nav>/.exec(page) ?? [];
  const listed = all(contents, /href="#([^"]+)"/g);
  const sections = all(page, /<h[23] id="([^"]+)">/g);
  assert.ok(sections.length > 20, `${sections.length} sections`);
  assert.deepEqual(listed, sections);
  assert.equal(contents.split('<ul>').length, contents.split('</ul>').length);
  assert.equal(contents.split('<li>').length, contents.split('</li>').length);
});

test('links inside the guide lead to sections, and links to other files become plain text', () => {
  const ids = new Set(all(page, / id="([^"]+)"/g));
  const hrefs = all(page.slice(page.indexOf('<main>')), /<a [^>]*href="([^"]+)"/g);
  const [inner, outer] = [hrefs.filter((href) => href.startsWith('#')), hrefs.filter((href) => !href.startsWith('#'))];
  assert.deepEqual(
    inner.filter((href) => !ids.has(href.slice(1))),
    [],
  );
  assert.deepEqual(
    outer.filter((href) => !/^https?:\/\//.test(href)),
    [],
  );
  assert.equal(all(page, / id="([^"]+)"/g).length, ids.size, 'each anchor exists once');
  const plain = guidePage('# T\n\n## S\n\nSee [the tiers](operations.md#tiers) and [a](#s).\n', 'v1');
  assert.ok(plain.includes('See the tiers and <a href="#s">a</a>.'), plain);
});

test('markup in the text is escaped, and the page has no inline style or script', () => {
  const shown = guidePage('# T\n\n## <i>S</i>\n\n| a |\n|--:|\n| <script>1</script> |\n\n```\n<b>\n```\n', 'v1');
  assert.doesNotMatch(shown, /<i>|<script|<b>|style=/);
  assert.ok(shown.includes('&lt;script&gt;1&lt;/script&gt;'));
  assert.doesNotMatch(page, /<script| style=| on\w+=/);
});

test('the npm package contains the guide', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = JSON.parse(packed)[0].files.map(({ path }: { path: string }) => path);
  assert.ok(files.includes('docs/api.md'));
});
