/** Tests the entries of a draft as data: words and their source, numbers, areas, kinds, and entries that people wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { entriesOfDraft } from '../../../../src/notes/draft/data.ts';
import type { DraftEntry } from '../../../../src/protocol/draft-entries.ts';
import type { Persona, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, history, memorySource } from '../memory-source.ts';

const tags: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
const rita = { login: 'rita', bot: false };
const source = memorySource({
  tags: [aTag('v1', 'm1'), aTag('v2', 'end')],
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
    aPush('main', 'm1', ['m2', 'm3', 'm4', 'm5', 'm6', 'd0c5|fix: CVE-2026-12345 in the parser', 'end|Tune'], 7),
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
    'Security | CVE-2026-12345 in the parser | title |  | security | advisory | direct',
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
  assert.deepEqual([security?.shas, security?.marker], [['d0c5'], 'commit:d0c5']);
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
      ['Security', 'Security update: CVE-2026-12345', 'title', 'commit:d0c5'],
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
