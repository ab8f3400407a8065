/** Tests the draft for customers: which changes it shows, in which words, and what it says when there are none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { diagnose } from '../../../../src/notes/draft/diagnose.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import type { Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, type Memory, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };

function draft(memory: Memory, persona: Persona = 'customer'): string {
  return compose(memorySource(memory), all, persona).bodyMd;
}

function titled(...titles: string[]): PullRecord[] {
  return titles.map((title, index) => aPull(index + 1, { title }));
}

const dependabot = { author: { login: 'dependabot[bot]', bot: true } };

test('says that nothing changed for customers only if every change is known to be inside work', () => {
  const none = 'No changes for customers in this range.\n';
  const known: [string, PullRecord[]][] = [
    ['inside work', titled('ci: run twice', 'Refactor the loader', 'fix(test): wait')],
    ['documentation', titled('docs: explain rows', 'Fix typo in the parser')],
    ['updates', [aPull(1, { title: 'Bump a from 1 to 2', ...dependabot })]],
    ['declined', [aPull(1, { title: 'fix: x', body: '```release-note\nNONE\n```' })]],
    ['a skip label beside inside work', [...titled('ci: run twice'), aPull(2, { labels: ['skip-changelog'] })]],
  ];
  for (const [name, pulls] of known) assert.equal(draft({ pulls }), none, name);
});

test('makes no such claim if a change has no kind', () => {
  const pulls = [...titled('ci: run twice', 'Use a pool for rows', 'Improve search')];
  assert.equal(draft({ pulls }), '<!-- 2 changes have no kind yet -->\n');
  assert.equal(draft({ pulls: pulls.slice(0, 2) }), '<!-- 1 change has no kind yet -->\n');
  assert.equal(diagnose(gather(memorySource({ pulls }), all)).undecided, 2);
  assert.doesNotMatch(
    draft({ pulls: [...pulls, aPull(9, { title: 'fix: rows' })] }),
    /no kind/,
    'only an empty draft says it',
  );
});

test('makes no such claim if a prefix calls a change a feature or a fix, whatever its words are about', () => {
  const titles = ['feat: bump acme/tls to v1.2', 'fix: flaky unit test', 'perf: faster unit tests', 'ci: run twice'];
  assert.equal(draft({ pulls: titled(...titles) }), '<!-- 3 changes have no line for customers -->\n');
  assert.equal(draft({ pulls: titled('fix: flaky unit test') }), '<!-- 1 change has no line for customers -->\n');
});

test('a range with only reverts or without any change says so', () => {
  assert.equal(draft({ pulls: [aPull(5, { title: 'Revert "Sort rows"' })] }), '<!-- only reverts: 1 -->\n');
  assert.equal(draft({ pulls: [] }), 'No changes in this range.\n');
  assert.equal(draft({ pulls: titled('Release v1.2.3') }), 'No changes in this range.\n');
});

test('security updates have a section in every draft, with package and public id only', () => {
  const pulls = [
    aPull(1, { title: 'Bump html-cleaner from 1 to 2 to fix CVE-2026-12345', ...dependabot }),
    aPull(2, { title: 'fix(api): stop injection through names (GHSA-ab12-cd34-ef56)' }),
    aPull(3, { title: 'Escape names', labels: ['security'] }),
    aPull(4, { title: 'Escape more names', labels: ['security'] }),
    aPull(5, { title: 'Security fix', body: '```release-note\nNames are escaped on every page\n```' }),
  ];
  const customer = draft({ pulls });
  assert.match(customer, /^## Security\n\n/);
  assert.match(customer, /^- Security update: html-cleaner \(CVE-2026-12345\) <!-- rn:pr:1 -->$/m);
  assert.match(customer, /^- Security update: api \(GHSA-ab12-cd34-ef56\) <!-- rn:pr:2 -->$/m);
  assert.match(customer, /^- Security update \(2 changes\) <!-- rn:pr:3 --> <!-- rn:pr:4 -->$/m);
  assert.match(customer, /^- Names are escaped on every page <!-- rn:pr:5 -->$/m);
  assert.doesNotMatch(customer, /injection|Escape/);
  for (const persona of ['engineer', 'internal'] as const) {
    const body = draft({ pulls }, persona);
    const [, security = ''] = /## Security\n\n([^#]*(?:#[^#]+)*?)(?:\n\n## |$)/.exec(body) ?? [];
    for (const number of [1, 2, 3, 4, 5]) assert.match(security, new RegExp(`rn:pr:${number} `), persona);
  }
  assert.match(draft({ pulls }, 'internal'), /^5 security updates\n/);
});

test('equal security updates are one line with a count', () => {
  const pulls = [1, 2, 3].map((number) =>
    aPull(number, { title: `Update a from ${number} to ${number + 1} [SECURITY]`, ...dependabot }),
  );
  assert.equal(
    draft({ pulls }),
    '## Security\n\n- Security update: a (3 changes) <!-- rn:pr:1 --> <!-- rn:pr:2 --> <!-- rn:pr:3 -->\n',
  );
});

test('equal notes of security updates are one line, and never replaced by a title', () => {
  const body = '```release-note\n[SECURITY] Names are escaped\n```';
  const pulls = [aPull(1, { title: 'Stop injection', body }), aPull(2, { title: 'Stop more injection', body })];
  assert.equal(draft({ pulls }), '## Security\n\n- Names are escaped (2 changes) <!-- rn:pr:1 --> <!-- rn:pr:2 -->\n');
});

test('work on tests, CI and documentation areas is not shown, even if it fixes or adds something', () => {
  const titles = ['fix: flaky upload test', 'fix(ci): rows', 'feat(docs): rows', 'perf: faster e2e runs'];
  for (const title of titles) assert.doesNotMatch(draft({ pulls: titled(title) }), /rn:pr/, title);
  const labeled = titled(...titles).map((pull) => ({ ...pull, labels: ['type: bug'] }));
  assert.deepEqual(
    [...draft({ pulls: labeled }).matchAll(/rn:pr:(\d)/g)].map((match) => match[1]),
    ['1', '4'],
    'a label is trusted more than words, and not more than the area',
  );
  const noted = aPull(1, { title: 'docs: rows', body: '```release-note\nThere is a guide for rows\n```' });
  assert.equal(draft({ pulls: [noted] }), '## Improved\n\n- There is a guide for rows <!-- rn:pr:1 -->\n');
});

test('the title of an issue speaks only for a fix, and only if it is no wish and no question', () => {
  const textOf = (title: string, issue: string, author = 'rita'): string => {
    const issues = [anIssue(50, { title: issue, author: { login: author, bot: false } })];
    const body = draft({ pulls: [aPull(1, { title, linkedIssues: [50] })], issues });
    return /^- (.*) <!-- rn:pr:1 -->$/m.exec(body)?.[1] ?? '';
  };
  assert.equal(textOf('fix: keep rows', 'Rows get lost on upload'), 'Rows get lost on upload');
  assert.equal(textOf('feat: sort rows', 'Rows have no order'), 'Sort rows');
  assert.equal(textOf('perf: read rows once', 'Rows are slow'), 'Read rows once');
  assert.equal(textOf('fix: keep rows', 'Rows get lost on upload', 'ada'), 'Keep rows', 'the author wrote the issue');
  for (const issue of [
    'Please keep my rows',
    'Rows get lost, please fix',
    'Can we keep rows',
    'How to keep rows',
    'Why do rows get lost',
    'Are rows lost on upload?',
    'Rows lost？',
    'No way to keep rows',
    'Feature request: keep rows',
    'Add a way to keep rows',
    'Support for many rows',
    'It would be nice to keep rows',
    'Crash',
  ])
    assert.equal(textOf('fix: keep rows', issue), 'Keep rows', issue);
});

test('the settings limit lines for customers, and hidden lines are counted without "smaller"', () => {
  const pulls = [
    ...[1, 2, 3, 4].map((number) => aPull(number, { title: `fix: row ${number}` })),
    ...[5, 6, 7, 8].map((number) => aPull(number, { title: `feat: column ${number}` })),
    aPull(9, { title: 'perf: cells' }),
    aPull(10, { title: 'feat!: drop rows' }),
    aPull(11, { title: 'Security fix for rows' }),
  ];
  const customer = { ...defaultSettings.customer, bullets: 3 };
  const body = draft({ pulls, settings: { ...defaultSettings, customer } });
  assert.deepEqual(
    [...body.matchAll(/rn:pr:(\d+)/g)].map((match) => match[1]),
    ['10', '11', '5', '6', '1'],
  );
  assert.match(body, /^- … and 2 more new features$/m);
  assert.match(body, /^- … and 3 more fixes$/m);
  assert.match(body, /^- 1 improvement$/m);
  assert.doesNotMatch(body, /smaller/);
  assert.equal(draft({ pulls }).match(/rn:pr/g)?.length, 11, 'the default hides nothing');
});

test('a group of more than 40 lines is folded by area', () => {
  const pulls = Array.from({ length: 42 }, (_, index) =>
    aPull(index + 1, { title: `fix(${index % 2 === 0 ? 'ui' : 'api'}): cell ${index}` }),
  );
  const body = draft({ pulls });
  assert.deepEqual(body.match(/^### .*|<summary>.*/gm), [
    '### api',
    '<summary>21 changes</summary>',
    '### ui',
    '<summary>21 changes</summary>',
  ]);
  assert.doesNotMatch(draft({ pulls: pulls.slice(0, 40) }), /<summary>/);
});

test('lists a feature as an improvement if only its prefix calls it one and it changes something that exists', () => {
  const body = '```release-note:enhancement\nImprove the start page.\n```';
  const pulls = [
    ...titled('feat: add rows', 'feat: improve search', 'feat(ui): use colors'),
    aPull(4, { title: 'feat: improve mails', labels: ['type: feature'] }),
    aPull(5, { title: 'feat: pages', body }),
  ];
  const lines = draft({ pulls })
    .split('\n')
    .map((line) => line.replace(/ <!-- .*/, ''))
    .filter((line) => line !== '');
  assert.deepEqual(lines, [
    ...['## New', '- Improve the start page.', '- Add rows', '- Improve mails'],
    ...['## Improved', '- Improve search', '- **ui:** Use colors'],
  ]);
});

test('leaves out features and fixes that are about documents of the project', () => {
  const text = draft({
    pulls: titled('feat: add a proposal for groups', 'fix: typo in the migration docs', 'fix: rows'),
  });
  assert.match(text, /- Rows/);
  assert.doesNotMatch(text, /proposal|docs/);
});

test('words of an update hide a feature only if its title names a version', () => {
  const titles = [
    'feat: pin notes to the top',
    'fix: roll back the upload when a part fails',
    'feat: bump the upload limit from 1 GB to 4 GB',
    'feat: update the default timeout to 30 seconds',
    'perf: update rows up to 10 times faster',
    'feat: add a roadmap to every project',
  ];
  const text = draft({
    pulls: titled(...titles, 'feat: bump to acme/tls v1.2', 'fix: update a to v1.2.3', 'feat: bump tls to a9cb59fd'),
  });
  assert.equal(text.match(/^- /gm)?.length, titles.length, text);
  assert.doesNotMatch(text, /tls|v1/);
});

test('claims nothing if only a word of a product shows that a change is about documentation', () => {
  for (const title of ['Fix links in emails', 'Add book search'])
    assert.equal(draft({ pulls: titled(title) }), '<!-- 1 change has no kind yet -->\n', title);
  assert.match(draft({ pulls: titled('Fix crash when opening the timeline') }), /## Fixed/);
});

test('the line of a security update has no details, handles, numbers, links or hidden areas', () => {
  const lines = (...titles: string[]): string[] =>
    draft({ pulls: titled(...titles) })
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((line) => line.replace(/ <!-- .*/, ''));
  assert.deepEqual(
    [
      'Update password check to reject empty tokens (CVE-2026-12345)',
      'Update cookies after report #77 by @ada in https://scm.example/acme/rocket/issues/77 (CVE-2026-12345)',
      'fix(core): prevent an XSS vulnerability',
      '@ada: fix security issue',
    ].flatMap((title) => lines(title)),
    ['Security update: CVE-2026-12345', 'Security update: CVE-2026-12345', 'Security update', 'Security update'].map(
      (text) => `- ${text}`,
    ),
  );
  const pulls = [
    aPull(1, { title: 'Reject empty names', labels: ['security'] }),
    aPull(2, { title: 'fix: reject empty names' }),
  ];
  assert.match(draft({ pulls }), /- Security update .*\n\n## Fixed\n\n- Reject empty names/);
});

test('areas that name a branch or a person are not shown', () => {
  const text = draft({ pulls: titled('release-1.2: fix the crash on start', '@ada: fix the upload', 'fix(ui): rows') });
  assert.match(text, /- Fix the crash on start/);
  assert.match(text, /- Fix the upload/);
  assert.match(text, /\*\*ui:\*\* Rows/);
  assert.doesNotMatch(text, /release|ada/);
});

test('a line for customers has no fenced code of a release note', () => {
  const note =
    'Pipelines can now be configured.\n\n~~~yaml\nbuild: make\n~~~\n\nOld files still work:\n\n```\nold\n```';
  const text = draft({ pulls: [aPull(1, { title: 'feat: pipelines', body: `## Release note\n\n${note}` })] });
  assert.match(text, /- Pipelines can now be configured\. Old files still work </);
});
