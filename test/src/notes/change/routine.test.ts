/** Tests which titles are routine work without a change of its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRoutine } from '../../../../src/notes/change/routine.ts';
import { parseTitle } from '../../../../src/notes/change/title.ts';

test('recognizes merges, steps of a release, and lists of ignored files', () => {
  for (const title of [
    "Merge branch 'main' into x",
    "Merge remote-tracking branch 'origin/main'",
    'Merge main into dev',
    'main -> release-1.2',
    'Forward-port release-1.2 into main',
    'sync main to next',
    'Merge PR #12',
    'Rollup of 7 pull requests',
    'Prepare changelog',
    'chore: update CHANGELOG.md',
    'prep 1.2.3',
    'Prepare release',
    'Release notes for 1.2.3',
    'Cherry-picks for 1.2.3',
    'Backports for release-1.2',
    'Approve workflows',
    'Ignore dist.md',
    'gitignore *.log',
    'Update dependencies',
    'Upgrade all dependencies',
    'Refresh lockfile',
    'Initial commit',
    'Trigger CI',
    'Prepare main branch for v1.13',
    'feat: prepare main branch for v1.13',
    'docs: update changelog',
    'Prepare release-1.2 for the next version',
    'Release notes `v1.2.0-rc.1` fix',
    'update release v1.12.0 beta.1',
  ])
    assert.equal(isRoutine(parseTitle(title)), true, title);
});

test('keeps changes with similar words', () => {
  for (const title of [
    'Merge two sorted lists',
    'Merge main menu and side menu',
    'Sync release notes with the host every hour',
    'Update changelog parser',
    'Update release v1.2 upload step',
    'Update release page',
    'Update release v1.2 to use Node 20',
    'Update release 1.2 images to Go 1.24',
    'feat: changelog updates',
    'Release notes fix',
    'web: prepare changelog',
    'Prepare orders for 1.2.3 customers',
    'Prepare next page for new accounts',
    'Approve orders',
    'Ignore empty rows',
    'Ignore .md files',
    'Update dependency a to v2',
    'Cherry-pick fixes',
    'Port release 1.2 to ARM',
    'Allow workflows to wait',
    'Run CI tools of plugins',
    'fix: Ignore robots.txt',
    'feat(api): allow workflows',
    'feat: add release notes',
    'feat: merge branches',
  ])
    assert.equal(isRoutine(parseTitle(title)), false, title);
});
