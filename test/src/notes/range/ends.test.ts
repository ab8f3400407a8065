/** Tests the open ends of ranges: what an unreleased range begins with, and which tag ends it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivedTag, endsOf } from '../../../../src/notes/range/ends.ts';
import { select } from '../../../../src/notes/range/select.ts';
import type { TagRecord } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const pulls = [1, 2, 3, 4, 5].map((number) => aPull(number));
/** Five pull requests on main, each merged by a push of its own. The first push created the branch. */
const main = history(...[1, 2, 3, 4, 5].map((n) => aPush('main', n === 1 ? null : `m${n - 1}`, [`m${n}`], n)));
const tag = (name: string, n: number, fields: Partial<TagRecord> = {}) =>
  aTag(name, `m${n}`, { date: day(n), pushedAt: day(n), ...fields });
const sourceOf = (tags: TagRecord[], more: Memory = {}) => memorySource({ pulls, ...main, tags, ...more });
const unreleased = { type: 'UNRELEASED' } as const;
const sinceOf = (tags: TagRecord[], bounds = {}, more: Memory = {}) =>
  endsOf(sourceOf(tags, more), { ...unreleased, ...bounds })?.from?.name;
const numbersOf = (tags: TagRecord[], bounds = {}, more: Memory = {}) =>
  select(sourceOf(tags, more), { ...unreleased, ...bounds }).pulls.map(({ number }) => number);

test('an unreleased range begins at the newest release that the branch contains', () => {
  const tags = [tag('v1.0.0', 1), tag('v1.1.0', 3)];
  assert.equal(sinceOf(tags), 'v1.1.0');
  assert.deepEqual(numbersOf(tags), [4, 5]);
});

test('the version decides which release is the newest, not the date', () => {
  assert.equal(sinceOf([tag('v2.0.0', 1), tag('v1.9.9', 3)]), 'v2.0.0');
});

test('prereleases count only on request', () => {
  const tags = [tag('v1.0.0', 1), tag('v1.1.0-rc.1', 3)];
  assert.equal(sinceOf(tags), 'v1.0.0');
  assert.equal(sinceOf(tags, { prereleases: true }), 'v1.1.0-rc.1');
});

test('a release of another branch does not count as long as the branch contains one', () => {
  const side = aPush('release-1.1', 'm2', ['s1'], 4);
  const more = history(
    ...main.pushes.map((push) => ({ push, commits: main.commits.filter(({ sha }) => push.shas.includes(sha)) })),
    side,
  );
  const tags = [tag('v1.0.0', 1), aTag('v1.1.0', 's1', { date: day(4), pushedAt: day(4) })];
  assert.equal(sinceOf(tags, {}, more), 'v1.0.0');
  assert.equal(sinceOf(tags, { branch: 'release-1.1' }, more), 'v1.1.0');
});

test('if the default branch contains no release, the newest release of another branch counts', () => {
  const side = aPush('release-1.1', 'm2', ['s1'], 4);
  const more = { ...main, pushes: [...main.pushes, side.push], commits: [...main.commits, ...side.commits] };
  const tags = [aTag('v1.1.0', 's1', { date: day(4), pushedAt: day(4) })];
  assert.equal(sinceOf(tags, {}, more), 'v1.1.0');
  assert.deepEqual(numbersOf(tags, {}, more), [3, 4, 5]);
});

test('a branch that is named for a version has no release of a higher version', () => {
  const tags = [aTag('v5.1.0', 'elsewhere', { pushedAt: day(1) })];
  const side = aPush('4.x', 'unknown', ['s1'], 6);
  const more = { ...main, pushes: [...main.pushes, side.push], commits: [...main.commits, ...side.commits] };
  assert.equal(sinceOf(tags, { branch: '4.x' }, more), undefined);
  assert.equal(sinceOf([aTag('v4.2.0', 'elsewhere', { pushedAt: day(1) })], { branch: '4.x' }, more), 'v4.2.0');
});

test('without a release, an unreleased range begins with the history', () => {
  assert.equal(sinceOf([]), undefined);
  assert.deepEqual(numbersOf([]), [1, 2, 3, 4, 5]);
});

test('without captured pushes, merge dates decide', () => {
  const found = select(memorySource({ pulls, tags: [tag('v1.0.0', 2)] }), unreleased);
  assert.deepEqual([found.resolution, found.pulls.map(({ number }) => number)], ['window', [3, 4, 5]]);
});

test('a first release contains everything that its tag reaches', () => {
  const first = (memory: Memory) => {
    const found = select(memorySource({ pulls, tags: [tag('v0.1.0', 3)], ...memory }), {
      type: 'FIRST_RELEASE',
      toTag: 'v0.1.0',
    });
    return [found.resolution, found.pulls.map(({ number }) => number)];
  };
  assert.deepEqual(first(main), ['commits', [1, 2, 3]]);
  // The captured history begins with the second push, so the dates decide what came before.
  assert.deepEqual(first(history(...[2, 3, 4, 5].map((n) => aPush('main', `m${n - 1}`, [`m${n}`], n)))), [
    'window',
    [1, 2, 3],
  ]);
});

test('the commits of a first release that belong to no pull request are listed', () => {
  const direct = history(aPush('main', null, ['d1|Begin'], 1), aPush('main', 'd1', ['m2'], 2));
  const source = memorySource({ pulls, tags: [aTag('v0.1.0', 'm2')], ...direct });
  const found = select(source, { type: 'FIRST_RELEASE', toTag: 'v0.1.0' });
  assert.deepEqual(
    found.commitsWithoutPull.map(({ sha }) => sha),
    ['d1'],
  );
});

test('a first release with an unknown tag has no content', () => {
  assert.deepEqual(select(sourceOf([]), { type: 'FIRST_RELEASE', toTag: 'v9' }).pulls, []);
});

test('the first release after the beginning ends an unreleased range', () => {
  const tags = [tag('v1.0.0', 1), tag('v1.1.0', 3), tag('v1.2.0', 5)];
  const ends = { fromTag: 'v1.0.0', begunAt: day(2) };
  assert.equal(arrivedTag(sourceOf(tags), unreleased, ends)?.name, 'v1.1.0');
  assert.equal(arrivedTag(sourceOf(tags.slice(0, 1)), unreleased, ends), undefined);
});

test('a prerelease, an older tag, a tag of another branch and an unknown beginning do not end it', () => {
  const ends = { fromTag: 'v1.0.0', begunAt: day(2) };
  const arrived = (other: TagRecord, from = ends) => arrivedTag(sourceOf([tag('v1.0.0', 1), other]), unreleased, from);
  assert.equal(arrived(tag('v1.1.0-rc.1', 3)), undefined);
  assert.equal(arrived(tag('v0.9.0', 3)), undefined);
  assert.equal(arrived(aTag('v1.1.0', 'side', { pushedAt: day(3) })), undefined);
  assert.equal(arrived(tag('v1.1.0', 3, { pushedAt: day(1) })), undefined);
  assert.equal(arrived(tag('v1.1.0', 3), { ...ends, fromTag: 'gone' }), undefined);
});

test('the first tag with a version ends a range that begins at a tag without one', () => {
  const tags = [tag('start', 1), tag('v1.0.0', 3)];
  assert.equal(arrivedTag(sourceOf(tags), unreleased, { fromTag: 'start', begunAt: day(2) })?.name, 'v1.0.0');
});

test('the first tag ends a range that begins with the history', () => {
  const ends = { fromTag: null, begunAt: day(2) };
  assert.equal(arrivedTag(sourceOf([tag('v0.1.0', 3)]), unreleased, ends)?.name, 'v0.1.0');
});
