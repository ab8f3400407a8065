/**
 * Tests the parsing of titles, and the recognition of pull requests that only make a release.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRelease, isRoutine, isTranslation } from '../../../../src/notes/change/routine.ts';
import { parseTitle } from '../../../../src/notes/change/title.ts';
import { processorMs } from '../../../helpers/processor-time.ts';

function parts(title: string): [string | null, boolean, string, string] {
  const { type, breaking, areas, text } = parseTitle(title);
  return [type, breaking, areas.join('|'), text];
}

test('reads conventional prefixes', () => {
  assert.deepEqual(parts('feat(parser)!: add x'), ['feature', true, 'parser', 'Add x']);
  assert.deepEqual(parts('fix: `a` breaks'), ['fix', false, '', '`a` breaks']);
  assert.deepEqual(parts('docs(api,cli): more'), ['documentation', false, 'api|cli', 'More']);
  assert.deepEqual(parts('chore!: drop Node 18'), [null, true, '', 'Drop Node 18']);
  assert.deepEqual(parts('ci: faster'), [null, false, '', 'Faster']);
});

test('reads signs and bracketed prefixes', () => {
  assert.deepEqual(parts('✨ Add taints'), ['feature', false, '', 'Add taints']);
  assert.deepEqual(parts('⚠️ ✨ clusterctl: Block move'), ['feature', true, 'clusterctl', 'Block move']);
  assert.deepEqual(parts('[release-1.12] :bug: fix: send it'), ['fix', false, '', 'Send it']);
  assert.deepEqual(parts('[release-1.13]🌱Bump x'), [null, false, '', 'Bump x']);
  assert.deepEqual(parts('[release-1.13] :seedling: Bump x'), [null, false, '', 'Bump x']);
  assert.deepEqual(parts('[UI] :seedling: rows: bump x'), [null, false, 'UI', 'rows: bump x']);
  assert.deepEqual(parts('[release-1.13]: :bug:Send it'), ['fix', false, '', 'Send it']);
  assert.deepEqual(parts('[release-1.13] - fix: send it'), ['fix', false, '', 'Send it']);
  assert.deepEqual(parts('[UI]:fix: send it'), ['fix', false, 'UI', 'Send it']);
  assert.deepEqual(parts('(2.15) [FIXED] slow start.'), ['fix', false, '', 'Slow start']);
  assert.equal(parseTitle('[Backport 4.x] fix: it').target, 'Backport 4.x');
});

test('keeps identifiers and unknown words', () => {
  assert.equal(parseTitle('setErrorHandler throws').text, 'setErrorHandler throws');
  assert.equal(parseTitle('npm ignores files').text, 'npm ignores files');
  assert.equal(parseTitle('[2 of 3] a thing').text, '[2 of 3] a thing');
  assert.equal(parseTitle('What: is this now').text, 'Is this now');
  assert.equal(parseTitle('Wait for https://x.example').text, 'Wait for https://x.example');
});

test('reads the title prefixes of many projects', () => {
  const known: [string, [string | null, boolean, string, string]][] = [
    ['BREAKING CHANGE: drop X', [null, true, '', 'Drop X']],
    ['feat!(core): drop X', ['feature', true, 'core', 'Drop X']],
    ['feat: drop X [BREAKING]', ['feature', true, '', 'Drop X']],
    ['[BC Break] Drop X', [null, true, '', 'Drop X']],
    ['fix[scope]: handle null', ['fix', false, 'scope', 'Handle null']],
    ['feat(core) add x', ['feature', false, 'core', 'Add x']],
    ['fix：登录崩溃', ['fix', false, '', '登录崩溃']],
    ['improvement: faster start', [null, false, '', 'Faster start']],
    ['WIP: try it', [null, false, '', 'Try it']],
    ['[Core][Bugfix] Send it', ['fix', false, 'Core', 'Send it']],
    ['[Bug]: it hurts', ['fix', false, '', 'It hurts']],
    ['fix: don’t lose it', ['fix', false, '', 'Don’t lose it']],
    ['Feature request: a hook', ['feature', false, '', 'A hook']],
    ['[UI] Wrong colour', [null, false, 'UI', 'Wrong colour']],
    ['🩹 Mend it', ['fix', false, '', 'Mend it']],
    ['feat: 🎸 add guitar', ['feature', false, '', 'Add guitar']],
    ['Feature/add-search', ['feature', false, '', 'Add search']],
    ['docs/guide.md: fix typo', [null, false, 'docs/guide.md', 'Fix typo']],
  ];
  for (const [title, expected] of known) assert.deepEqual(parts(title), expected, title);
  assert.equal(parseTitle('🎉').text, '🎉');
});

test('a word with a colon and no blank is a part of a name', () => {
  for (const title of ['build:prod fails', 'test:unit is slow', 'docs:build and `lint:fix`', 'ci:* is gone'])
    assert.deepEqual(parts(title), [null, false, '', title]);
  assert.deepEqual(parts('fix: build:prod fails'), ['fix', false, '', 'build:prod fails']);
  assert.deepEqual(parts('fix:typo in rows'), ['fix', false, '', 'Typo in rows'], 'people forget the blank');
  assert.deepEqual(parts('docs:Explain rows'), ['documentation', false, '', 'Explain rows']);
  assert.deepEqual(parts('docs:说明'), ['documentation', false, '', '说明']);
  assert.deepEqual(parts('test(api):rows'), [null, false, 'api', 'Rows']);
  assert.deepEqual(parts('build!:drop rows'), [null, true, '', 'Drop rows']);
});

test('separates keys and numbers of issues from the words', () => {
  const keyed = {
    'SHOP-142: Move it': ['SHOP-142'],
    'SHOP-142; Move it': ['SHOP-142'],
    'SHOP-142 Move it': ['SHOP-142'],
    '[SHOP-142][UI] Move it': ['SHOP-142'],
    'feat(SHOP-142): move it': ['SHOP-142'],
    'OPS-1,SHOP-2: Move it': ['OPS-1', 'SHOP-2'],
    'feature/SHOP-142-move-it': ['SHOP-142'],
    'Move it [SHOP-142]': ['SHOP-142'],
    'gh-98765: Move it (GH-98766) (#98800)': ['gh-98765'],
    'GH-98765: Move it (GH-98766)': ['GH-98765'],
    'Fixed #12, Refs #34 -- Move it.': ['#12', '#34'],
    '#1234 - Move it': ['#1234'],
    'Closes #12: move it': ['#12'],
    'move it. (Closes #12) (#13)': ['#12'],
  };
  for (const [title, keys] of Object.entries(keyed)) {
    const { keys: found, areas, text } = parseTitle(title);
    assert.deepEqual([found, text], [keys, 'Move it'], title);
    assert.deepEqual(areas, title.includes('[UI]') ? ['UI'] : [], title);
  }
  const none = ['UTF-8 decoding of names', 'SHA-256 sums', 'Use UTF-8', 'Fixes #12', '#12', 'X-1 is out', 'Step 1-2'];
  for (const title of none) assert.deepEqual(parseTitle(title), { ...parseTitle(title), keys: [], text: title }, title);
});

test('removes the marks of backports', () => {
  const picked = [
    'Automated cherry pick of #12: fix: send it',
    'Backport PR #12 on branch v1.x (fix: send it)',
    'Backport #12 to 8.3: fix: send it',
    'fix: send it (backport #12)',
    'fix: send it [1.12]',
    'fix: send it (1.2 backport)',
    '[stable28] fix: send it',
    '[6-0-stable] fix: send it',
    '[2.7 backport] fix: send it',
    '🍒 fix: send it',
    'v1.2: fix: send it',
    'backport: fix: send it (#12)',
  ];
  for (const title of picked) assert.deepEqual(parts(title), ['fix', false, '', 'Send it'], title);
  assert.equal(parseTitle('Backport #12').text, 'Backport #12');
  assert.equal(parseTitle('Cherry-pick #12 into release-1.2').text, 'Cherry-pick #12 into release-1.2');
});

test('removes the numbers that tools append', () => {
  assert.equal(parseTitle('fix: reorder it (#12) (#34)').text, 'Reorder it');
  assert.equal(parseTitle('(#12)').text, '(#12)');
});

test('recognizes titles that only make a release', () => {
  const yes = [
    'Release v1.2.3',
    'chore(main): release 1.2.3',
    '🚀 Release v1.9.0-rc.1',
    '🌱 Release v1.2.0',
    'Bump version',
    'v5.1.0',
    'Bumped v5.1.0',
  ];
  const more = [
    'chore: release @acme/rocket@1.2.3',
    'Prepare main for v1.11 development',
    'Prepare release v2.0.0',
    'Bump version to 2.0.0',
    'Bump version: 1.2.3 → 1.2.4',
    'Version Packages (beta)',
    'chore: release main',
    'chore(main): release rocket 1.2.3 and moon 2.0.0',
    'chore(release): publish',
    '[ci] release',
    '🔖 v1.2.3',
    'docs: update CHANGELOG for v1.2.3',
    '[maven-release-plugin] prepare release rocket-1.2.3',
    'Set version to 1.3.0-SNAPSHOT',
    'Start 1.4 development cycle',
  ];
  for (const title of [...yes, ...more]) assert.equal(isRelease(parseTitle(title)), true, title);
  const no = [
    'Release the lock',
    '🚀 Faster start',
    'govulncheck: bump to v1.1.4',
    'Bump go to v1.22.1',
    'Support v1.2.3',
    'Prepare statements once',
    'Release v2 API',
    'Publish',
    'Bump version of Go in CI',
    'Add release notes page',
    'Update docs for v2.1',
  ];
  for (const title of no) assert.equal(isRelease(parseTitle(title)), false, title);
});

test('recognizes merges of branches and imports of translations', () => {
  const yes = [
    "Merge branch 'develop' into main",
    'Merge release/1.2.3 into main',
    'Merge pull request #12 from ada/topic',
    'Sync main with develop',
    'develop → main',
    'Rollup of 7 pull requests',
    'Prepare changelog',
    'prep 1.2.3',
    'Approve workflows',
    'Ignore notes.md',
    'Update dependencies',
    'Cherry-picks for v1.2.3',
  ];
  for (const title of yes) assert.equal(isRoutine(parseTitle(title)), true, title);
  const imports = [
    'Translations update from Hosted Weblate',
    'New Crowdin updates',
    'chore(i18n): automatic translation update',
  ];
  for (const title of imports) assert.equal(isTranslation(parseTitle(title)), true, title);
  const no = [
    'Merge two lists in one pass',
    'Sync contacts with the phone',
    'Add German translations',
    'Merge tags by name',
    'Ignore case in search',
    'Update dependencies of a task when it moves',
    'Allow workflows to be paused',
    'Prepare statements once',
  ];
  for (const title of no) {
    assert.equal(isRoutine(parseTitle(title)), false, title);
    assert.equal(isTranslation(parseTitle(title)), false, title);
  }
});

test('hostile titles take little time', () => {
  const read = (title: string): void => {
    const parsed = parseTitle(title);
    isRelease(parsed);
    isRoutine(parsed);
  };
  for (const unit of ['(a', '[', '🐛', '🎉', 'feat(', 'a:', '#1)', '(#1', 'fix: ', '#1, ', 'A-1 ', '[a]', 'fix #1 ']) {
    assert.ok(processorMs(() => read(unit.repeat(30_000))) < 500, unit);
  }
});
