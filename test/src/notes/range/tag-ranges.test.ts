/**
 * Tests which ranges between consecutive tags are found: a patch line and the main line do not mix, dates decide only
 * if ancestry is unknown, and the number of ranges is bounded.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastTagRanges, rangeOfTag } from '../../../../src/notes/range/tag-ranges.ts';
import type { TagRecord } from '../../../../src/protocol/stored.ts';
import { aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

/** Returns the ranges of a repository, as `from → to`. */
function ranges(memory: Memory, count = 5): string[] {
  return lastTagRanges(memorySource(memory), count).map(({ fromTag, toTag }) => `${fromTag} → ${toTag}`);
}

/** Returns a tag of a commit that was made on a day of 2026. */
function tagOn(at: number, name: string, sha: string | null, fields: Partial<TagRecord> = {}): TagRecord {
  return aTag(name, sha, { date: day(at), pushedAt: day(at), ...fields });
}

test('connects each tag with its previous tag, the newest first', () => {
  const pushes = history(
    aPush('main', null, ['a'], 1),
    aPush('main', 'a', ['b', 'c'], 2),
    aPush('main', 'c', ['d'], 3),
    aPush('main', 'd', ['e'], 4),
  );
  const tags = [tagOn(1, 'v1', 'a'), tagOn(2, 'v2', 'b'), tagOn(3, 'v3', 'd'), tagOn(4, 'v4', 'e')];
  assert.deepEqual(ranges({ tags, ...pushes }), ['v3 → v4', 'v2 → v3', 'v1 → v2']);
  assert.deepEqual(ranges({ tags, ...pushes }, 2), ['v3 → v4', 'v2 → v3']);
});

test('the range of a tag begins at the previous release of its package', () => {
  const pushes = history(
    aPush('main', null, ['a'], 1),
    aPush('main', 'a', ['b'], 2),
    aPush('main', 'b', ['c'], 3),
    aPush('main', 'c', ['d'], 4),
    aPush('main', 'd', ['e'], 5),
  );
  const tags = [
    tagOn(1, 'v1.0.0', 'a'),
    tagOn(2, 'pkg@1.0.0', 'b'),
    tagOn(3, 'v1.1.0-rc.1', 'c'),
    tagOn(4, 'v1.1.0', 'd'),
    tagOn(4, 'other@1.0.0', 'd'),
    tagOn(5, 'v1.2.0-rc.1', 'e'),
    tagOn(5, 'pkg@1.1.0', 'e'),
    tagOn(5, 'v9.9.9', null),
  ];
  const source = memorySource({ tags, ...pushes });
  const rangeTo = (toTag: string, fromTag?: string) =>
    assert.deepEqual(
      rangeOfTag(source, toTag),
      fromTag === undefined ? { type: 'FIRST_RELEASE', toTag } : { type: 'TAG_BASED', fromTag, toTag },
    );
  rangeTo('v1.0.0');
  rangeTo('pkg@1.0.0');
  rangeTo('v1.1.0-rc.1', 'v1.0.0');
  rangeTo('v1.1.0', 'v1.0.0');
  rangeTo('v1.2.0-rc.1', 'v1.1.0');
  rangeTo('pkg@1.1.0', 'pkg@1.0.0');
  rangeTo('other@1.0.0');
  assert.equal(rangeOfTag(source, 'v9.9.9'), undefined, 'its commit is not known');
  assert.equal(rangeOfTag(source, 'v3.0.0'), undefined);
});

test('a repository with fewer than two tags has no range', () => {
  assert.deepEqual(ranges({}), []);
  assert.deepEqual(ranges({ tags: [tagOn(1, 'v1', 'a')] }), []);
});

test('a patch line and the main line do not mix', () => {
  const pushes = history(
    aPush('main', null, ['a'], 1),
    aPush('main', 'a', ['b'], 2),
    aPush('release', 'a', ['p1'], 3, { baseRef: 'main' }),
    aPush('main', 'b', ['c'], 4),
    aPush('release', 'p1', ['p2'], 5),
  );
  const tags = [
    tagOn(1, 'v1.0.0', 'a'),
    tagOn(2, 'v1.1.0', 'b'),
    tagOn(3, 'v1.0.1', 'p1'),
    tagOn(4, 'v1.2.0', 'c'),
    tagOn(5, 'v1.0.2', 'p2'),
  ];
  assert.deepEqual(ranges({ tags, ...pushes }), [
    'v1.0.1 → v1.0.2',
    'v1.1.0 → v1.2.0',
    'v1.0.0 → v1.0.1',
    'v1.0.0 → v1.1.0',
  ]);
});

test('the first tag of a new line begins where the line before it ended', () => {
  const on = (branch: string) => ({ baseRef: branch });
  const pushes = history(
    aPush('main', null, ['m1'], 1),
    aPush('release-1.9', null, ['p1'], 2),
    aPush('release-1.10', null, ['q1'], 3),
    aPush('release-1.10', 'q1', ['q2'], 4),
    aPush('release-1.9', 'p1', ['p2'], 5),
    aPush('release-1.11', null, ['r1'], 6),
    aPush('release-1.10', 'q2', ['q3'], 7),
    aPush('release-1.11', 'r1', ['r2'], 8),
  );
  const tags = [
    tagOn(2, 'v1.9.0', 'p1', on('release-1.9')),
    tagOn(3, 'v1.10.0', 'q1', on('release-1.10')),
    tagOn(4, 'v1.10.1', 'q2', on('release-1.10')),
    tagOn(5, 'v1.9.1', 'p2', on('release-1.9')),
    tagOn(6, 'v1.11.0', 'r1', on('release-1.11')),
    tagOn(7, 'v1.10.2', 'q3', on('release-1.10')),
    tagOn(8, 'v1.11.1', 'r2', on('release-1.11')),
  ];
  assert.deepEqual(ranges({ tags, ...pushes }, 9), [
    'v1.11.0 → v1.11.1',
    'v1.10.1 → v1.10.2',
    'v1.10.1 → v1.11.0',
    'v1.9.0 → v1.9.1',
    'v1.10.0 → v1.10.1',
    'v1.9.0 → v1.10.0',
  ]);
});

test('the comparisons of the host decide where no push was captured', () => {
  const tags = [tagOn(1, 'one', 'a'), tagOn(2, 'two', 'b'), tagOn(3, 'side', 's'), tagOn(4, 'three', 'c')];
  const comparisons = [
    { from: 's', to: 'c', ancestry: 'diverged' as const, groups: [] },
    // A comparison in the other order gives the same answer.
    { from: 'c', to: 'b', ancestry: 'behind' as const, groups: [] },
  ];
  assert.deepEqual(ranges({ tags, comparisons }, 1), ['two → three']);
  assert.deepEqual(ranges({ tags, comparisons: comparisons.slice(0, 1) }, 1), ['two → three'], 'side has diverged');
  assert.deepEqual(ranges({ tags }, 1), ['side → three'], 'nothing is known');
});

test('without ancestry, the newest older tag on the same branch is the previous one', () => {
  const on = (branch: string) => ({ baseRef: branch });
  const tags = [
    tagOn(1, 'v1.0.0', 'a', on('main')),
    tagOn(2, 'v1.1.0', 'b', on('main')),
    tagOn(3, 'v1.0.1', 'p1', on('1.0')),
    tagOn(4, 'v1.2.0', 'c', on('main')),
    tagOn(5, 'v1.0.2', 'p2', on('1.0')),
  ];
  assert.deepEqual(ranges({ tags }), ['v1.0.1 → v1.0.2', 'v1.1.0 → v1.2.0', 'v1.0.0 → v1.0.1', 'v1.0.0 → v1.1.0']);
});

test('the previous release has a lower version, and belongs to the same package', () => {
  const previous = (...names: string[]) =>
    ranges({ tags: names.map((name, i) => tagOn(i + 1, name, `c${i}`, { baseRef: `line-${i}` })) }, 1)[0];
  assert.equal(previous('v1.9.0', 'v1.10.0', 'v1.9.1'), 'v1.9.0 → v1.9.1');
  assert.equal(previous('v1.9', 'v1.10.0-rc.1', 'v1.9.1'), 'v1.9 → v1.9.1');
  assert.equal(previous('v1.9.0.1', 'v1.9.0.2'), 'v1.9.0.1 → v1.9.0.2');
  assert.equal(previous('a@1.0.0', 'b@9.0.0', 'a@1.1.0'), 'a@1.0.0 → a@1.1.0');
  assert.equal(previous('spring', 'summer'), 'spring → summer');
});

test('of several tags on one commit, the release is taken; a release begins at a release', () => {
  const pushes = history(aPush('main', null, ['a'], 1), aPush('main', 'a', ['b'], 2), aPush('main', 'b', ['c'], 3));
  const tags = [
    tagOn(1, 'v1.0.0', 'a'),
    tagOn(2, 'v1.1.0-rc.1', 'b'),
    tagOn(3, 'v1.1.0', 'c'),
    tagOn(3, 'v1.1.0-rc.2', 'c'),
    tagOn(3, 'v1', 'c', { pushedAt: day(9) }),
    tagOn(3, 'latest', 'c', { pushedAt: day(9) }),
  ];
  assert.deepEqual(ranges({ tags, ...pushes }), ['v1.0.0 → v1.1.0', 'v1.0.0 → v1.1.0-rc.1']);
});

test('a tag with an unknown commit is left out', () => {
  const tags = [tagOn(1, 'v1', 'a'), tagOn(2, 'v2', null), tagOn(3, 'v3', 'c')];
  assert.deepEqual(ranges({ tags }), ['v1 → v3']);
});

test('an old commit that was tagged late is the previous tag of what was built on it', () => {
  const pushes = history(aPush('main', null, ['a'], 1), aPush('main', 'a', ['b'], 2));
  const tags = [tagOn(2, 'v2.0', 'b'), tagOn(9, 'v1.0', 'a')];
  assert.deepEqual(ranges({ tags, ...pushes }), ['v1.0 → v2.0']);
  const unversioned = [tagOn(2, 'second', 'b'), tagOn(9, 'first', 'a')];
  assert.deepEqual(ranges({ tags: unversioned, ...pushes }), [], 'no range leads backwards');
});

test('many tags cost a bounded number of readings', () => {
  const tags = Array.from({ length: 2_000 }, (_, i) =>
    tagOn(1, `v${i}`, `c${i}`, { date: day(1) + i * 1000, baseRef: `line-${i}` }),
  );
  const source = memorySource({ tags });
  let readings = 0;
  const counting = {
    ...source,
    comparison: (from: string, to: string) => {
      readings += 1;
      return source.comparison(from, to);
    },
    commit: (sha: string) => {
      readings += 1;
      return source.commit(sha);
    },
  };
  assert.equal(lastTagRanges(counting, 5).length, 5);
  assert.ok(readings < 4_000, `${readings} readings`);
});
