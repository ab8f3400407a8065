/** Tests the entries of a draft as data: words and their source, numbers, areas, kinds, and entries that people wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { entriesOfDraft } from '../../../../src/notes/draft/data.ts';
import type { DraftEntry } from '../../../../src/protocol/draft-entries.ts';
import type { Persona, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, history, memorySource } from '../memory-source.ts';

const tags: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
const numbered: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };
const rita = { login: 'rita', bot: false };
const source = memorySource({
  tags: [aTag('v1', 'm1'), aTag('v2', 'e4d0e4d')],
  pulls: [
    aPull(2, { title: 'feat(ui): add `dark` mode', body: '```release-note\nThe app has a dark mode.\n```' }),
    aPull(3, { title: 'Handle a crash when the list is empty', linkedIssues: [20] }),
    aPull(4, { title: 'Keep the order', labels: ['type: bug'], linkedIssues: [21] }),
    aPull(5, { title: 'fix(docs): typo' }),
    aPull(6, { title: 'Bump a from 1 to 2', author: { login: 'dependabot[bot]', bot: true } }),
  ],
  issues: [anIssue(20, { title: 'List crashes', author: rita }), anIssue(21, { title: 'Please sort', author: rita })],
  ...history(
    aPush('main', 'm0', ['m1'], 1),
    aPush('main', 'm1', ['m2', 'm3', 'm4', 'm5', 'm6', 'd0c5e71|fix: CVE-2026-12345 in the parser', 'e4d0e4d|Tune'], 7),
  ),
});

function entries(persona: Persona, edit: (bodyMd: string) => string = (bodyMd) => bodyMd): DraftEntry[] {
  const { bodyMd } = compose(source, tags, persona);
  return entriesOfDraft(source, tags, { persona, bodyMd: edit(bodyMd), generatedMd: bodyMd });
}

const summary = ({ heading, text, source: from, numbers, kind, kindBy, reason }: DraftEntry): string =>
  [heading, text, from, numbers.join(' '), kind, kindBy, reason].join(' | ');

test('lists the entries of every persona with kinds and reasons', () => {
  assert.deepEqual(entries('engineer').map(summary), [
    'Features | Add dark mode | title | 2 | feature | prefix | listed',
    'Bug Fixes | Handle a crash when the list is empty | title | 3 | fix | verb | listed',
    'Bug Fixes | Keep the order | title | 4 | fix | label | listed',
    'Security | Fix CVE-2026-12345 in the parser | title |  | security | advisory | direct',
    'Documentation | Typo | title | 5 | documentation | prefix | listed',
    'Other Changes | Tune | title |  | other |  | direct',
    'Dependencies | a: 1 → 2 | title | 6 | dependencies |  | dependency',
  ]);
  assert.deepEqual(
    entries('customer').map(({ heading, area, text, source: from, numbers }) => [heading, area, text, from, numbers]),
    [
      ['Security', null, 'Security update: CVE-2026-12345', 'title', []],
      ['New', 'ui', 'The app has a dark mode.', 'note', [2]],
      ['Fixed', null, 'List crashes', 'issue', [3]],
      ['Fixed', null, 'Keep the order', 'title', [4]],
    ],
  );
  assert.deepEqual(
    entries('internal').map(({ source: from }) => from),
    ['note', 'title', 'title', 'title', 'title'],
  );
});

test('names commits by hash, and areas that only the text does not name', () => {
  const security = entries('engineer').find(({ kind }) => kind === 'security');
  assert.deepEqual([security?.shas, security?.marker], [['d0c5e71'], 'commit:d0c5e71']);
  const feature = entries('engineer').find(({ kind }) => kind === 'feature');
  assert.equal(feature?.area, 'ui');
});

test('returns the words of an edited text, with a person as their source', () => {
  const edited = entries('customer', (bodyMd) =>
    bodyMd
      .replace('## New', '## What is *new*')
      .replace('The app has a dark mode.', 'Dark mode is **here**, see [the guide](https://docs.example/dark).')
      .replace(/- List crashes.*\n/, '')
      .concat('\n## Thanks\n\n- Everyone who tested\n- Rita\n'),
  );
  assert.deepEqual(
    edited.map(({ heading, text, source: from, marker }) => [heading, text, from, marker]),
    [
      ['Security', 'Security update: CVE-2026-12345', 'title', 'commit:d0c5e71'],
      ['What is new', 'Dark mode is here, see the guide.', 'person', 'pr:2'],
      ['Fixed', 'Keep the order', 'title', 'pr:4'],
      ['Thanks', 'Everyone who tested', 'person', null],
      ['Thanks', 'Rita', 'person', null],
    ],
  );
});

test('an entry whose change is not in the range has no kind and no reason', () => {
  const [, , , , lost] = entries('customer', (bodyMd) => `${bodyMd}- Gone <!-- rn:pr:99 -->\n`);
  assert.deepEqual([lost?.text, lost?.marker, lost?.kind, lost?.reason], ['Gone', 'pr:99', null, null]);
});

test('each statement of a release note has its own kind', () => {
  const noted = memorySource({
    pulls: [aPull(1, { body: '```release-note\n[FEATURE] Sort rows\n[BUGFIX] Keep rows\n```' })],
  });
  for (const persona of ['engineer', 'internal', 'customer'] as const) {
    const { bodyMd } = compose(noted, numbered, persona);
    assert.deepEqual(
      entriesOfDraft(noted, numbered, { persona, bodyMd, generatedMd: bodyMd }).map(
        ({ marker, kind, source: from }) => [marker, kind, from],
      ),
      [
        ['pr:1', 'feature', 'note'],
        ['pr:1.2', 'fix', 'note'],
      ],
      persona,
    );
  }
});

test('a line with several markers has the numbers and hashes of all its changes', () => {
  const secured = memorySource({
    tags: [aTag('v1', 'm0'), aTag('v2', 'c0ffee1')],
    pulls: [
      aPull(1, { title: 'Close a hole', labels: ['security'] }),
      aPull(2, { title: 'Close a gap', labels: ['security'] }),
    ],
    ...history(aPush('main', null, ['m0'], 0), aPush('main', 'm0', ['m1', 'm2', 'c0ffee1|security: close a door'], 3)),
  });
  const { bodyMd } = compose(secured, tags, 'customer');
  const read = (text: string): unknown[] =>
    entriesOfDraft(secured, tags, { persona: 'customer', bodyMd: text, generatedMd: bodyMd }).map(
      ({ text: words, source: from, kind, numbers, shas }) => [words, from, kind, numbers, shas],
    );
  assert.deepEqual(read(bodyMd), [['Security update (3 changes)', 'title', 'security', [1, 2], ['c0ffee1']]]);
  const edited = '- Safer <!-- rn:pr:99 --> <!-- rn:pr:2 --> <!-- rn:pr:2 -->\n';
  assert.deepEqual(read(edited), [['Safer', 'person', 'security', [2], []]]);
});

test('cuts long headings and texts, because each entry repeats its heading', () => {
  const bodyMd = `## ${'h'.repeat(10_000)}\n\n- ${'w'.repeat(10_000)}\n- two\n`;
  const found = entriesOfDraft(source, tags, { persona: 'engineer', bodyMd, generatedMd: '' });
  assert.deepEqual(
    found.map(({ heading, text }) => [heading.length, text.length]),
    [
      [300, 5_000],
      [300, 3],
    ],
  );
});
