/**
 * Tests drafts with commands in comments: the commands outweigh labels, titles and bodies, and their text is treated
 * like every other release note.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose, composeAll } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import type { Association, CommentRecord, PullRecord } from '../../../../src/protocol/stored.ts';
import { aPull, type Memory, memorySource } from '../memory-source.ts';

const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 } as const;
const personas = ['engineer', 'internal', 'customer'] as const;

function aComment(number: number, body: string, association: Association = 'MEMBER'): CommentRecord {
  const author = { login: 'ada', bot: false };
  const rest = { state: null, createdAt: 1, updatedAt: 1, deleted: false, rank: 1, association };
  return { kind: 'discussion', id: '1', number, author, body, ...rest };
}

function sourceOf(pulls: PullRecord[], commandComments: CommentRecord[], memory: Memory = {}) {
  return memorySource({ pulls, commandComments, ...memory });
}

/** Returns the explained change of the only pull request of a source. */
function only(pull: Partial<PullRecord>, command: string, association?: Association) {
  const source = sourceOf([aPull(1, pull)], [aComment(1, command, association)]);
  const [change] = explain(source, bounds).changes;
  return { source, change: change ?? assert.fail('the pull request is examined') };
}

test('the kind of a command outweighs all other sources', () => {
  const labels = ['type: feature'];
  for (const [kind, section] of [
    ['fix', 'fix'],
    ['security', 'security'],
    ['performance', 'performance'],
    ['docs', 'documentation'],
    ['breaking', 'breaking'],
    ['dependency', 'dependencies'],
    ['internal', 'other'],
  ] as const) {
    const { change } = only({ title: 'feat!: Add search', labels }, `/kind ${kind}`);
    assert.deepEqual([change.included, change.section], [true, section], kind);
    assert.equal(change.kindBy, kind === 'dependency' ? undefined : 'command', kind);
    assert.equal(change.mayBreak, undefined);
  }
  for (const title of ['chore(main): release 1.2.3', 'Merge branch main into next', 'Bump left-pad from 1 to 2'])
    assert.deepEqual(only({ title }, '/kind fix').change.section, 'fix', title);
});

test('a command of a person without write access changes nothing', () => {
  const { change } = only({ title: 'feat: add search' }, '/kind fix\n/note none', 'CONTRIBUTOR');
  assert.deepEqual([change.section, change.kindBy, change.included], ['feature', 'prefix', true]);
});

test('`/note none` leaves the change out as a skip label does', () => {
  const { change, source } = only({ title: 'feat!: Drop it', labels: ['type: breaking'] }, '/note none');
  assert.deepEqual([change.included, change.reason, change.detail], [false, 'command', '/note none']);
  for (const persona of personas) assert.doesNotMatch(compose(source, bounds, persona).bodyMd, /Drop it/);
  const revert = only({ title: 'Revert "Add it"', body: 'Reverts #7' }, '/note none');
  assert.deepEqual([revert.change.included, revert.change.reason], [false, 'command']);
});

test('a note of a command brings back a change that a label leaves out', () => {
  const { change, source } = only({ title: 'Add search', labels: ['skip-changelog'] }, '/note Search finds files.');
  assert.deepEqual([change.included, change.reason], [true, 'listed']);
  assert.match(compose(source, bounds, 'customer').bodyMd, /- Search finds files/);
});

test('a note of a command replaces the release note of the body', () => {
  const body = '```release-note\nOld words.\n```';
  const { source } = only({ title: 'feat: add search', body }, '/note Search finds files.');
  for (const persona of personas) {
    const { bodyMd } = compose(source, bounds, persona);
    assert.match(bodyMd, /Search finds files/, persona);
    assert.doesNotMatch(bodyMd, /Old words/, persona);
  }
});

test('a note of a command gives the same drafts as the same note in the body', () => {
  for (const text of [
    'Search finds files.',
    '[BUGFIX] parser: Keep `a ** b` as it is',
    'Ask @here or @ada <script>alert(1)</script> [x](javascript:alert(1)) ![x](https://x.example/y.png)',
    '# Heading **bold** `<!-- rn:pr:7 -->` | a | b |',
    'closes #12, and `unclosed',
    'ACTION REQUIRED: Set the key again',
    `${'Long words '.repeat(400)}end`,
    '\u202ereversed\u0007 bell',
    '- - - 1. > nested',
  ]) {
    const asked = sourceOf([aPull(1, { title: 'feat: add search' })], [aComment(1, `/note ${text}`)]);
    const body = `\`\`\`release-note\n${text}\n\`\`\``;
    const written = sourceOf([aPull(1, { title: 'feat: add search', body })], []);
    assert.deepEqual(composeAll(asked, bounds).drafts, composeAll(written, bounds).drafts, JSON.stringify(text));
  }
});

test('the area of a command outweighs the labels, and its text is escaped', () => {
  const { source } = only({ title: 'feat(parser): add x', labels: ['area: core'] }, '/area **u**i <b>');
  assert.match(compose(source, bounds, 'engineer').bodyMd, /- \*\*\\\*\\\*u\\\*\\\*i \\<b\\?>:\*\* Add x/);
});

test('`/highlight` lists the change among the highlights', () => {
  const pulls = [1, 2, 3].map((number) => aPull(number, { title: `Fix the bug ${number}` }));
  const { flags } = compose(sourceOf(pulls, [aComment(2, '/highlight')]), bounds, 'engineer');
  assert.deepEqual(flags.highlights, ['Fix the bug 2']);
});

test('the commands on a backport count, if only the backport is in the range', () => {
  const original = aPull(1, { title: 'feat: add search' });
  const backport = aPull(50, {
    title: '[release-1.0] feat: add search',
    body: 'Backport of #1',
    baseRef: 'release-1.0',
  });
  const late = { ...bounds, fromPrNumber: 50 };
  const said = [aComment(1, '/kind fix\n/area ui'), aComment(50, '/kind security')];
  const [change] = explain(sourceOf([original, backport], said), late).changes;
  assert.deepEqual([change?.number, change?.section, change?.kindBy], [50, 'security', 'command']);
  const both = explain(sourceOf([original, backport], said), bounds).changes;
  assert.deepEqual(
    both.map(({ section }) => section),
    ['fix', 'fix'],
  );
});

test('the commands of a change with several statements hold for each of them', () => {
  const body = '```release-note\n[FEATURE] Add a\n[BUGFIX] Fix b\n```';
  const source = sourceOf([aPull(1, { title: 'Add a and fix b', body })], [aComment(1, '/kind performance')]);
  const { bodyMd } = compose(source, bounds, 'engineer');
  assert.match(bodyMd, /^## Performance\n\n- Add a .*\n.*- Fix b /ms);
  assert.doesNotMatch(bodyMd, /## (Features|Bug Fixes)/);
});
