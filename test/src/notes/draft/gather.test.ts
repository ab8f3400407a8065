/**
 * Tests which changes cancel each other out, which changes become one entry, who is credited, and which parts of bodies
 * are used.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announcesBreaking, impactText, releaseNote, upgradeText } from '../../../../src/notes/change/body.ts';
import { noteItems } from '../../../../src/notes/change/note.ts';
import { compose } from '../../../../src/notes/draft/compose.ts';
import type { Entry } from '../../../../src/notes/draft/entries.ts';
import { gather, type Notes } from '../../../../src/notes/draft/gather.ts';
import type { PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };

function notes(memory: Memory, bounds: RangeBounds = all): Notes {
  return gather(memorySource(memory), bounds);
}

const numberOf = ({ marker }: Entry): number => Number(marker.slice('pr:'.length));
/** Returns the numbers of the pull requests that have an entry. */
const ids = ({ entries }: Notes): number[] => entries.filter(({ pull }) => pull !== null).map(numberOf);

test('drops a change and its revert, by number, hash or title', () => {
  const original = aPull(1, { title: 'fix: a thing (#1)' });
  for (const fields of [
    { title: 'Undo it', body: 'Reverts acme/rocket#1' },
    { title: 'Revert "fix: a thing"', body: 'This reverts commit m1.' },
    { title: 'Revert "fix: a thing (#1)"' },
    { title: 'revert: fix: a thing', body: 'Reverts #1' },
    { title: '[v2] Revert "fix: a thing"' },
  ]) {
    const made = notes({ pulls: [original, aPull(2, fields), aPull(3)] });
    assert.deepEqual(ids(made), [3], JSON.stringify(fields));
    assert.deepEqual(made.dropped, [
      { number: 1, reason: 'reverted', detail: '#2' },
      { number: 2, reason: 'reverts', detail: '#1' },
    ]);
  }
});

test('finds the reverted change by its title only', () => {
  for (const title of ['Revert #1', 'Revert PR #1', 'revert: #1', 'Revert Add sorting', 'Reverts add sorting (#1)']) {
    const pulls = [aPull(1, { title: 'Add sorting' }), aPull(2, { title })];
    assert.deepEqual(gather(memorySource({ pulls }), all).entries, [], title);
  }
  const again = [
    aPull(1, { title: 'Add sorting' }),
    aPull(2, { title: 'Revert "Add sorting"' }),
    aPull(3, { title: 'Reapply "Add sorting"' }),
  ];
  assert.deepEqual(gather(memorySource({ pulls: again }), all).entries.map(numberOf), [1]);
});

test('keeps a change that was reverted in part', () => {
  const parts = [
    { title: 'Drop the second sorting', body: 'This partially reverts #1.' },
    { title: 'Partial revert of sorting', body: 'Reverts acme/rocket#1' },
    { title: 'Revert to the old parser' },
    { title: 'Sort twice', body: 'This does not reverts #1' },
  ];
  for (const part of parts) {
    const pulls = [aPull(1, { title: 'Add sorting' }), aPull(2, part)];
    const { entries, reverted } = gather(memorySource({ pulls }), all);
    assert.deepEqual([entries.map(numberOf), reverted], [[1, 2], []], part.title);
  }
});

test('a second revert restores a change and a third one drops it', () => {
  const chain = [
    aPull(1),
    aPull(2, { title: 'Revert "Change 1"', body: 'Reverts #1' }),
    aPull(3, { title: 'Revert "Revert "Change 1""', body: 'Reverts #2' }),
    aPull(4, { title: 'Revert "Revert "Revert "Change 1"""', body: 'Reverts #3' }),
  ];
  assert.deepEqual(ids(notes({ pulls: chain.slice(0, 2) })), []);
  assert.deepEqual(ids(notes({ pulls: chain.slice(0, 3) })), [1]);
  assert.deepEqual(ids(notes({ pulls: chain })), []);
});

test('a direct commit drops the change it reverts, and a second one lists it again', () => {
  const tags = [aTag('v1', 'm0'), aTag('v2', 'end')];
  const pulls = [aPull(1, { mergeSha: 'abcdef1' }), aPull(3)];
  const made = (commits: string[], more = pulls) =>
    notes(
      {
        tags,
        pulls: more,
        ...history(
          aPush('main', null, ['m0'], 0),
          aPush('main', 'm0', ['abcdef1'], 1),
          ...commits.map((text, i) => aPush('main', commits[i - 1]?.split('|')[0] ?? 'abcdef1', [text], i + 4)),
        ),
      },
      { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' },
    );
  const byHand = 'bcdef12|Revert "Change 1 (#1)"\n\nThis reverts commit abcdef1.';
  const once = made([byHand, 'm3', 'end|Version']);
  assert.deepEqual(ids(once), [3]);
  assert.deepEqual(once.dropped, [{ number: 1, reason: 'reverted', detail: 'bcdef12' }]);
  assert.deepEqual(
    once.entries.flatMap(({ commit }) => commit?.sha ?? []),
    ['end'],
  );
  const twice = made([byHand, 'cdef123|Reapply "Change 1 (#1)"\n\nThis reverts commit bcdef12.', 'm3', 'end|Version']);
  assert.deepEqual([ids(twice), twice.dropped], [[1, 3], []]);
  assert.deepEqual(
    twice.entries.flatMap(({ commit }) => commit?.sha ?? []),
    ['end'],
  );
  const reverted = { title: 'Revert "Revert "Change 1 (#1)""', body: 'This reverts commit bcdef12.', mergedAt: day(9) };
  for (const fields of [reverted, { ...reverted, body: '' }]) {
    const byPull = made([byHand, 'm3', 'm9|Redo', 'end|Version'], [...pulls, aPull(9, fields)]);
    assert.deepEqual(ids(byPull), [1, 3]);
    assert.deepEqual(byPull.dropped, [{ number: 9, reason: 'reverts', detail: 'bcdef12' }]);
  }
});

test('shows the revert of a change that was shipped before', () => {
  const pulls = [
    aPull(1),
    aPull(2, { title: 'Revert "Change 1"', body: 'Reverts #1' }),
    aPull(3, { title: 'Revert "Revert "Change 1""', body: 'Reverts #2' }),
  ];
  const reverted = notes({ pulls }, { ...all, fromPrNumber: 2, toPrNumber: 2 });
  assert.deepEqual(
    reverted.reverted.map(({ pull, target }) => [pull.number, target?.number]),
    [[2, 1]],
  );
  const restored = notes({ pulls }, { ...all, fromPrNumber: 3 });
  assert.deepEqual(
    restored.entries.map((entry) => [numberOf(entry), entry.text]),
    [[3, 'Change 1']],
  );
});

test('a revert on another branch does not cancel a change where the range spans branches', () => {
  const made = notes({
    pulls: [aPull(1), aPull(2, { title: 'Revert "Change 1"', body: 'Reverts #1', baseRef: 'release' })],
  });
  assert.deepEqual([ids(made), made.reverted.length], [[1], 1]);
});

test('a body that only mentions a revert is not a revert', () => {
  assert.deepEqual(
    ids(notes({ pulls: [aPull(1), aPull(2, { body: 'This reverts commit 0123456789abcdef.' })] })),
    [1, 2],
  );
});

test('folds backports under the original', () => {
  const pulls = [
    aPull(1, { title: 'feat: x', labels: ['area: core'], author: { login: 'ada', bot: false } }),
    aPull(2, {
      title: '[release-1] feat: x',
      body: 'Backport of #1',
      baseRef: 'release-1',
      author: { login: 'bot[bot]', bot: true },
    }),
    aPull(3, { title: 'x (#1)', headRef: 'cherry-pick-1-to-release-2', baseRef: 'release-2', labels: ['type: bug'] }),
    aPull(4, { title: 'Backport of #1', body: 'Backport of #1' }),
  ];
  const [entry, other] = notes({ pulls }).entries;
  assert.deepEqual(
    [entry?.marker, entry?.section, entry?.backports.map(({ number }) => number)],
    ['pr:1', 'feature', [2, 3]],
  );
  assert.equal(other?.marker, 'pr:4');
  const [alone] = notes({ pulls }, { ...all, fromPrNumber: 3, toPrNumber: 3 }).entries;
  assert.deepEqual([alone?.marker, alone?.text, alone?.section, alone?.people], ['pr:3', 'X', 'fix', ['ada']]);
});

test('leaves out skip labels and release pull requests', () => {
  const made = notes({
    pulls: [aPull(1, { labels: ['skip-changelog'] }), aPull(2, { title: 'chore(main): release 1.2.3' }), aPull(3)],
  });
  assert.deepEqual(ids(made), [3]);
  assert.deepEqual(
    made.dropped.map(({ reason }) => reason),
    ['label', 'release'],
  );
});

test('sorts by priority, then merge order, then number', () => {
  const pulls = [
    aPull(1, { mergedAt: day(9) }),
    aPull(2, { mergedAt: day(3) }),
    aPull(3, { mergedAt: day(3) }),
    aPull(4, { labels: ['priority: high'] }),
  ];
  assert.deepEqual(ids(notes({ pulls })), [4, 2, 3, 1]);
});

test('credits only people, as authors and co-authors', () => {
  const { commits } = history(aPush('main', 'm0', ['m1'], 1));
  const made = notes({
    commits: commits.map((commit) => ({ ...commit, coAuthors: ['Grace', 'ADA', 'dependabot[bot]', 'copilot'] })),
    pulls: [
      aPull(1),
      aPull(2, { author: { login: 'ghost', bot: false } }),
      aPull(3, { labels: ['skip-changelog'], author: { login: 'eve', bot: false } }),
    ],
  });
  assert.deepEqual(made.contributors, ['ada', 'Grace']);
});

test('lists first contributions only where earlier history is captured', () => {
  const bob = { author: { login: 'bob', bot: false } };
  const pulls = [aPull(1), aPull(2, bob), aPull(3), aPull(4, { author: { login: 'Bob', bot: false } })];
  const logins = (bounds: RangeBounds, memory: Memory = { pulls }): string[] =>
    notes(memory, bounds).firstContributions.map(({ login }) => login);
  assert.deepEqual(logins(all), ['ada', 'bob']);
  assert.deepEqual(logins({ ...all, fromPrNumber: 3 }), []);
  assert.deepEqual(logins({ ...all, fromPrNumber: 50 }, { pulls: [aPull(50)] }), []);
});

test('lists a first contribution that the host reports without earlier history', () => {
  const by = (login: string, firstTime?: boolean, bot = false) => ({
    author: { login, bot },
    ...(firstTime !== undefined && { firstTime }),
  });
  const first = (...pulls: PullRecord[]): string[] =>
    notes({ pulls }, { ...all, fromPrNumber: 50 }).firstContributions.map(
      ({ login, pull }) => `${login} ${pull.number}`,
    );
  assert.deepEqual(first(aPull(50, by('ada')), aPull(51, by('bob', true))), ['bob 51'], 'ada is unknown');
  assert.deepEqual(first(aPull(50, by('ada')), aPull(51, by('bob', false))), []);
  assert.deepEqual(first(aPull(50, by('bob', true)), aPull(51, by('Bob', true))), ['bob 50'], 'both were open at once');
  assert.deepEqual(first(aPull(50, { ...by('bob', true), mergedAt: day(60) }), aPull(51, by('bob', true))), ['bob 51']);
  assert.deepEqual(first(aPull(9, by('bob')), aPull(51, by('bob', true))), [], 'bob had one before the range');
  assert.deepEqual(first(aPull(50, by('new[bot]', true, true)), aPull(51, by('renovate', true))), [], 'bots');
  assert.deepEqual(first(aPull(50, by('ghost', true))), []);
});

test('lists no first contribution of an author whom the host called a contributor before the merge', () => {
  const by = (login: string, firstTime?: boolean) => ({
    author: { login, bot: false },
    ...(firstTime !== undefined && { firstTime }),
  });
  const pulls = [aPull(1, by('ada', false)), aPull(2, by('bob')), aPull(3, by('cleo', true))];
  const first = notes({ pulls }, all).firstContributions.map(({ login, pull }) => `${login} ${pull.number}`);
  assert.deepEqual(first, ['bob 2', 'cleo 3'], 'complete history decides about bob only');
});

test('lists only issues that were closed as done and without a pull request', () => {
  const issues = [
    anIssue(10),
    anIssue(11, { stateReason: 'not_planned' }),
    anIssue(12, { labels: ['Duplicate'] }),
    anIssue(13),
    anIssue(14, { state: 'open', closedAt: null }),
  ];
  const made = notes({ pulls: [aPull(1, { linkedIssues: [13, 14] })], issues });
  assert.deepEqual(
    made.closedIssues.map(({ number }) => number),
    [10],
  );
  assert.deepEqual(
    made.openIssues().map(({ number }) => number),
    [14],
  );
  assert.deepEqual(
    made.entries[0]?.issues.map(({ number }) => number),
    [13],
  );
});

test('finds upgrade steps under a heading or in a footer', () => {
  assert.equal(
    upgradeText('Intro\n\n### Migration guide\n\nDo it.\n\n#### Step\n\nMore.\n\n## Testing\n\nNo.'),
    'Do it.\n\n**Step**\n\nMore.',
  );
  assert.equal(
    upgradeText('## Upgrade\n\nMove it.\n\n```release-note\nMoved.\n```\n\nThen start.\n\nCloses #12'),
    'Move it.\n\n\nThen start.',
  );
  assert.equal(upgradeText('x\n\nBREAKING CHANGE: gone\nfor good\nSigned-off-by: a'), 'gone\nfor good');
  assert.equal(upgradeText('## Upgrade\r\n\r\n```sh\r\n# not a heading\r\n```\r\n'), '```sh\n# not a heading\n```');
  assert.equal(upgradeText('## Breaking\n\nNone\n'), '');
  assert.equal(upgradeText('<!-- ## Upgrade\n\nfrom a template -->'), '');
  assert.equal(impactText('**Impact**:\nAll users.'), 'All users.');
});

test('a list of squashed commits ends the steps, and a list of steps does not', () => {
  const steps = '* config: rename `old` to `new`\n* cli: use `--x`';
  assert.equal(upgradeText(`## Migration\n\n${steps}`), steps);
  assert.equal(upgradeText(`BREAKING CHANGE: gone\n\n${steps}`), `gone\n\n${steps}`);
  for (const subject of ['fix: rows', 'feat(ui)!: rows', 'chore: rows', 'docs: rows', 'revert: rows', 'ci: rows'])
    assert.equal(upgradeText(`## Migration\n\n${steps}\n\n* ${subject}\n\n* cli: rows`), steps, subject);
});

test('no address of a trailer reaches readers', () => {
  for (const name of ['Co-authored-by', 'Co-Authored-By', 'CO-AUTHORED-BY', 'Signed-Off-By', 'Helped-by', 'helped-by'])
    for (const trailer of [`${name}: Ada <ada@mail.example>`, `${name}:Ada <ada@mail.example>`]) {
      assert.equal(upgradeText(`x\n\nBREAKING CHANGE: gone\nfor good\n${trailer}`), 'gone\nfor good', trailer);
      assert.equal(upgradeText(`## Migration\n\nMove it.\n\n${trailer}`), 'Move it.', trailer);
      assert.deepEqual(releaseNote(`## Release note\n\nFaster\n\n${trailer}`), note('Faster'), trailer);
    }
  assert.equal(upgradeText('## Migration\n\nStep by step: move it.'), 'Step by step: move it.');
});

/** Returns a release note of one part. */
function note(text: string, label = ''): ReturnType<typeof releaseNote> {
  return { kind: 'text', parts: [{ label, text }] };
}

test('finds a release note written by hand', () => {
  assert.deepEqual(releaseNote('x\n```release-note\nFaster start\n```'), note('Faster start'));
  assert.deepEqual(releaseNote('## Release notes\n\nFaster start\n\n# More'), note('Faster start'));
  assert.deepEqual(releaseNote('```release-note\nNONE\n```'), { kind: 'none' });
  assert.equal(releaseNote('```release-note\n\n```'), undefined);
});

test('a block with the label "none" declines a note, whatever its text says', () => {
  const none = '```release-note:none\nInternal refactoring of billing\n```\n';
  assert.deepEqual(releaseNote(none), { kind: 'none' });
  assert.deepEqual(releaseNote(none.replace('none', 'NONE')), { kind: 'none' });
  assert.deepEqual(releaseNote('```release-note:none\n```'), { kind: 'none' });
  assert.deepEqual(releaseNote(`${none}\n\`\`\`release-note\n\n\`\`\``), { kind: 'none' });
  assert.deepEqual(releaseNote(`${none}\n\`\`\`release-note:bug\nFaster\n\`\`\``), note('Faster', 'bug'));
  const pulls = [aPull(1, { title: 'fix: mend rows', body: none })];
  assert.equal(compose(memorySource({ pulls }), all, 'customer').bodyMd, 'No changes for customers in this range.\n');
});

test('reads templates as their authors filled them in', () => {
  const asked = '## Breaking changes\n\n- [ ] Yes\n- [x] No\n\n## Changelog\n\n- [x] I have updated the changelog\n';
  assert.equal(upgradeText(asked), '');
  assert.equal(releaseNote(asked), undefined);
  const steps = '## Migration\n\n- [ ] Stop the service first\n- [ ] Run `rocket migrate` once';
  assert.match(upgradeText(steps), /Stop the service first/);
  for (const said of [
    'BREAKING CHANGE: none',
    'BREAKING CHANGE: No breaking changes.',
    'BREAKING CHANGES: there are no breaking changes',
  ])
    assert.equal(announcesBreaking(said), false, said);
  for (const said of [
    '**BREAKING CHANGE:** gone',
    '**BREAKING CHANGE**: gone',
    '- BREAKING CHANGE: gone',
    '💥 BREAKING CHANGE: gone',
  ]) {
    assert.equal(announcesBreaking(`Text\r\n\r\n${said}\r\n`), true, said);
    assert.equal(upgradeText(said), 'gone', said);
  }
});

test('reads every release note of a body, and a call to action as breaking', () => {
  assert.deepEqual(releaseNote('```release-note\n名前を変える\n```'), note('名前を変える'));
  for (const said of ['BREAKING CHANGE: переименовано', 'BREAKING CHANGE：名前を変える'])
    assert.equal(announcesBreaking(said), true, said);
  const many =
    '```release-note:bug\napi: no crash\n```\n\n```release-note\nNONE\n```\n\n~~~release-note:feature\napi: sorts\n~~~\n';
  assert.deepEqual(releaseNote(many), {
    kind: 'text',
    parts: [
      { label: 'bug', text: 'api: no crash' },
      { label: 'feature', text: 'api: sorts' },
    ],
  });
  const [call] = noteItems(releaseNote('```release-note\nACTION REQUIRED: move it\n```'));
  assert.deepEqual([call?.breaking, call?.markdown], [true, 'move it']);
});

test('a release note gives the steps of a breaking change that has no others', () => {
  const body = '```release-note\nRun `rocket migrate` before the update.\n```';
  const { flags, bodyMd } = compose(
    memorySource({ pulls: [aPull(1, { title: 'feat!: move it', body })] }),
    all,
    'engineer',
  );
  assert.equal(flags.upgradeInstructions, 'Move it (#1)\n\nRun `rocket migrate` before the update.');
  assert.match(bodyMd, /\n {2}> Run `rocket migrate` before the update\.\n/);
  const customer = compose(
    memorySource({ pulls: [aPull(1, { title: 'feat!: move it', body })] }),
    all,
    'customer',
  ).bodyMd;
  assert.equal(customer, '## Action required\n\n- Run `rocket migrate` before the update. <!-- rn:pr:1 -->\n');
});
