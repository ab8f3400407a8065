/**
 * Tests which source decides the kind of a change. Of several sources that name a kind, the strongest one decides, and
 * `kindBy` names it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClassifyOptions, classify } from '../../../../src/notes/change/classify.ts';
import { noteItems } from '../../../../src/notes/change/note.ts';
import type { KindBy } from '../../../../src/protocol/notes.ts';
import type { PullRecord } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull } from '../memory-source.ts';

type Facts = Partial<PullRecord> & { note?: string; issue?: string; subject?: string; readsVerbs?: boolean };

/** Returns the section of a change, whether it is inside work, and the source that decided. */
function kindOf({ note, issue, subject, readsVerbs, ...fields }: Facts): [string, boolean, KindBy | null] {
  const [item] = noteItems(note === undefined ? undefined : { kind: 'text', parts: [{ label: '', text: note }] });
  const options: ClassifyOptions = {
    ...(item && { note: item }),
    ...(subject !== undefined && { subjects: () => [subject, 'perf: later'] }),
    ...(readsVerbs !== undefined && { readsVerbs }),
  };
  const issues = issue === undefined ? [] : [anIssue(9, { labels: [issue] })];
  const { section, housekeeping, kindBy } = classify(aPull(1, fields), issues, options);
  return [section, housekeeping, kindBy];
}

test('the strongest source decides the kind, and kindBy names it', () => {
  const boxes = '## Type of change\n\n- [x] Documentation\n- [ ] Bug fix\n';
  // Each source names another kind than the next one. The test removes the strongest source in each step.
  const sources: [KindBy, string, Facts][] = [
    ['label', 'feature', { labels: ['type: feature'] }],
    ['advisory', 'security', { note: '[BUGFIX] Fix CVE-2026-12345' }],
    ['note', 'fix', { note: '[BUGFIX] Keep the cursor' }],
    ['prefix', 'performance', { title: 'perf: Add a cache for rows' }],
    ['prefix', 'fix', { title: 'Add a cache for rows', subject: 'fix: a cache for rows' }],
    ['issue', 'performance', { issue: 'type: performance' }],
    ['box', 'documentation', { body: boxes }],
    ['branch', 'fix', { headRef: 'ada/fix/rows' }],
    ['verb', 'feature', {}],
  ];
  for (const [index, [kindBy, section]] of sources.entries()) {
    const weaker = sources.slice(index).map(([, , facts]) => facts);
    const facts: Facts = Object.assign({ title: 'Add a cache for rows' }, ...weaker.reverse());
    assert.deepEqual(kindOf(facts), [section, false, kindBy], JSON.stringify(facts));
  }
});

test('without any source, a change has no kind', () => {
  assert.deepEqual(kindOf({ title: 'Use a pool for rows' }), ['other', false, null]);
  assert.deepEqual(kindOf({ title: 'Add a cache for rows', readsVerbs: false }), ['other', false, null]);
  assert.deepEqual(kindOf({ title: 'fix: x', readsVerbs: false }), ['fix', false, 'prefix'], 'only verbs are off');
});

test('a label for inside work or updates is weaker than a prefix with a kind', () => {
  assert.deepEqual(kindOf({ title: 'Add a cache for rows', labels: ['chore'] }), ['other', true, 'label']);
  assert.deepEqual(kindOf({ title: 'fix: x', labels: ['chore'] }), ['fix', false, 'prefix']);
  assert.deepEqual(kindOf({ title: 'fix: x', labels: ['chore', 'bug'] }), ['fix', false, 'label']);
  assert.deepEqual(kindOf({ title: 'x', labels: ['chore'], issue: 'bug' }), ['other', true, 'label']);
});

test('a scope for tests or documentation outweighs the type of the prefix', () => {
  assert.deepEqual(kindOf({ title: 'fix(test): wait longer' }), ['other', true, 'prefix']);
  assert.deepEqual(kindOf({ title: 'feat(ci): run it twice' }), ['other', true, 'prefix']);
  assert.deepEqual(kindOf({ title: 'fix(tests/e2e): wait longer' }), ['other', true, 'prefix']);
  assert.deepEqual(kindOf({ title: 'fix(docs): typo' }), ['documentation', false, 'prefix']);
  assert.deepEqual(kindOf({ title: 'test, docs: add a case' }), ['other', true, 'prefix']);
  assert.deepEqual(kindOf({ title: 'fix(test, api): wait longer' }), ['fix', false, 'prefix'], 'also another area');
  assert.deepEqual(kindOf({ title: 'fix(test): x', labels: ['bug'] }), ['fix', false, 'label'], 'a label is stronger');
});

test('the first squashed commit counts only if its subject has a prefix', () => {
  assert.deepEqual(kindOf({ title: 'Rows', subject: 'feat: rows' }), ['feature', false, 'prefix']);
  assert.deepEqual(kindOf({ title: 'Rows', subject: 'chore: rows' }), ['other', true, 'prefix']);
  const tested = { title: 'Speed up all rows', subject: 'test: rows' };
  assert.deepEqual(kindOf(tested), ['performance', false, 'prefix'], 'a later commit has the kind of the title');
  assert.deepEqual(kindOf({ title: 'Rows', subject: 'Add more rows to it' }), ['other', false, null]);
  assert.deepEqual(kindOf({ title: 'docs: rows', subject: 'feat: rows' }), ['documentation', false, 'prefix']);
});

test('reads the first part of a branch, also after the name of its owner', () => {
  const branches: [string, string, boolean, KindBy | null][] = [
    ['fix/rows', 'fix', false, 'branch'],
    ['bugs/rows', 'fix', false, 'branch'],
    ['hotfix/rows', 'fix', false, 'branch'],
    ['Feature/rows', 'feature', false, 'branch'],
    ['features/rows', 'feature', false, 'branch'],
    ['enhancement/rows', 'feature', false, 'branch'],
    ['ada/feat/rows', 'feature', false, 'branch'],
    ['perf/rows', 'performance', false, 'branch'],
    ['security/rows', 'security', false, 'branch'],
    ['doc/rows', 'documentation', false, 'branch'],
    ['chore/rows', 'other', true, 'branch'],
    ['refactor/rows', 'other', true, 'branch'],
    ['fix-rows', 'other', false, null],
    ['rows/fix', 'other', false, null],
    ['prefix/rows', 'other', false, null],
    ['a/b/fix/rows', 'other', false, null],
    ['release/fix-1', 'other', false, null],
  ];
  for (const [headRef, section, isInside, by] of branches)
    assert.deepEqual(kindOf({ title: 'Rows', headRef }), [section, isInside, by], headRef);
});

test('labels of linked issues count before boxes, and only if they name a kind', () => {
  const body = '## Type of change\n\n- [x] New feature\n- [ ] Bug fix';
  assert.deepEqual(kindOf({ title: 'Rows', issue: 'bug', body }), ['fix', false, 'issue']);
  assert.deepEqual(kindOf({ title: 'Rows', issue: 'chore', body }), ['feature', false, 'box']);
  assert.deepEqual(kindOf({ title: 'Rows', issue: 'stale' }), ['other', false, null]);
});

test('a box can mark a change as breaking or as inside work', () => {
  const boxes = (...ticked: string[]): string =>
    `### Type of change\n\n${ticked.map((text) => `- [x] ${text}`).join('\n')}\n- [ ] Other`;
  const breaking = classify(aPull(1, { title: 'Rows', body: boxes('Bug fix', 'Breaking change') }), []);
  assert.deepEqual([breaking.section, breaking.besides, breaking.kindBy], ['breaking', 'fix', 'box']);
  assert.deepEqual(kindOf({ title: 'Rows', body: boxes('Refactoring') }), ['other', true, 'box']);
  assert.deepEqual(kindOf({ title: 'Rows', body: boxes('Tests', 'Bug fix') }), ['fix', false, 'box']);
});

test('the id of a security problem moves an update into Security, also one of a bot', () => {
  const bot = { author: { login: 'dependabot[bot]', bot: true } };
  assert.deepEqual(kindOf({ title: 'Bump a from 1 to 2 to fix CVE-2026-12345', ...bot }), [
    'security',
    false,
    'advisory',
  ]);
  assert.deepEqual(kindOf({ title: 'Bump a from 1 to 2', ...bot, body: '# CVE-2026-12345' })[0], 'dependency');
  assert.deepEqual(kindOf({ title: 'Rows', body: '## Security fix\n\nx' }), ['security', false, 'advisory']);
  assert.deepEqual(kindOf({ title: 'Rows', body: 'See CVE-2026-12345' }), ['other', false, null], 'only mentions it');
});

test('inside work and documentation about security is not a security fix', () => {
  for (const title of [
    'docs: explain CVE-2026-12345',
    'docs(security): vulnerability reports',
    'ci: Fix security scan',
    'Ignore CVE-2026-12345',
    'Add a test for CVE-2026-12345',
    'Update README for CVE-2026-12345',
  ])
    assert.notEqual(kindOf({ title })[0], 'security', title);
  assert.equal(kindOf({ title: 'docs: explain it', note: 'Fix CVE-2026-12345' })[0], 'security', 'the note says so');
  assert.equal(kindOf({ title: 'Ignore CVE-2026-12345', labels: ['security'] })[0], 'security', 'a label says so');
});

test('a leading phrase such as "remove" is reported and never decides the kind', () => {
  const of = (title: string, labels: string[] = []): [string, boolean] => {
    const { section, mayBreak } = classify(aPull(1, { title, labels }), []);
    return [section, mayBreak];
  };
  assert.deepEqual(of('Remove the flag --old'), ['other', true]);
  assert.deepEqual(of('api: drop the second format'), ['other', true]);
  assert.deepEqual(of('feat: change the default port'), ['feature', true]);
  assert.deepEqual(of('Remove the flag --old', ['bug']), ['fix', true]);
  assert.deepEqual(of('feat!: remove the flag --old'), ['breaking', false], 'it is marked as breaking');
  assert.deepEqual(of('chore: remove the old script'), ['other', false], 'inside work breaks nothing');
  assert.deepEqual(of('Dropdown is hidden'), ['other', false]);
});
