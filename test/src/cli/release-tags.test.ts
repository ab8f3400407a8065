/** Tests which two tags are the newest releases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestReleases } from '../../../src/cli/release-tags.ts';

/** Makes tags, the oldest first. */
function tags(...names: string[]) {
  return names.map((name, at) => ({ name, date: null, pushedAt: at }));
}

test('versions decide which releases are the newest', () => {
  assert.deepEqual(newestReleases(tags('v1.9.0', 'v1.10.0', 'v1.2.0')), ['v1.9.0', 'v1.10.0']);
  assert.deepEqual(newestReleases(tags('1.0.0', 'v1.1.0', 'v1.0.1')), ['v1.0.1', 'v1.1.0']);
  assert.deepEqual(newestReleases(tags('v1.1', 'v1.1.1+build.5')), ['v1.1', 'v1.1.1+build.5']);
});

test('prereleases and moving tags do not count', () => {
  assert.deepEqual(newestReleases(tags('v1.0.0', 'v1.1.0', 'v2.0.0-rc.1', 'v1', 'latest')), ['v1.0.0', 'v1.1.0']);
});

test('both tags are of the package that was released last, or match the pattern', () => {
  const all = tags('core@1.0.0', 'ui@3.0.0', 'core@1.1.0', 'ui@3.1.0', 'core@1.2.0');
  assert.deepEqual(newestReleases(all), ['core@1.1.0', 'core@1.2.0']);
  assert.deepEqual(newestReleases(all, 'ui@*'), ['ui@3.0.0', 'ui@3.1.0']);
  assert.equal(newestReleases(all, 'ui.*'), undefined);
});

test('dates decide without versions, and one tag is not enough', () => {
  const dated = [
    { name: 'spring', date: 300, pushedAt: 1 },
    { name: 'winter', date: 100, pushedAt: 2 },
    { name: 'summer', date: null, pushedAt: 200 },
  ];
  assert.deepEqual(newestReleases(dated), ['summer', 'spring']);
  assert.equal(newestReleases(tags('v1.0.0')), undefined);
  assert.equal(newestReleases([]), undefined);
});
