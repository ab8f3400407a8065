/**
 * Tests ranges for which the host compared the two tags. The host's comparison has priority over pushes and dates.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { reportedAncestry } from '../../../../src/notes/range/evidence.ts';
import { select } from '../../../../src/notes/range/select.ts';
import type { CommitRecord, ComparisonRecord } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const tags = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;

function compared(
  from: string,
  to: string,
  groups: string[][],
  ancestry: ComparisonRecord['ancestry'] = 'ahead',
): ComparisonRecord {
  return { from, to, ancestry, groups };
}

/** Returns a commit that no push lists. */
function aCommit(sha: string, message: string): CommitRecord {
  return { sha, message, at: day(2), author: 'ada', coAuthors: [], pushes: [] };
}

function selected(memory: Memory) {
  const { pulls, commitsWithoutPull, ...rest } = select(memorySource(memory), tags);
  return { ...rest, numbers: pulls.map(({ number }) => number), direct: commitsWithoutPull.map(({ sha }) => sha) };
}

test('uses the commits that the host has between the tags, where no push was captured', () => {
  const { numbers, direct, resolution, bySubject, notCaptured } = selected({
    tags: [aTag('v1', 'm1'), aTag('v2', 'm9')],
    // By their dates, pull requests 3 and 4 are between the tags, but the host's comparison does not contain them.
    pulls: [1, 2, 3, 4, 5, 9].map((number) => aPull(number)),
    commits: [
      aCommit('d1', 'Straight to the branch'),
      aCommit('s5', 'work'),
      aCommit('p2', 'Picked (#2)'),
      aCommit('x8', 'Never told of (#8)'),
    ],
    comparisons: [compared('m1', 'm9', [['d1'], ['s5', 'm5'], ['p2'], ['x8'], ['m9']])],
  });
  assert.deepEqual([numbers, direct, resolution], [[5, 2, 9], ['d1', 'x8'], 'compare']);
  assert.deepEqual([[...bySubject], [...notCaptured]], [[2], [8]]);
});

test('prefers the host to captured pushes', () => {
  const { numbers, resolution } = selected({
    tags: [aTag('v1', 'm1'), aTag('v2', 'm3')],
    pulls: [1, 2, 3].map((number) => aPull(number)),
    // Pushes show a merge only by its subject. This merge has an unusual subject, so pushes do not show it as a merge.
    // If only the pushes were used, the range would contain one commit too many.
    ...history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['m2', 'm3'], 3)),
    comparisons: [compared('m1', 'm3', [['m3']])],
  });
  assert.deepEqual([numbers, resolution], [[3], 'compare']);
});

test('pushes show which commits belong together', () => {
  const memory = {
    tags: [aTag('v1', 'm1'), aTag('v2', 'm2')],
    pulls: [1, 2].map((number) => aPull(number)),
    ...history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['r1|First half', 'm2|Second half'], 2)),
    comparisons: [compared('m1', 'm2', [['r1'], ['m2']])],
  };
  assert.deepEqual(selected(memory).direct, [], 'a rebase is pushed as one');
  assert.deepEqual(selected({ ...memory, pushes: [] }).direct, ['r1']);
});

test('the comparison in the other direction shows what only the first tag has', () => {
  const memory = {
    tags: [aTag('v1', 'b2'), aTag('v2', 'm3')],
    pulls: [
      aPull(2, { mergeSha: 'm2' }),
      aPull(3),
      aPull(4, { body: 'Backport of #2', mergeSha: 'b2', baseRef: 'v1.x' }),
    ],
    comparisons: [compared('b2', 'm3', [['m2'], ['m3']], 'diverged'), compared('m3', 'b2', [['b2']], 'diverged')],
  };
  const { numbers, lost, diverged } = selected(memory);
  assert.deepEqual([numbers, lost.map(({ number }) => number), diverged], [[2, 3], [4], true]);
  const { changes } = explain(memorySource(memory), tags);
  assert.deepEqual(
    changes.map(({ number, included }) => [number, included]),
    [
      [2, false],
      [3, true],
    ],
  );
  assert.deepEqual(
    changes.map(({ method }) => method),
    ['mergeCommit', 'mergeCommit'],
  );
});

test('a comparison applies only to the two commits that were compared', () => {
  const memory = {
    pulls: [1, 2, 3].map((number) => aPull(number)),
    comparisons: [compared('m1', 'm2', [['m2']])],
  };
  const moved = [aTag('v1', 'm1', { date: day(1) }), aTag('v2', 'm3', { date: day(3) })];
  assert.equal(selected({ ...memory, tags: moved }).resolution, 'window');
  assert.deepEqual(selected({ ...memory, tags: moved }).numbers, [2, 3]);
  assert.deepEqual(selected({ ...memory, tags: [aTag('v1', 'm1'), aTag('v2', 'm2')] }).numbers, [2]);
});

test('a comparison in either direction gives the order of two commits', () => {
  const source = memorySource({
    comparisons: [
      compared('a', 'b', [['b']]),
      compared('d', 'c', [], 'behind'),
      compared('e', 'f', [['f']], 'diverged'),
    ],
  });
  const ancestryOf = (from: string, to: string) => reportedAncestry(source, from, to);
  assert.deepEqual([ancestryOf('a', 'b'), ancestryOf('b', 'a')], ['ahead', 'behind']);
  assert.deepEqual([ancestryOf('d', 'c'), ancestryOf('c', 'd')], ['behind', 'ahead']);
  assert.deepEqual(
    [ancestryOf('e', 'f'), ancestryOf('f', 'e'), ancestryOf('a', 'c')],
    ['diverged', 'diverged', undefined],
  );
});
