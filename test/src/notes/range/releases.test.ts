/**
 * Tests changes that an earlier release already contained. The entry of a reverted change names the earliest final
 * release that contained the change. Also tests changes that are merged again, and history that is captured only in
 * part.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { select } from '../../../../src/notes/range/select.ts';
import type { RangeBounds } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const tags: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };

function left(memory: Memory): string[] {
  return gather(memorySource(memory), tags).dropped.map(
    ({ number, reason, detail }) => `${number} ${reason} ${detail}`,
  );
}

test('names the first final release that shipped the reverted change', () => {
  const memory = {
    tags: [
      aTag('v1.0.0-rc.1', 'm2', { date: day(2) }),
      aTag('v1.0.0', 'm3', { date: day(3) }),
      aTag('v1.1.0', 'm4', { date: day(4) }),
    ],
    pulls: [
      aPull(2, { title: 'feat: x' }),
      aPull(3),
      aPull(4),
      aPull(5, { title: 'Revert "feat: x"', body: 'Reverts #2' }),
    ],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('main', 'm1', ['m2'], 2),
      aPush('main', 'm2', ['m3'], 3),
      aPush('main', 'm3', ['m4'], 4),
      aPush('main', 'm4', ['m5'], 5),
    ),
  };
  const source = memorySource(memory);
  const [entry] = gather(source, { type: 'PR_BASED', fromPrNumber: 5, toPrNumber: 5 }).reverted;
  assert.equal(entry?.tag, 'v1.0.0');
  const { bodyMd } = compose(source, { type: 'PR_BASED', fromPrNumber: 5, toPrNumber: 5 }, 'engineer');
  assert.match(bodyMd, /- Reverted: X \(\[#2\]\([^)]*\), shipped in v1\.0\.0, reverted in \[#5\]/);
  const early = memorySource({ ...memory, tags: memory.tags.slice(0, 1) });
  assert.equal(gather(early, { type: 'PR_BASED', fromPrNumber: 5, toPrNumber: 5 }).reverted[0]?.tag, 'v1.0.0-rc.1');
  const none = memorySource({ ...memory, tags: [aTag('v9', 'm5', { date: day(5) })] });
  assert.equal(gather(none, { type: 'PR_BASED', fromPrNumber: 5, toPrNumber: 5 }).reverted[0]?.tag, undefined);
});

const line = {
  tags: [aTag('v1', 'r1'), aTag('v2', 'r3')],
  ...history(
    aPush('main', 'm0', ['m1'], 1),
    aPush('main', 'm1', ['m2'], 2),
    aPush('release', 'm1', ['r1'], 3),
    aPush('release', 'r1', ['r2'], 4),
    aPush('release', 'r2', ['r3'], 5),
  ),
};
const onRelease = (number: number, sha: string, fields = {}) =>
  aPull(number, { mergeSha: sha, baseRef: 'release', title: `Backport ${number}`, body: 'Backport of #2', ...fields });

test('does not announce again a change that an earlier backport carried to the branch', () => {
  const pulls = [aPull(2), onRelease(3, 'r1'), onRelease(4, 'r2'), aPull(5, { mergeSha: 'r3', baseRef: 'release' })];
  assert.deepEqual(left({ ...line, pulls }), ['4 shipped v1']);
});

test('does not announce again a change that the branch had from its beginning', () => {
  const pulls = [aPull(1, { title: 'Old' }), aPull(5, { mergeSha: 'r3', baseRef: 'release', body: 'Backport of #1' })];
  assert.deepEqual(left({ ...line, pulls }), ['5 shipped v1']);
});

test('announces a change that was shipped, reverted and carried again', () => {
  const revert = aPull(6, {
    mergeSha: 'r1b',
    baseRef: 'release',
    title: 'Revert "Backport 3"',
    body: 'Reverts #3',
    mergedAt: day(3) + 1,
  });
  const memory = {
    ...line,
    tags: [aTag('v1', 'r1b'), aTag('v2', 'r3')],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('main', 'm1', ['m2'], 2),
      aPush('release', 'm1', ['r1', 'r1b'], 3),
      aPush('release', 'r1b', ['r2'], 4),
      aPush('release', 'r2', ['r3'], 5),
    ),
    pulls: [aPull(2), onRelease(3, 'r1'), revert, onRelease(7, 'r2')],
  };
  assert.deepEqual(left(memory), []);
});

test('announces a breaking change even where it was shipped before', () => {
  const pulls = [aPull(2, { labels: ['type: breaking'] }), onRelease(3, 'r1'), onRelease(4, 'r2')];
  assert.deepEqual(left({ ...line, pulls }), []);
});

test('combines pushes and merge dates where capture began between two tags', () => {
  const memory = {
    // v1 is older than the first captured push. v2 is on a release branch, which was created from main before v2.
    tags: [aTag('v1', 'old', { date: day(1) }), aTag('v2', 'r9', { date: day(9) })],
    pulls: [
      aPull(2),
      aPull(3),
      aPull(5),
      aPull(6),
      aPull(8),
      aPull(9, { mergeSha: 'r9', baseRef: 'release' }),
      aPull(4, { baseRef: 'other' }),
    ],
    ...history(
      aPush('main', 'm4', ['m5'], 5),
      aPush('main', 'm5', ['m6'], 6),
      aPush('main', 'm6', ['m8'], 8),
      aPush('release', 'm6', ['r9'], 9),
    ),
  };
  const selection = select(memorySource(memory), tags);
  assert.equal(selection.resolution, 'window');
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [2, 3, 5, 6, 9],
  );
});

test('a gap adds nothing older than the first tag', () => {
  const memory = {
    tags: [aTag('v1', 'm4', { date: day(4) }), aTag('v2', 'm9', { date: day(9) })],
    pulls: [2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => aPull(number)),
    ...history(
      aPush('main', 'm1', ['m2', 'm3', 'm4'], 4),
      aPush('main', 'm4', ['m7'], 7, { gap: true }),
      aPush('main', 'm7', ['m8', 'm9'], 9),
      aPush('main', 'm9', ['m10'], 10),
    ),
  };
  const selection = select(memorySource(memory), tags);
  assert.equal(selection.resolution, 'window');
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [5, 6, 7, 8, 9],
  );
});

test('a push that lists old commits again adds none that were merged before', () => {
  const memory = {
    tags: [aTag('v1', 'x4', { date: day(4) }), aTag('v2', 'n9', { date: day(9) })],
    pulls: [aPull(2), aPull(3), aPull(6), aPull(7, { mergeSha: 'elsewhere', mergedAt: day(1) })],
    ...history(aPush('next', 'n1', ['m2', 'm3', 'm6', 'p|Picked (#7)', 'n9|Merge branch main'], 9)),
  };
  const selection = select(memorySource(memory), tags);
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [7, 6],
  );
});

test('understands the merge subjects of other hosts', () => {
  const subjects = [
    "Merge pull request 'A title' (#2) from ada/topic into main",
    'Merged in topic (pull request #3)',
    'Pull request #4: A title',
    'Merged PR 5: A title',
    'Auto merge of #6 - ada:topic, r=bob',
  ];
  const memory = {
    tags: [aTag('v1', 'm1'), aTag('v2', 'c4')],
    pulls: [2, 3, 4, 5, 6, 7].map((number) => aPull(number, { mergeSha: null })),
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush(
        'main',
        'm1',
        subjects.map((text, index) => `c${index}|${text}`),
        2,
      ),
    ),
  };
  assert.deepEqual(
    select(memorySource(memory), tags).pulls.map(({ number }) => number),
    [2, 3, 4, 5, 6],
  );
});
