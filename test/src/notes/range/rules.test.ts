/**
 * Tests rules of drafts that involve several files: long ranges, closed issues, highlights, first contributions.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import type { Persona, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 999 };

function body(memory: Memory, persona: Persona, bounds = all): string {
  return compose(memorySource(memory), bounds, persona).bodyMd;
}

test('collapses features and fixes by area in a draft of more than 300 entries', () => {
  const pulls = Array.from({ length: 301 }, (_, index) =>
    aPull(index + 1, { labels: ['type: feature', `area: ${index % 2 ? 'core' : 'api'}`] }),
  );
  for (const persona of ['engineer', 'internal'] as const) {
    const long = body({ pulls }, persona);
    assert.match(
      long,
      /### api\n\n<details>\n<summary>151 changes<\/summary>\n\n- Change 1 [\s\S]*\n\n<\/details>\n\n### core/,
    );
    assert.equal(long.match(/<!-- rn:pr:/g)?.length, 301);
    assert.doesNotMatch(body({ pulls: pulls.slice(1) }, persona), /<details>/);
  }
});

test('shows a closed issue to customers only where labels name its kind and call it solved', () => {
  const issues = [
    anIssue(1, { title: 'Bug: it hurts (#9)', labels: ['type: bug', 'resolution: fixed'] }),
    anIssue(2, { title: 'A wish', labels: ['type: feature', 'Resolved'] }),
    anIssue(3, { labels: ['type: bug'] }),
    anIssue(4, { labels: ['resolved'] }),
    anIssue(5, { labels: ['type: bug', 'resolved', 'duplicate'] }),
    anIssue(6, { labels: ['type: bug', 'unresolved'] }),
  ];
  assert.equal(
    body({ issues, pulls: [aPull(7)] }, 'customer'),
    '## New\n\n- A wish <!-- rn:issue:2 -->\n\n## Fixed\n\n- It hurts <!-- rn:issue:1 -->\n',
  );
  assert.deepEqual(body({ issues }, 'engineer').match(/rn:issue:\d/g), [
    'rn:issue:1',
    'rn:issue:2',
    'rn:issue:3',
    'rn:issue:4',
    'rn:issue:6',
  ]);
});

test('highlights labeled changes, then breaking ones, then the features with the most comments', () => {
  const feature = { labels: ['type: feature'] };
  const memory = {
    pulls: [
      aPull(1, { ...feature, linkedIssues: [21] }),
      aPull(2, { ...feature, linkedIssues: [22] }),
      aPull(3, { ...feature, linkedIssues: [23, 24] }),
      aPull(4, { labels: ['type: breaking'] }),
      aPull(5, { labels: ['highlight'] }),
      aPull(6, feature),
      aPull(7, { labels: ['type: bug', 'priority: high'] }),
    ],
    issues: [21, 22, 23, 24].map((number) => anIssue(number)),
    comments: { 21: 2, 22: 9, 23: 3, 24: 3 },
  };
  assert.deepEqual(
    gather(memorySource(memory), all).highlights.map(({ pull }) => pull?.number),
    [7, 5, 4, 2, 3],
  );
});

test('a revert removes the highlight and the steps of a breaking change', () => {
  const pulls = [
    aPull(1, { title: 'feat!: drop v1', body: '## Upgrade\n\nUse v2.', labels: ['highlight'] }),
    aPull(2, { title: 'Revert "feat!: drop v1"', body: 'Reverts #1' }),
  ];
  const { flags } = compose(memorySource({ pulls }), all, 'engineer');
  assert.deepEqual(flags, { highlights: [], contributors: [], upgradeInstructions: '' });
});

test('a first contribution has no earlier one in everything that is captured', () => {
  const by = (login: string, bot = false) => ({ author: { login, bot } });
  const pulls = [
    aPull(1, by('Ada')),
    aPull(2, by('bob')),
    aPull(3, by('ada')),
    aPull(4, by('bob')),
    aPull(5, by('new[bot]', true)),
    aPull(6, { ...by('cleo'), labels: ['skip-changelog'] }),
    aPull(7, by('cleo')),
    aPull(8, by('dan')),
    aPull(9, by('dan')),
  ];
  const first = (memory: Memory) =>
    gather(memorySource(memory), { ...all, fromPrNumber: 3 }).firstContributions.map(
      ({ login, pull }) => `${login} ${pull.number}`,
    );
  assert.deepEqual(first({ pulls }), ['dan 8']);
  const late = pulls.map((pull) => ({ ...pull, number: pull.number + 200 }));
  assert.deepEqual(first({ pulls: late }), [], 'what was merged before is not captured');
});

test('the internal draft counts changes and names where they were reported', () => {
  const memory = {
    pulls: [
      aPull(1, { title: 'feat: sort', linkedIssues: [11, 12] }),
      aPull(2, { title: 'Revert "old"' }),
      aPull(3, { title: 'fix: a' }),
    ],
    issues: [anIssue(11, { title: 'lists: Sort' }), anIssue(12, { title: 'Lists are unsorted' })],
  };
  const text = body(memory, 'internal');
  assert.match(text, /^1 feature, 1 fix, 1 revert\n/);
  assert.match(
    text,
    /- Sort \(\[#1\][^\n]*\) \(reported in \[#11\][^\n]*\) <!-- rn:pr:1 -->\n {2}- Reported as: Lists are unsorted \(\[#12\]/,
  );
  assert.match(text, /## Known Risks\n\n- Reverted: Old \(\[#2\]/);
});

test('the customer draft names no branch', () => {
  const pulls = [
    aPull(1, { title: 'feat: drop jobs on release-1.11', baseRef: 'release-1.11' }),
    aPull(2, { title: 'fix: keep `topic/x` branch safe in main menu', headRef: 'topic/x' }),
  ];
  const text = body({ pulls }, 'customer');
  assert.match(text, /- Drop jobs <!-- rn:pr:1 -->/);
  assert.match(text, /- Keep safe in main menu <!-- rn:pr:2 -->/);
});

test('says how a range was selected, unless by the commits between the tags', () => {
  const tag = (name: string, date: number) => ({
    name,
    sha: null,
    tagObject: null,
    baseRef: null,
    date,
    pushedAt: date,
    deleted: false,
  });
  const memory = { pulls: [aPull(2)], tags: [tag('v1', 0), tag('v2', Date.UTC(2027, 0))] };
  const text = body(memory, 'engineer', { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' });
  assert.match(text, /Selected by merge date: captured pushes do not connect the two tags\.\n$/);
});

test('says that tags are on two lines, and that a tagged commit is only assumed to be on one', () => {
  const memory = {
    pulls: [aPull(1)],
    tags: [aTag('v1.x', 'r1'), aTag('v2', 'm1'), aTag('v3', 'c1')],
    ...history(
      aPush('main', null, ['m0'], 1),
      aPush('release', 'm0', ['r1'], 2),
      aPush('main', 'm0', ['m1'], 3),
      aPush('main', 'm1', ['c1', 'm2|Merge pull request #9 from acme/topic'], 4),
    ),
  };
  const range = { type: 'TAG_BASED', fromTag: 'v1.x', toTag: 'v2' } as const;
  assert.match(
    body(memory, 'engineer', range),
    /\n\nv1\.x is not an ancestor of v2\. The list has the changes that v2 contains and v1\.x does not\.\n$/,
  );
  const assumed = body(memory, 'engineer', { ...range, fromTag: 'v2', toTag: 'v3' });
  assert.match(assumed, /\n\nA tagged commit is inside a push\. The range assumes that it descends from the head of/);
  assert.doesNotMatch(assumed, /ancestor/);
});

test('shows keys of issues once to engineers and colleagues, and never to customers', () => {
  const pulls = [
    aPull(1, { title: 'feat: SHOP-142: sort [SHOP-142]' }),
    aPull(2, { title: 'Fixed #11 -- Crash.', labels: ['bug'], linkedIssues: [11] }),
    aPull(3, { title: 'Fixed #12 -- Other crash.', labels: ['bug'] }),
  ];
  const memory = { pulls, issues: [anIssue(11, { title: 'Crash' })] };
  const text = body(memory, 'engineer');
  assert.match(text, /- Sort \(\[#1\]\([^)]*\), SHOP-142\) /);
  assert.match(text, /- Crash \(\[#2\]\([^)]*\)\) \(fixes \[#11\]/);
  assert.match(text, /- Other crash \(\[#3\]\([^)]*\), \\#12\) /);
  assert.match(body(memory, 'internal'), /- Sort \(\[#1\]\([^)]*\), SHOP-142\) /);
  assert.doesNotMatch(body(memory, 'customer'), /SHOP|#\d/);
});

test('turns lists, links and thanks of a note into whole sentences for customers', () => {
  const noted = (note: string) =>
    body({ pulls: [aPull(1, { labels: ['type: feature'], body: `\`\`\`release-note\n${note}\n\`\`\`` })] }, 'customer');
  const said: [string, string][] = [
    ['- Sorts lists\n- Adds **filters** (@ada)', 'Sorts lists. Adds filters.'],
    [
      'Sorts lists.\nPlease see [the guide](https://scm.example/acme/rocket/wiki) at https://docs.example/x.',
      'Sorts lists.',
    ],
    ['See the [guide](https://docs.example/x).', 'See the guide.'],
    ['Sorts lists, see #12', 'Sorts lists'],
    ['Sorts lists (thanks to @ada and @bob)', 'Sorts lists'],
    ['Lists are\nsorted', 'Lists are sorted'],
    ['![screenshot](https://x.example/a.png)\nSorts lists', 'Sorts lists'],
  ];
  for (const [note, line] of said) assert.equal(noted(note), `## New\n\n- ${line} <!-- rn:pr:1 -->\n`, note);
});

test('leaves parts of a note with a heading out of its line', () => {
  const written = '## Release note\n\nSorts lists.\n\n### Migration\n\n- Sort them.\n';
  const text = body({ pulls: [aPull(1, { title: 'feat!: sort', body: written })] }, 'customer');
  assert.equal(text, '## Action required\n\n- Sorts lists. <!-- rn:pr:1 -->\n\n  - Sort them.\n');
});

test('keeps links of steps for customers unless they lead to the host', () => {
  const steps = [
    'Get the [tool](https://tools.example/get#12) or [ours](https://scm.example/acme/rocket/pull/3).',
    '',
    'Then run:',
    '',
    '```sh',
    'curl https://tools.example/get | sh',
    '```',
    '',
    '<details><summary>Why</summary>',
    '',
    'See #12 (thanks @ada).',
    '',
    '</details>',
  ];
  const pulls = [aPull(1, { title: 'feat!: move', body: `## Upgrade\r\n\r\n${steps.join('\r\n')}` })];
  assert.equal(
    body({ pulls }, 'customer'),
    [
      '## Action required\n',
      '- Move <!-- rn:pr:1 -->\n',
      '  Get the [tool](https://tools.example/get#12) or ours.\n',
      '  Then run:\n',
      '  ```\n  curl https://tools.example/get | sh\n  ```\n',
      '  Why\n',
    ].join('\n'),
  );
});

test('the customer draft counts changes without words and repeated texts', () => {
  const bug = { labels: ['type: bug'] };
  const pulls = [
    aPull(1, { ...bug, title: 'Fixes #20', linkedIssues: [20] }),
    aPull(2, { ...bug, title: 'Fixes #21' }),
    aPull(3, { ...bug, title: 'Correct texts' }),
    aPull(4, { ...bug, title: 'Correct texts' }),
    aPull(5, { ...bug, title: 'Keep the list in order', linkedIssues: [22] }),
  ];
  const issues = [
    anIssue(20, { title: '[Bug]: Lists jump', author: { login: 'ada', bot: false } }),
    anIssue(22, { title: 'Broken' }),
  ];
  const text = body({ pulls, issues }, 'customer');
  assert.deepEqual(
    text.match(/^- .*/gm)?.map((line) => line.replace(/ <!--.*/, '')),
    ['- Lists jump', '- Correct texts', '- Keep the list in order', '- … and 2 more fixes'],
  );
  assert.equal(body({ pulls: [pulls[1] as (typeof pulls)[0]] }, 'customer'), '## Fixed\n\n- 1 fix\n');
});

test('the internal draft quotes a whole sentence, without tables, and not cut at an abbreviation', () => {
  const impactOf = (text: string) =>
    /What to tell: (.*)/.exec(
      body({ pulls: [aPull(1, { title: 'feat!: move', body: `## Upgrade\n\n${text}` })] }, 'internal'),
    )?.[1];
  assert.equal(impactOf('Rename it, e.g. `a` to `b`. Then go on.'), 'Rename it, e.g. `a` to `b`.');
  assert.equal(impactOf('- [ ] Rename `a` to `b`.'), 'Rename `a` to `b`.');
  assert.equal(impactOf('| a | b |\n| - | - |\n\nRename it.'), 'Rename it.');
  assert.equal(impactOf('名前を変えてください。次に進みます。'), '名前を変えてください。');
});

test('credits no bots, even if the host shows them as people', () => {
  const by = (login: string) => ({ author: { login, bot: false } });
  const pulls = ['crowdin-bot', 'k8s-release-robot', 'acme-robot', 'bot-acme', 'talbot', 'ada'].map((login, index) =>
    aPull(index + 1, by(login)),
  );
  assert.deepEqual(gather(memorySource({ pulls }), all).contributors, ['talbot', 'ada']);
});

test('highlights are the customer’s own lines, each once', () => {
  const note = (text: string): string => `## Release note\n\n${text}`;
  const pulls = [
    aPull(1, { title: 'feat: parse twice', labels: ['type: feature', 'highlight'], body: note('Read files faster.') }),
    aPull(2, { title: 'feat: parse again', labels: ['type: feature', 'highlight'], body: note('Read files faster.') }),
    aPull(3, { title: 'chore: bump the linter', labels: ['highlight'] }),
    aPull(4, { title: 'fix: close a hole in `login`', labels: ['security', 'highlight', 'area: login'] }),
    aPull(5, { title: 'feat: sort', labels: ['type: feature'] }),
    aPull(6, { title: 'feat!: drop v1', labels: ['highlight'], body: note('Use v2.') }),
  ];
  const { bodyMd, flags } = compose(memorySource({ pulls }), all, 'customer');
  assert.deepEqual([...flags.highlights].sort(), [
    'Parse again',
    'Read files faster.',
    'Security update: login',
    'Use v2.',
  ]);
  for (const highlight of flags.highlights) assert.ok(bodyMd.includes(`- ${highlight} <!--`), highlight);
});
