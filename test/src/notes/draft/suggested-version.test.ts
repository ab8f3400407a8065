/** Tests the version that is suggested for the next release. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { suggestVersion } from '../../../../src/notes/draft/suggested-version.ts';
import { defaultSettings, type NotesSettings } from '../../../../src/protocol/notes.ts';
import type { PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, day, history, memorySource } from '../memory-source.ts';

interface Case {
  /** Name of the tag before the changes; null = no tag. */
  last?: string | null;
  branch?: string;
  tags?: string[];
  bounds?: Partial<RangeBounds>;
  settings?: Partial<NotesSettings['nextVersion']>;
}

/** Suggests a version after one pull request per list of labels. */
function suggested(labels: string[][], options: Case = {}) {
  const { last = 'v1.2.3', branch = 'main', tags = [], bounds = {}, settings = {} } = options;
  const pulls = labels.map((names, at): PullRecord => aPull(at + 2, { labels: names, baseRef: branch }));
  const pushes = [1, ...pulls.map(({ number }) => number)].map((n) =>
    aPush(branch, n === 1 ? null : `m${n - 1}`, [`m${n}|Change (#${n})`], n),
  );
  const source = memorySource({
    pulls,
    ...history(...pushes),
    tags: [...(last === null ? [] : [last]), ...tags].map((name) => aTag(name, name === last ? 'm1' : 'elsewhere')),
    settings: { ...defaultSettings, nextVersion: { ...defaultSettings.nextVersion, ...settings } },
  });
  const range = { type: 'UNRELEASED', ...(branch !== 'main' && { branch }), ...bounds } as const;
  return suggestVersion(gather(source, range));
}
const versionAfter = (labels: string[][], options?: Case) => suggested(labels, options).version;

test('the strongest change decides, and the changes that decided are named', () => {
  const because = [{ number: 3, kind: 'breaking' }];
  assert.deepEqual(suggested([['type: feature'], ['type: breaking'], ['type: bug']]), {
    version: 'v2.0.0',
    bump: 'major',
    because,
  });
  assert.deepEqual(suggested([['type: bug'], ['type: feature']]), {
    version: 'v1.3.0',
    bump: 'minor',
    because: [{ number: 3, kind: 'feature' }],
  });
  assert.deepEqual(suggested([['type: bug'], []]), {
    version: 'v1.2.4',
    bump: 'patch',
    because: [
      { number: 2, kind: 'fix' },
      { number: 3, kind: 'other' },
    ],
  });
});

test('without a change, there is no next version', () => {
  assert.deepEqual(suggested([]), { version: null, bump: 'none', because: [] });
});

test('before version 1.0.0, a breaking change raises the minor version', () => {
  assert.deepEqual(suggested([['type: breaking']], { last: 'v0.4.1' }).bump, 'minor');
  assert.equal(versionAfter([['type: breaking']], { last: 'v0.4.1' }), 'v0.5.0');
});

test('the suggestion keeps the form of the tags', () => {
  assert.equal(versionAfter([['type: feature']], { last: '1.2.3' }), '1.3.0');
  assert.equal(versionAfter([['type: feature']], { last: 'v1.2' }), 'v1.3');
  assert.equal(versionAfter([['type: bug']], { last: 'v1.2' }), 'v1.2.1');
  assert.equal(versionAfter([['type: bug']], { last: 'pkg@1.2.0', bounds: { tagPattern: 'pkg@*' } }), 'pkg@1.2.1');
});

test('the first version begins with 0, and tags without versions give no suggestion', () => {
  assert.equal(versionAfter([['type: feature']], { last: null }), 'v0.1.0');
  assert.equal(versionAfter([[]], { last: null, bounds: { tagPattern: 'pkg@*' } }), 'pkg@0.1.0');
  assert.equal(versionAfter([[]], { last: null, bounds: { tagPattern: '*-final' } }), null);
  assert.equal(versionAfter([['type: feature']], { last: 'spring' }), null);
});

test('a label forces the bump of its change, and a setting that of the release', () => {
  assert.deepEqual(suggested([['type: bug', 'semver: major']]).because, [{ number: 2, kind: 'label' }]);
  assert.equal(versionAfter([['type: breaking', 'release-patch']]), 'v1.2.4');
  assert.equal(versionAfter([['type: bug', 'big']], { settings: { labels: { big: 'minor' } } }), 'v1.3.0');
  assert.equal(versionAfter([['type: feature', 'bump/none']]), null);
  assert.deepEqual(suggested([['type: bug']], { settings: { bump: 'major' } }), {
    version: 'v2.0.0',
    bump: 'major',
    because: [{ kind: 'setting' }],
  });
});

test('the suggestion is never a tag that exists', () => {
  assert.equal(versionAfter([['type: bug']], { tags: ['v1.2.4', 'v1.2.5'] }), 'v1.2.6');
});

test('the suggestion is not lower than a prerelease on the branch', () => {
  const source = memorySource({
    pulls: [aPull(2), aPull(3)],
    ...history(aPush('main', null, ['m1'], 1), aPush('main', 'm1', ['m2'], 2), aPush('main', 'm2', ['m3'], 3)),
    tags: [aTag('v1.2.3', 'm1'), aTag('v2.0.0-rc.1', 'm2', { date: day(2), pushedAt: day(2) })],
  });
  const found = suggestVersion(gather(source, { type: 'UNRELEASED' }));
  assert.deepEqual([found.version, found.bump], ['v2.0.0', 'major']);
  const next = suggestVersion(gather(source, { type: 'UNRELEASED', prereleases: true }));
  assert.equal(next.version, 'v2.0.0-rc.2');
});

test('a branch that is named for versions is not left', () => {
  assert.equal(versionAfter([['type: feature']], { branch: 'release-1.2' }), 'v1.2.4');
  assert.equal(versionAfter([['type: breaking']], { branch: '1.x' }), 'v1.3.0');
  assert.equal(versionAfter([['type: bug']], { branch: 'release-1.4' }), 'v1.4.0');
});
