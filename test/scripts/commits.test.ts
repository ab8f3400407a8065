/** Tests the check of commit subjects. Uses made-up subjects, and repositories with and without release tags. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/ports.ts';

const { commitsToCheck, faultsOf } = await import(new URL('../../../scripts/commits.mjs', import.meta.url).href);

const hasGit = spawnSync('git', ['--version']).status === 0;

test('a good subject has no faults', () => {
  for (const subject of [
    'feat(journal): bound the waiting queue by bytes',
    'fix(workers/partition): keep the cursor when a batch is rolled back',
    'docs: process the list of guarantees',
    'refactor!: address each table by its registry',
    'test(api,http): pass hostile headers',
    'perf(store): embed keys',
  ])
    assert.deepEqual(faultsOf(subject), [], subject);
});

test('a bad subject has a fault that names what was expected', () => {
  const faults: [string, RegExp][] = [
    ['bound the queue', /expected "type\(folder\): text"/],
    ['feature(api): bound the queue', /with one of feat, fix/],
    ['fix(api): bounded the queue', /the imperative/],
    ['fix(api): bounds the queue', /the imperative/],
    ['fix(api): bounding the queue', /the imperative/],
    ['fix(api): Bound the queue', /a lower-case letter/],
    ['fix(api): bound the queue.', /no full stop/],
    [`fix(api): bound ${'the queue '.repeat(7)}`.trim(), /the maximum is 72/],
  ];
  for (const [subject, fault] of faults) assert.match(faultsOf(subject).join('\n'), fault, subject);
});

test('commits since the last release tag are checked, else those that main lacks', { skip: !hasGit }, (t) => {
  const root = temporaryFolder(t);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const commit = (subject: string) => git('commit', '--allow-empty', '-q', '-m', subject);
  const subjects = () => commitsToCheck(root)?.map(([, subject]: [string, string]) => subject);
  assert.equal(subjects(), undefined, 'a folder without git');
  git('init', '-q', '-b', 'main');
  commit('first');
  assert.deepEqual(subjects(), [], 'on main');
  git('checkout', '-q', '-b', 'work');
  commit('second');
  assert.deepEqual(subjects(), ['second'], 'on a branch');
  git('tag', 'v1.0.0');
  commit('third');
  assert.deepEqual(subjects(), ['third'], 'after a tag');
});
