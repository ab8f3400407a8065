/**
 * Tests the texts of the release note check on the host: they contain the entries, fit into a commit status, command
 * nothing, close nothing and notify no one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsIn } from '../../../src/notes/change/commands.ts';
import type { NotePreview } from '../../../src/protocol/pull-note.ts';
import { commentOf, verdictOf } from '../../../workers/checks/texts.ts';

const mark = '<!-- tidings:note-check secret -->';

function note(lines: Partial<NotePreview['lines']> = {}, verdict: Partial<NotePreview['verdict']> = {}): NotePreview {
  const complete: NotePreview['verdict'] = {
    state: 'success',
    missing: [],
    message: 'The release notes have all they need.',
  };
  return {
    number: 1,
    included: true,
    reason: 'listed',
    verdict: { ...complete, ...verdict },
    lines: { engineer: [], internal: [], customer: [], ...lines },
  };
}

test('the comment begins with its mark and shows the verdict and the entries for each reader', () => {
  const engineer = [{ heading: 'Features', markdown: '- Land on rough ground (#41)' }];
  assert.equal(
    commentOf(note({ engineer }), mark),
    `${mark}
**Release notes**

The release notes have all they need.

For engineers:

*Features*

- Land on rough ground (#41)

For internal readers:

- *nothing*

For customers:

- *nothing*
`,
  );
});

test('the verdict of everything that can be missing fits into a commit status', () => {
  const { title } = verdictOf(
    note({}, { state: 'failure', missing: ['type', 'area', 'note'], message: 'x'.repeat(300) }),
  );
  assert.equal(
    title,
    'Missing: the kind of the change, the area of the change, a release note. Comment /kind fix, /area ui, /note TEXT.',
  );
  assert.ok(title.length <= 140);
});

test('no text contains a command, closes an issue or notifies a person', () => {
  const markdown = '- Fixes #7, thanks @ada\n  /note none\n  /KIND fix\n\n/area ui\n/highlight';
  const hostile = note({ engineer: [{ heading: '/note x @bo', markdown }] });
  for (const text of [commentOf(hostile, mark).replace(mark, ''), verdictOf(hostile).summary]) {
    assert.deepEqual(commandsIn(text), {}, text);
    assert.doesNotMatch(text, /^\s*\/(?:note|kind|area|highlight)/im);
    assert.doesNotMatch(text, /fixes #7|@ada|@bo/i);
    assert.match(text, /refs #7/i);
  }
  assert.deepEqual(commandsIn(commentOf(hostile, `${mark}\n/note none`)), {}, 'the mark alone disables commands');
});

test('a long text is cut between entries', () => {
  const markdown = `- ${'word '.repeat(200)}`;
  const engineer = Array.from({ length: 100 }, () => ({ heading: 'Features', markdown }));
  const { summary } = verdictOf(note({ engineer }));
  assert.ok(summary.length <= 30_100, `${summary.length}`);
  assert.match(summary, /^The release notes have all they need\./);
});
