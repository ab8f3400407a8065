/** Tests the names of places: areas in two spellings, lead phrases, display names, and changes that are joined. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { defaultSettings, type NotesSettings } from '../../../../src/protocol/notes.ts';
import type { Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };

function titled(...titles: string[]): PullRecord[] {
  return titles.map((title, index) => aPull(index + 1, { title }));
}

function draft(pulls: PullRecord[], persona: Persona = 'customer', settings: Partial<NotesSettings> = {}): string {
  return compose(memorySource({ pulls, settings: { ...defaultSettings, ...settings } }), all, persona).bodyMd;
}

/** Returns the areas and the text of each entry, such as `api: Sort rows`. */
function places(pulls: PullRecord[], bounds = all): string[] {
  return gather(memorySource({ pulls }), bounds).entries.map(({ areas, text }) => `${areas.join(', ')}: ${text}`);
}

test('the area is a prefix for customers, unless the text names it', () => {
  const body = draft(titled('fix(HTTP/2): every request ends', 'fix(api): the API answers', 'fix(web): rows'));
  assert.match(body, /^- \*\*HTTP\/2:\*\* every request ends <!--/im);
  assert.match(body, /^- The API answers <!--/m);
  assert.match(body, /^- \*\*web:\*\* Rows <!--/m);
  assert.match(
    draft(titled('fix(api): rapid answers')),
    /^- \*\*api:\*\* Rapid answers/m,
    'a part of a word is no name',
  );
});

test('hidden areas are not named to customers, and are named to others', () => {
  const pulls = titled('fix(lib): rows', 'fix(SRC): columns', 'fix(web, lib): cells');
  assert.match(draft(pulls), /^- Rows <!--.*\n- Columns <!--.*\n- \*\*web:\*\* Cells <!--/m);
  assert.match(draft(pulls, 'engineer'), /\*\*lib:\*\* Rows/);
  const settings = { hiddenAreas: ['web'] };
  assert.match(draft(pulls, 'customer', settings), /^- \*\*lib:\*\* Rows/m);
  assert.match(draft(titled('fix(web): rows'), 'customer', settings), /^- Rows/m);
});

test('a label of the settings gives an area its display name', () => {
  const labels = { 'area: kcp': { area: 'Control plane' }, web: { area: 'Website' }, stale: { skip: true } };
  const body = draft(titled('fix(kcp): rows', 'fix(Web): columns', 'fix(other): cells'), 'engineer', { labels });
  assert.match(body, /\*\*Control plane:\*\* Rows/);
  assert.match(body, /\*\*Website:\*\* Columns/);
  assert.match(body, /\*\*other:\*\* Cells/);
});

test('an area that others use without its path is one place', () => {
  assert.deepEqual(places(titled('fix(ui): one', 'fix(web/ui): two', 'fix(web/api): three')), [
    'ui: One',
    'ui: Two',
    'web/api: Three',
  ]);
  assert.deepEqual(places(titled('fix(web/ui): two', 'fix(app/ui): three')), ['web/ui: Two', 'app/ui: Three']);
});

test('an area with at least three entries has a heading in a section of six', () => {
  const areas = ['ui', 'api', 'ui', 'web/ui', 'ui', 'db'];
  const pulls = areas.map((area, index) => aPull(index + 1, { title: `fix(${area}): cell ${index}` }));
  const more = [...pulls, aPull(7, { title: 'fix: row' })];
  for (const persona of ['engineer', 'internal', 'customer'] as const) {
    const body = draft(pulls, persona);
    assert.deepEqual(draft(more, persona).match(/^### .*/gm), ['### ui', '### General'], persona);
    assert.deepEqual(body.match(/^### .*/gm), ['### ui'], persona);
    assert.match(body, /- \*\*api:\*\* Cell 1.*\n- \*\*db:\*\* Cell 5.*\n\n### ui\n\n- Cell 0/, persona);
    assert.doesNotMatch(draft(pulls.slice(0, 5), persona), /^### /m, persona);
  }
});

test('a phrase before a colon is an area if it recurs in the history', () => {
  const once = titled('In-place updates: Add a hook', 'fix: rows');
  assert.deepEqual(places(once), [': In-place updates: Add a hook', ': Rows']);
  const often = titled('In-place updates: Add a hook', 'in-place updates: call it', 'fix: In-place updates: end it');
  assert.deepEqual(places(often), [
    'In-place updates: Add a hook',
    'in-place updates: call it',
    'In-place updates: end it',
  ]);
  const later = { ...all, fromPrNumber: 3 };
  assert.deepEqual(places(often, later), ['In-place updates: end it'], 'earlier pull requests count');
});

test('later changes under the phrase of a feature are follow-ups of the feature', () => {
  const pulls = titled(
    'feat: Row ids: add them',
    'fix: Row ids: count from one',
    'Row ids: show them',
    'fix: Row ids: keep them',
    'fix!: Row ids: drop the old',
    'fix: columns',
  );
  const engineer = draft(pulls, 'engineer');
  assert.match(
    engineer,
    /^- \*\*Row ids:\*\* add them and 3 follow-ups \(\[#1\][^;]*; follow-ups: \[#2\]\([^)]*\), \[#3\]\([^)]*\), \[#4\]\([^)]*\)\)/im,
  );
  assert.match(engineer, /## Breaking Changes\n\n- \*\*Row ids:\*\* drop the old/i, 'a breaking change stays apart');
  assert.match(draft(pulls, 'internal'), /add them and 3 follow-ups \(\[#1\].*\[#4\]/i);
  assert.match(draft(pulls), /^- \*\*Row ids:\*\* add them, and 3 follow-ups <!-- rn:pr:1 -->$/im);
  const explained = explain(memorySource({ pulls }), all).changes.map(({ number, reason, detail }) => [
    number,
    reason,
    detail,
  ]);
  assert.deepEqual(explained.slice(0, 4), [
    [1, 'listed', undefined],
    [2, 'listed', '#1'],
    [3, 'listed', '#1'],
    [4, 'listed', '#1'],
  ]);
});

test('a feature that customers do not see has no follow-ups', () => {
  const fixes = ['fix: Row ids: count from one', 'fix: Row ids: show them', 'fix: Row ids: keep them'];
  const [feature, lost, ...rest] = titled('feat: Row ids: add them', ...fixes) as [
    PullRecord,
    PullRecord,
    ...PullRecord[],
  ];
  const fixing = { ...lost, linkedIssues: [50] };
  const declined = { ...feature, body: '```release-note\nNONE\n```' };
  const inside = { ...feature, title: 'feat: Row ids: add unit tests' };
  const issues = [anIssue(50, { title: 'Data gets lost on update' })];
  for (const first of [declined, inside]) {
    const source = memorySource({ pulls: [first, fixing, ...rest], issues });
    assert.match(
      compose(source, all, 'customer').bodyMd,
      /^## Fixed\n\n(?:- .*\n)*- \*\*Row ids:\*\* Data gets lost on update <!--/,
    );
    assert.equal(gather(source, all).entries.length, 4);
  }
  const next = aPull(5, { title: 'feat: Row ids: sort by them' });
  const more = titled(...Array.from({ length: 5 }, () => ''), ...fixes).slice(5);
  const later = gather(memorySource({ pulls: [declined, fixing, next, ...more], issues }), all).entries;
  assert.deepEqual(
    later.map(({ marker, followUps }) => [marker, followUps.length]),
    [
      ['pr:1', 0],
      ['pr:2', 0],
      ['pr:5', 3],
    ],
    'the next feature has the changes after it',
  );
});

test('two later changes, or changes before the feature, stay apart', () => {
  const few = titled('feat: Row ids: add them', 'fix: Row ids: one', 'fix: Row ids: two');
  assert.equal(places(few).length, 3);
  const before = titled('fix: Row ids: one', 'fix: Row ids: two', 'fix: Row ids: three', 'feat: Row ids: add them');
  assert.equal(places(before).length, 4);
});

test('equal sentences for one issue are one line with all numbers', () => {
  const fields = { title: 'fix: keep rows', linkedIssues: [50] };
  const pulls = [
    aPull(1, fields),
    aPull(2, { ...fields, author: { login: 'bob', bot: false } }),
    aPull(3, { title: 'fix: keep rows' }),
    aPull(4, { ...fields, title: 'fix: keep columns' }),
  ];
  const source = memorySource({ pulls, issues: [anIssue(50)] });
  const engineer = compose(source, all, 'engineer').bodyMd;
  assert.match(engineer, /^- Keep rows \(\[#1\]\([^)]*\), \[#2\]\([^)]*\)\) \(fixes \[#50\]/m);
  assert.deepEqual(
    [...engineer.matchAll(/rn:pr:(\d+)/g)].map((match) => match[1]),
    ['1', '3', '4'],
  );
  assert.deepEqual(gather(source, all).contributors, ['ada', 'bob'], 'authors of joined changes are credited');
  const reasons = explain(source, all).changes.map(({ number, reason, detail }) => [number, reason, detail]);
  assert.deepEqual(reasons.slice(0, 2), [
    [1, 'listed', undefined],
    [2, 'listed', '#1'],
  ]);
});

test('the line of joined changes shows the issues of all of them', () => {
  const issues = [anIssue(50), anIssue(51), anIssue(52, { title: 'Rows get lost' })];
  const keep = 'fix: keep rows';
  const twins = [
    aPull(1, { title: keep, linkedIssues: [50] }),
    aPull(2, { title: keep, linkedIssues: [50, 51] }),
    aPull(3, { title: keep, linkedIssues: [51] }),
  ];
  const [feature, ...fixes] = titled(
    'feat: Row ids: add them',
    'fix: Row ids: count from one',
    'fix: Row ids: show them',
    'fix: Row ids: keep them',
  ) as [PullRecord, ...PullRecord[]];
  const followUps = [feature, ...fixes.map((pull) => ({ ...pull, linkedIssues: [52] }))];
  const fixed = (pulls: PullRecord[]): (string | undefined)[] => {
    const source = memorySource({ pulls, issues });
    const lines = compose(source, all, 'engineer').bodyMd.match(/^- .*rn:pr.*$/gm) ?? [];
    const linked = explain(source, all).changes.filter(({ reason }) => reason === 'linked');
    return [...lines.map((line) => /\(fixes (.*?)\) —/.exec(line)?.[1]), ...linked.map(({ number }) => `#${number}`)];
  };
  const link = (number: number): string => `[#${number}](https://scm.example/acme/rocket/issues/${number})`;
  assert.deepEqual(fixed(twins), [`${link(50)}, ${link(51)}`, '#50', '#51']);
  assert.deepEqual(fixed(followUps), [link(52), '#52']);
  assert.match(
    compose(memorySource({ pulls: followUps, issues }), all, 'internal').bodyMd,
    /^ {2}- Reported as: Rows get lost \(/m,
  );
});

test('a feature with follow-ups is not joined to an equal feature', () => {
  const fixes = ['fix: Row ids: count from one', 'fix: Row ids: show them', 'fix: Row ids: keep them'];
  const [equal, feature, ...rest] = titled('feat: add them', 'feat: Row ids: add them', ...fixes) as [
    PullRecord,
    PullRecord,
    ...PullRecord[],
  ];
  const linked = [equal, feature].map((pull) => ({ ...pull, linkedIssues: [50] }));
  const source = memorySource({ pulls: [...linked, ...rest], issues: [anIssue(50)] });
  assert.deepEqual(
    explain(source, all).changes.map(({ number, reason, detail }) => [number, reason, detail]),
    [
      [1, 'listed', undefined],
      [2, 'listed', undefined],
      [3, 'listed', '#2'],
      [4, 'listed', '#2'],
      [5, 'listed', '#2'],
      [50, 'linked', '#1'],
    ],
  );
});
