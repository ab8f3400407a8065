/** Tests how the versions in tag names are read, and which tags count as releases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, lineOfBranch, releaseTags, versionOf } from '../../../../src/notes/range/release-tags.ts';
import { aTag, day } from '../memory-source.ts';

const tagged = (...names: string[]) =>
  names.map((name, at) => aTag(name, `sha-${name}`, { date: day(at + 1), pushedAt: day(at + 1) }));
const namesOf = (names: string[], choice = {}) => releaseTags(tagged(...names), choice).map(({ name }) => name);

test('a version is read from the name of a tag', () => {
  const read = (name: string) => {
    const found = versionOf(name);
    return found && [found.prefix, found.version.version, found.hasPatch];
  };
  assert.deepEqual(read('v1.2.3'), ['v', '1.2.3', true]);
  assert.deepEqual(read('1.2'), ['', '1.2.0', false]);
  assert.deepEqual(read('pkg@2.0.0-rc.1'), ['pkg@', '2.0.0-rc.1', true]);
  assert.deepEqual(read('@scope/pkg@2.0.0'), ['@scope/pkg@', '2.0.0', true]);
  assert.deepEqual(read('test/v1.10.0'), ['test/v', '1.10.0', true]);
  assert.deepEqual(read('py3-1.2.0rc1'), ['py3-', '1.2.0-rc1', true]);
  assert.deepEqual(read('release_1.2.3_beta'), ['release_', '1.2.3-beta', true]);
});

test('a name without a version has none', () => {
  for (const name of ['v1', 'latest', 'nightly-20260102', '', '1.2.3.4', `v${'9'.repeat(40)}.1.0`])
    assert.equal(versionOf(name), undefined, name);
});

test('releases are sorted by version, and moving tags and prereleases are left out', () => {
  const names = ['v1.10.0', 'v1.9.0', 'v2.0.0-rc.1', 'latest', 'v2', 'v1.2'];
  assert.deepEqual(namesOf(names), ['v1.10.0', 'v1.9.0', 'v1.2']);
  assert.deepEqual(namesOf(names, { prereleases: true }), ['v2.0.0-rc.1', 'v1.10.0', 'v1.9.0', 'v1.2']);
});

test('releases without versions are sorted by date', () => {
  assert.deepEqual(namesOf(['spring', 'autumn', 'winter']), ['winter', 'autumn', 'spring']);
});

test('a pattern selects the tags of one package', () => {
  const names = ['core@2.0.0', 'cli@1.0.0', 'core@1.9.0', 'cli@1.1.0'];
  assert.deepEqual(namesOf(names, { tagPattern: 'core@*' }), ['core@2.0.0', 'core@1.9.0']);
});

test('without a pattern, the tags without the name of a package count, else the package that was tagged last', () => {
  assert.deepEqual(namesOf(['v1.0.0', 'test/v9.0.0', '1.1.0']), ['1.1.0', 'v1.0.0']);
  assert.deepEqual(namesOf(['core@2.0.0', 'cli@1.0.0', 'core@3.0.0', 'cli@1.1.0']), ['cli@1.1.0', 'cli@1.0.0']);
});

test('tags whose commit is not known are left out', () => {
  assert.deepEqual(releaseTags([aTag('v1.0.0', null)]), []);
});

test('a pattern has any text for a star and one character for a question mark', () => {
  assert.ok(fits('pkg@1.0.0', 'pkg@*'));
  assert.ok(fits('v1.0.0', '*'));
  assert.ok(fits('v1', 'v?'));
  assert.ok(fits('abcabd', '*abd'));
  assert.ok(!fits('pkg2@1.0.0', 'pkg@*'));
  assert.ok(!fits('v10', 'v?'));
  assert.ok(!fits('v1.0.0', 'v1.0.'));
  assert.ok(fits('a.b', 'a.b') && !fits('axb', 'a.b'));
});

test('a hostile pattern costs little time', () => {
  const began = process.cpuUsage();
  assert.ok(!fits('a'.repeat(255), `${'*a'.repeat(127)}b`));
  assert.ok(process.cpuUsage(began).user < 100_000);
});

test('the name of a branch can name a line of versions', () => {
  for (const name of ['release-1.2', 'release/v1.2', 'stable/1.2.x', 'v1.2', '1.2.x', 'REL_1_2_STABLE'])
    assert.deepEqual(lineOfBranch(name), { major: 1, minor: 2 }, name);
  for (const name of ['4.x', 'v4', 'release-4', 'REL_4_STABLE'])
    assert.deepEqual(lineOfBranch(name), { major: 4, minor: undefined }, name);
  for (const name of ['main', 'fix-123', 'release', '', null])
    assert.equal(lineOfBranch(name), undefined, String(name));
});
