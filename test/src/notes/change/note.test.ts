/** Tests the statements of a release note: their kinds, their areas, and which lines belong together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseNote } from '../../../../src/notes/change/body.ts';
import { type NoteItem, noteItems } from '../../../../src/notes/change/note.ts';

/** Returns the statements of a release note as texts of the form `KIND AREAS: TEXT`. */
function statements(text: string, label = ''): string[] {
  return noteItems({ kind: 'text', parts: [{ label, text }] }).map(shown);
}

function shown({ type, breaking, housekeeping, areas, markdown }: NoteItem): string {
  const kinds = [type ?? '-', ...(breaking ? ['breaking'] : []), ...(housekeeping ? ['inside'] : [])];
  return `${[...kinds, ...areas].join(' ')}: ${markdown}`;
}

test('a line can begin with a kind and an area, as a title can', () => {
  const lines: [string, string][] = [
    ['[BUGFIX] tsdb: Fix a crash', 'fix tsdb: Fix a crash'],
    ['[ENHANCEMENT] UI: Sort rows', 'feature UI: Sort rows'],
    ['[PERF] Read less', 'performance: Read less'],
    ['[SECURITY] Close a hole', 'security: Close a hole'],
    ['fix(api): no crash', 'fix api: No crash'],
    ['feat!: drop it', 'feature breaking: Drop it'],
    ['✨ Add a thing', 'feature: Add a thing'],
    ['* [FEATURE] Add a thing', 'feature: Add a thing'],
    ['1. fix: add a thing', 'fix: Add a thing'],
    ['chore: add a thing', '- inside: Add a thing'],
    ['[CHANGE] Move the file', '-: Move the file'],
  ];
  for (const [line, statement] of lines) assert.deepEqual(statements(line), [statement], line);
});

test('other lines stay as they are', () => {
  for (const line of [
    'Faster start',
    '[link](https://x.example) is new',
    '`fix: x` works',
    'Note: restart it',
    '- [ ] box',
    '[1.2] is the last',
    'https://x.example',
  ])
    assert.deepEqual(statements(line), [`-: ${line}`], line);
});

test('the word after release-note: names the kind, unless the line names one', () => {
  const labels: Record<string, string> = {
    bug: 'fix',
    enhancement: 'feature',
    improvement: 'feature',
    'new-resource': 'feature',
    'new-data-source': 'feature',
    'new-guide': 'documentation',
    'breaking-change': '- breaking',
    security: 'security',
    internal: '- inside',
    deprecation: '-',
    note: '-',
    BUG: 'fix',
  };
  for (const [label, kind] of Object.entries(labels))
    assert.deepEqual(statements('Faster', label), [`${kind}: Faster`], label);
  assert.deepEqual(statements('[SECURITY] Faster', 'bug'), ['security: Faster']);
});

test('several lines with kinds are several statements, with the lines that continue them', () => {
  assert.deepEqual(statements('* [BUGFIX] a: Keep rows\n* [FEATURE] b: Sort rows\n  and columns\n\n  by name'), [
    'fix a: Keep rows',
    'feature b: Sort rows\n  and columns\n\n  by name',
  ]);
  assert.deepEqual(statements('Changes:\n\n- fix: a thing\n- [CHANGE] Move it'), ['fix: A thing', '-: Move it']);
  assert.deepEqual(statements('[BUGFIX] Keep rows\nMore words\n- a list'), ['fix: Keep rows\nMore words\n- a list']);
});

test('a note that does not begin with a kind stays as it is written', () => {
  for (const text of [
    'Pipelines can be configured:\n\n```yaml\nbuild: make\ntest: make test\n```',
    'The config has a new key:\n~~~~\n```\nstyle: dark\n~~~\nbuild: x\n~~~~',
    '```yaml\nbuild: make\ntest: make test\n```',
    '- ```\n  build: make\n  test: make test\n  ```',
    'The config has new keys:\n\n    build: make\n    test: make test',
    'The settings have new tabs.\n\n- Security: shows all sessions\n- Performance: shows slow pages',
    'The settings have new tabs:\n- Security: shows all sessions',
  ])
    assert.deepEqual(statements(text), [`-: ${text}`], text);
  assert.deepEqual(statements('Rows have ids\n- feat!: drop names'), [
    '- breaking: Rows have ids\n- feat!: drop names',
  ]);
  assert.deepEqual(statements('Rows have ids\n```\nfeat!: drop names\n```'), [
    '-: Rows have ids\n```\nfeat!: drop names\n```',
  ]);
});

test('no kind in brackets stays, whatever the first line is', () => {
  assert.deepEqual(statements('Keep rows\n- [BUGFIX] keep columns'), ['-: Keep rows\n- Keep columns']);
  const two = 'This release is about rows.\n\n- [BUGFIX] Keep rows\n- [FEATURE] Sort rows';
  assert.deepEqual(statements(two), ['fix: Keep rows', 'feature: Sort rows']);
  assert.deepEqual(statements('Keep rows\n- [ui] is a name'), ['-: Keep rows\n- [ui] is a name']);
});

test('code below a line with a kind stays as it is written', () => {
  const code = '\n```yaml\nbuild: make\n    test: x\n```\n\n    style: dark\n\ttest: y';
  assert.deepEqual(statements(`feat: add pipelines${code}\n- fix: rows`), [
    `feature: Add pipelines${code}`,
    'fix: Rows',
  ]);
  assert.deepEqual(statements('Changes:\n- fix: rows'), ['fix: Rows']);
});

test('several blocks are several statements if their labels name kinds', () => {
  const body = '```release-note:bug\nKeep rows\n```\n\n```release-note:feature\nSort rows\n```\n';
  assert.deepEqual(noteItems(releaseNote(body)).map(shown), ['fix: Keep rows', 'feature: Sort rows']);
  const plain = '```release-note\nKeep rows\n```\n\n```release-note\nSort rows\n```\n';
  assert.deepEqual(noteItems(releaseNote(plain)).map(shown), ['-: Keep rows\n\nSort rows']);
  const mixed = `${plain}\n${body}`;
  assert.deepEqual(noteItems(releaseNote(mixed)).map(shown), [
    '-: Keep rows\n\nSort rows',
    'fix: Keep rows',
    'feature: Sort rows',
  ]);
});

test('ACTION REQUIRED marks a breaking change, and the signs of the next word stay', () => {
  const calls: [string, string][] = [
    ['ACTION REQUIRED: move it', '- breaking: move it'],
    ['**Action required**: move it', '- breaking: move it'],
    ['**Action required:** move it', '- breaking: move it'],
    ['[ACTION REQUIRED] move it', '- breaking: move it'],
    ['⚠️ action required - move it', '- breaking: move it'],
    ['Action required\n\nMove it', '- breaking: Move it'],
    ['ACTION REQUIRED: `a b` is gone', '- breaking: `a b` is gone'],
    ['ACTION REQUIRED: --old is gone', '- breaking: --old is gone'],
    ['ACTION REQUIRED: .env is gone', '- breaking: .env is gone'],
    ['ACTION REQUIRED: [BUGFIX] api: Move it', 'fix breaking api: Move it'],
    ['[BUGFIX] ACTION REQUIRED: move it', 'fix breaking: move it'],
    ['No action required: it is safe', '-: No action required: it is safe'],
    ['Action requirements are listed', '-: Action requirements are listed'],
  ];
  for (const [line, statement] of calls) assert.deepEqual(statements(line), [statement], line);
  assert.deepEqual(statements('ACTION REQUIRED: move it', 'bug'), ['fix breaking: move it']);
});

test('a note that says that there is nothing to note has no statement', () => {
  assert.deepEqual(noteItems(undefined), []);
  assert.deepEqual(noteItems({ kind: 'none' }), []);
  assert.deepEqual(noteItems(releaseNote('```release-note\nNONE\n```')), []);
});

test('a note has at most 50 statements', () => {
  assert.equal(statements('[BUGFIX] Keep rows\n'.repeat(60)).length, 50);
});
