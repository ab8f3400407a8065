/**
 * Tests how `tidings repos settings --try` describes a preview, and how colored lines are printed.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { type ColoredLine, printColored } from '../../../src/cli/print.ts';
import { describePreview } from '../../../src/cli/repository-settings.ts';
import type { DraftDifference, RangeDifference } from '../../../src/protocol/settings-preview.ts';

const same = { changed: false, added: 0, removed: 0, diff: '', truncated: false, changedFlags: [] };
const diff = '--- stored/engineer.md\n+++ given/engineer.md\n@@ -1,2 +1,2 @@\n-## Bug Fixes\n+## Mended\n -- a\n';

function aRange(engineer: Partial<DraftDifference> = {}): RangeDifference {
  return {
    ...{ fromTag: 'v1', toTag: 'v2', prCount: 1, issueCount: 2, resolution: 'commits' },
    personas: [
      { persona: 'engineer', ...same, ...engineer },
      { persona: 'internal', ...same },
    ],
  };
}

test('a range has a summary and the diffs of its drafts', () => {
  const changed = { changed: true, added: 1, removed: 1, diff };
  assert.deepEqual(describePreview('acme/rocket', { ranges: [aRange(changed), aRange()] }), [
    { text: 'v1 → v2: 1 pull request, 2 issues; engineer +1 -1, internal no difference', color: 'bold' },
    { text: '--- stored/engineer.md', color: 'bold' },
    { text: '+++ given/engineer.md', color: 'bold' },
    { text: '@@ -1,2 +1,2 @@', color: 'cyan' },
    { text: '-## Bug Fixes', color: 'red' },
    { text: '+## Mended', color: 'green' },
    { text: ' -- a' },
    { text: '' },
    {
      text: 'v1 → v2: 1 pull request, 2 issues; engineer no difference, internal no difference',
      color: 'bold',
    },
    { text: '' },
    { text: 'The drafts of 1 of 2 ranges would differ. Nothing was written.' },
  ]);
});

test('flags that differ and a diff that was cut are mentioned', () => {
  const lines = describePreview('acme/rocket', {
    ranges: [aRange({ changed: true, added: 9, removed: 0, diff, truncated: true, changedFlags: ['highlights'] })],
  }).map(({ text }) => text);
  assert.match(lines[0] ?? '', /engineer \+9 -0 and flags highlights, internal no difference$/);
  assert.ok(lines.includes('The draft for engineer readers has more differences than are shown.'));
});

test('a repository without a range is reported', () => {
  assert.deepEqual(describePreview('acme/rocket', { ranges: [] }), [
    { text: 'acme/rocket has no range to try the settings on. A range needs two tags whose commits are known.' },
  ]);
});

/** Returns the text that is printed for the lines, on a terminal with or without colors. */
function printed(t: TestContext, lines: ColoredLine[], hasColors: boolean | undefined): string {
  let text = '';
  const before = process.stdout.hasColors;
  const write = t.mock.method(process.stdout, 'write', (chunk: string) => {
    text += chunk;
    return true;
  });
  try {
    Object.assign(process.stdout, { hasColors: hasColors === undefined ? undefined : () => hasColors });
    printColored(lines);
  } finally {
    Object.assign(process.stdout, { hasColors: before });
    write.mock.restore();
  }
  return text;
}

test('only a terminal with colors gets colors, and no text can add its own', (t) => {
  const lines: ColoredLine[] = [{ text: '+\u001b[31mred', color: 'green' }, { text: ' plain' }];
  assert.equal(printed(t, lines, true), '\u001b[32m+\\u001b[31mred\u001b[0m\n plain\n');
  for (const none of [false, undefined]) assert.equal(printed(t, lines, none), '+\\u001b[31mred\n plain\n');
});

test('--try refuses a second file, a missing file, bad JSON and bad settings before it connects', async () => {
  const repository = 'acme/rocket';
  await assert.rejects(runCommandLine(['repos', 'settings', repository, 'a.json', '--try', 'b.json']), {
    message:
      '--try writes nothing, so it cannot be used together with the argument a.json. Run: tidings help repos settings',
  });
  await assert.rejects(runCommandLine(['repos', 'settings', repository, '--try', '/none.json']), {
    message: '/none.json cannot be read: the file does not exist. Run: tidings help repos settings',
  });
  await assert.rejects(runCommandLine(['repos', 'settings', repository, '--try']), {
    message: '--try: expected FILE.json|-. Run: tidings help repos settings',
  });
});
