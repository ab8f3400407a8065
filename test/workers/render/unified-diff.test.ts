/**
 * Tests unified diffs of drafts: applying a diff to the old text gives the new text, and time and size are bounded.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch, parsePatch } from 'diff';
import fc from 'fast-check';
import { firstLines, unifiedDiff } from '../../../workers/render/unified-diff.ts';

const diffOf = (before: string, after: string) =>
  unifiedDiff({ name: 'stored/engineer.md', text: before }, { name: 'given/engineer.md', text: after });
/** Returns a draft of `count` entries. `mark` gives the text that is added to an entry. */
const draft = (count: number, mark: (i: number) => string = () => '') =>
  `## Features\n\n${Array.from({ length: count }, (_, i) => `- Change ${i}${mark(i)}, as long as usual <!-- rn:pr:${i} -->\n`).join('')}`;

test('equal texts have an empty diff', () => {
  assert.deepEqual(diffOf('a\n', 'a\n'), { added: 0, removed: 0, diff: '', truncated: false });
  assert.deepEqual(diffOf('', ''), { added: 0, removed: 0, diff: '', truncated: false });
});

test('a diff has file names, hunks and counts', () => {
  const { diff, ...rest } = diffOf('# A\n\n- one\n- two\n', '# B\n\n- one\n- two\n- three\n');
  assert.deepEqual(rest, { added: 2, removed: 1, truncated: false });
  assert.equal(
    diff,
    '--- stored/engineer.md\n+++ given/engineer.md\n@@ -1,4 +1,5 @@\n-# A\n+# B\n \n - one\n - two\n+- three\n',
  );
});

test('applying a diff to the old text gives the new text', () => {
  const line = fc.constantFrom(
    '',
    '- a',
    '- b',
    '--- stored/x',
    '+++ given/x',
    '@@ -1 +1 @@',
    '\\ No newline',
    '+',
    '-',
  );
  const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, ends]) => {
    return lines.join('\n') + (ends ? '\n' : '');
  });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff, truncated, added, removed } = diffOf(before, after);
      assert.equal(truncated, false);
      if (before !== after) assert.equal(applyPatch(before, diff), after);
      else assert.deepEqual([diff, added, removed], ['', 0, 0]);
    }),
    { numRuns: 2_000 },
  );
});

test('lines that only one draft has cost little time, and the diff is exact', () => {
  const after = draft(5_000, (i) => (i % 40 ? '' : '!'));
  const { added, removed, truncated, diff } = diffOf(draft(5_000), after);
  assert.deepEqual([added, removed, truncated], [125, 125, false]);
  assert.equal(parsePatch(diff)[0]?.hunks.length, 125);
  assert.equal(applyPatch(draft(5_000), diff), after);
});

test('a diff that is too large is cut and stays a valid diff', () => {
  const before = draft(5_000);
  const { added, removed, truncated, diff } = diffOf(
    before,
    draft(5_000, () => '!'),
  );
  assert.deepEqual([added, removed, truncated], [5_000, 5_000, true]);
  assert.ok(Buffer.byteLength(diff) <= 128 * 1024 + 200);
  const [patch] = parsePatch(diff);
  const lines = patch?.hunks.flatMap((hunk) => hunk.lines) ?? [];
  assert.ok(lines.length > 500);
  for (const line of lines.filter((each) => each.startsWith('-'))) assert.ok(before.includes(`${line.slice(1)}\n`));
});

test('many moved lines take a bounded time, and the diff stays correct', () => {
  const lines = draft(900).split(/(?<=\n)/);
  const few = [...lines.slice(400), ...lines.slice(0, 400)].join('');
  const moved = diffOf(lines.join(''), few);
  assert.deepEqual([moved.added, moved.removed, moved.truncated], [400, 400, false]);
  assert.equal(applyPatch(lines.join(''), moved.diff), few);
  const turned = [...lines].reverse().join('');
  const all = diffOf(lines.join(''), turned);
  assert.equal(applyPatch(lines.join(''), all.diff), turned);
  const large = draft(5_000);
  const started = performance.now();
  diffOf(
    large,
    large
      .split(/(?<=\n)/)
      .reverse()
      .join(''),
  );
  // The complete comparison takes 3,400 ms.
  assert.ok(performance.now() - started < 2_000);
});

test('long lines are cut at the end of a line, and a line that is too long is left out', () => {
  const long = (sign: string) => `${sign.repeat(20_000)}\n`;
  const { truncated, diff, added } = diffOf(long('a').repeat(8), long('b').repeat(8));
  assert.deepEqual([truncated, added], [true, 8]);
  assert.ok(Buffer.byteLength(diff) < 129 * 1024);
  assert.equal(parsePatch(diff).length, 1);
  const one = diffOf('a'.repeat(200_000), 'b'.repeat(200_000));
  assert.deepEqual([one.added, one.removed, one.truncated], [1, 1, true]);
  assert.ok(one.diff.length < 200);
});

test('the first lines of a text are whole lines, and a small text is returned as it is', () => {
  const line = `${'ä'.repeat(20_000)}\n`;
  assert.equal(firstLines(line.repeat(8)), line.repeat(3));
  assert.equal(firstLines('a'.repeat(200_000)), '');
  for (const text of ['', 'a', 'a\n', 'a\nb']) assert.equal(firstLines(text), text);
});
