/**
 * Tests the kinds that the words of a title show. Only leading verbs decide, except for words about tests, CI and
 * documentation.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changesExisting,
  isDocumentText,
  isInsideText,
  kindOfWords,
  mayBreak,
  type WordKind,
} from '../../../../src/notes/change/leading-words.ts';

function assertKinds(kind: WordKind | undefined, titles: readonly string[]): void {
  for (const title of titles) assert.equal(kindOfWords(title), kind, title);
}

test('leading verbs show a fix', () => {
  assertKinds('fix', [
    'Fix crash when the file is empty',
    'Fixes the offset',
    'Bugfix for uploads',
    'Prevents a hang',
    'Correctly parse dates',
    'Resolve the race in the loader',
    'Avoid reading twice',
    'Stop the timer on close',
    'Handle a panic in the parser',
    'Handle null values in rows',
    'Do not lose the cursor',
    'Don’t lose the cursor',
    "Doesn't lose the cursor",
    'No longer loses the cursor',
    'Never lose the cursor',
    'Add missing index on users',
    'Work around a stuck connection',
    'Guard against empty rows',
    'Regression in sorting',
  ]);
});

test('the name of a fault shows a fix, unless the title adds something', () => {
  assertKinds('fix', ['Memory leak in the parser', 'Data race in the pool', 'Panic when the file is gone']);
  assertKinds('feature', ['Add detection of deadlocks']);
});

test('leading verbs show a feature, if an object follows', () => {
  assertKinds('feature', [
    'Support several accounts on one host',
    'Allow plugins to read the cursor',
    'Introduce a job queue',
    'Implement the second protocol',
    'Expose the retry count',
    'Enable compression for uploads',
    'Added CSV export',
    'Adding a button to the page',
    'Initial support for ARM',
  ]);
  assertKinds(undefined, ['Add lambdatest', 'Support it', 'Enable']);
});

test('leading verbs show better performance', () => {
  assertKinds('performance', [
    'Speed up the start',
    'Optimise lookups',
    'Improve performance of lookups',
    'Increase the write throughput',
    'Reduce allocations in the hot path',
    'Reduce the memory of large imports',
    'Make the start 20 % faster',
  ]);
});

test('many titles stay undecided', () => {
  assertKinds(undefined, [
    'Improve the error message',
    'Reduce noise in the dashboard',
    'Handle two accounts at once',
    'Add a warning about quotas',
    'Add more logging',
    'Additional checks for rows',
    'Allowlist for hosts',
    'Correctness of results',
    'Resolver for hosts',
    'Stopwatch for jobs',
    'Handler for webhooks',
    'Use a pool for connections',
    'Update the parser',
    'Improve search',
    'Move files',
    'Remove the flag --old',
    'The cursor can now be fixed',
    '',
    '漢字を直す',
  ]);
});

test('words about tests, CI and refactoring show inside work, anywhere in a title', () => {
  const titles = [
    'Add unit tests for the parser',
    'Fix flaky upload',
    'Fix lint errors',
    'Fix CI',
    'Add GitHub Actions workflow',
    'Add fixtures for the parser',
    'Refactor the loader',
    'Clean up the loader',
    'Speed up the e2e runs',
  ];
  assertKinds('inside', titles);
  for (const title of titles) assert.equal(isInsideText(title), true, title);
  assertKinds('feature', ['Add test mode for webhooks', 'Support test accounts on hosts']);
});

test('words about documentation show documentation, anywhere in a title', () => {
  const titles = [
    'Fix typo in the parser',
    'Update README.md',
    'Update docs/guide.rst',
    'Add a tutorial for plugins',
    'Fix link to guide',
    'Broken link on the start page',
  ];
  assertKinds('documentation', titles);
  for (const title of titles) assert.equal(isInsideText(title), true, title);
  assertKinds('documentation', ['Document the retry count', 'Clarify the error of the loader']);
  assert.equal(isInsideText('Document the retry count'), false, 'a leading verb alone does not hide a change');
});

test('names and code are not words', () => {
  assertKinds(undefined, ['Make `docs` configurable', 'Show `test` first']);
  assertKinds('fix', ['Fix `README` lookup', 'Fix `ci.yml` parsing', 'Fix my-docs parsing', 'Fix docs.rs parsing']);
  assertKinds('feature', ['Add `test` command to the host', 'Add /docs endpoint for hosts']);
  assert.equal(isInsideText('Read `README.md` twice'), false);
});

test('a title is about a document only where a phrase ends with the document', () => {
  for (const title of [
    'Add a proposal for node groups',
    'Fix MIT licence file',
    'Improve the docs of the parser',
    'Typo in the v5 migration docs',
    'Updates the README',
  ]) {
    assert.equal(isDocumentText(title), true, title);
  }
  for (const title of ['Add docs search', 'Fix docs page on mobile', 'Add `docs`', 'Show the roadmap', 'Use docs']) {
    assert.equal(isDocumentText(title), false, title);
  }
});

test('a leading word shows that a change changes something that exists', () => {
  for (const title of [
    'Improve search',
    'Dropped rows',
    'Uses the new parser',
    'Moving rows',
    'Simplifies rows',
    'Use',
  ])
    assert.equal(changesExisting(title), true, title);
  for (const title of ['Add search', 'User accounts', 'Movies', 'Dropdown lists', 'Tunnel mode', 'Updater', 'Fasten'])
    assert.equal(changesExisting(title), false, title);
});

test('leading words announce what may break', () => {
  for (const title of [
    'Remove the flag --old',
    'Drop support for Node 18',
    'Dropping the table',
    'Deprecate the old API',
    'Rename the field',
    'Require Node 22',
    'Change the default port',
    'Changed default port',
  ])
    assert.equal(mayBreak(title), true, title);
  for (const title of ['Dropdown is hidden', 'Change the port', 'Requirements for plugins', 'Do not remove rows'])
    assert.equal(mayBreak(title), false, title);
});
