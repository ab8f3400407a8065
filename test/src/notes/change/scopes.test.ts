/** Tests which areas concern only developers of a project or readers of its documentation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaningOfScope, sharedMeaning } from '../../../../src/notes/change/scopes.ts';

test('recognizes areas of tests, CI, tools and documentation, also as the first part of a path', () => {
  for (const area of ['test', 'Tests', 'tests/e2e', 'CI/CD', '.github', 'gh-actions', 'github_actions', 'pre-commit'])
    assert.equal(meaningOfScope(area), 'inside', area);
  for (const area of ['docs', 'docs/Reference', 'README', 'examples'])
    assert.equal(meaningOfScope(area), 'documentation', area);
  for (const area of ['api', 'web', 'web/test', 'latest', 'testing-library', 'deps', 'github', 'Straße', ''])
    assert.equal(meaningOfScope(area), undefined, area);
});

test('several areas have a meaning only if each of them has one', () => {
  assert.equal(sharedMeaning(['test', 'ci']), 'inside');
  assert.equal(sharedMeaning(['docs', 'readme']), 'documentation');
  assert.equal(sharedMeaning(['docs', 'test']), 'inside');
  assert.equal(sharedMeaning(['test', 'api']), undefined);
  assert.equal(sharedMeaning(['api', 'test']), undefined);
  assert.equal(sharedMeaning([]), undefined);
});
