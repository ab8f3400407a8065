/**
 * Tests which changes a range between two tags contains. If the captured pushes show the ancestry of the tags, the
 * pushes decide. If the pushes do not show the ancestry, merge dates decide. Also tests ranges between two dates or two
 * numbers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitsBetween } from '../../../../src/notes/range/history.ts';
import { select } from '../../../../src/notes/range/select.ts';
import { anIssue, aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const tags = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;

function numbers(memory: Memory, bounds: Parameters<typeof select>[1] = tags): number[] {
  return select(memorySource(memory), bounds).pulls.map((pull) => pull.number);
}

test('selects the commits after one tag, up to and including the other', () => {
  const memory = {
    tags: [aTag('v1', 'm1'), aTag('v2', 'm3')],
    pulls: [1, 2, 3, 4].map((number) => aPull(number)),
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('main', 'm1', ['m2'], 2),
      aPush('main', 'm2', ['m3'], 3),
      aPush('main', 'm3', ['m4'], 4),
    ),
  };
  assert.deepEqual(numbers(memory), [2, 3]);
  const selection = select(memorySource(memory), tags);
  assert.equal(selection.resolution, 'commits');
  assert.equal(selection.diverged, false);
});

test('finds pull requests by merge commit, merge subject or last number', () => {
  const memory = {
    tags: [aTag('v1', 'a0'), aTag('v2', 'a4')],
    pulls: [
      aPull(1, { mergeSha: 'a1' }),
      aPull(2),
      aPull(3),
      aPull(4),
      aPull(5, { state: 'closed', mergedAt: null, mergeSha: null }),
    ],
    ...history(
      aPush('main', 'x', ['a0'], 1),
      aPush(
        'main',
        'a0',
        [
          'a1|Squashed (#4)',
          'a2|fix(#4): twice (#4) (#2)',
          'b3|work',
          'a3|Merge pull request #3 from fork/x',
          'a4|Not merged (#5)',
        ],
        2,
      ),
    ),
  };
  const selection = select(memorySource(memory), tags);
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.deepEqual(
    selection.commitsWithoutPull.map(({ sha }) => sha),
    ['a4'],
  );
});

test('lists a pull request once for branch commits and merge', () => {
  const memory = {
    tags: [aTag('v1', 'm1'), aTag('v2', 'm2')],
    pulls: [aPull(2)],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('topic', 'm1', ['c1|Work (#2)', 'c2|More (#2)'], 1),
      aPush('main', 'm1', ['c1|Work (#2)', 'c2|More (#2)', 'm2|Merge pull request #2 from x'], 2),
    ),
  };
  assert.deepEqual(numbers(memory), [2]);
});

test('follows a release branch down to where it left the default branch', () => {
  const memory = {
    tags: [aTag('v1', 'm1'), aTag('v2', 'r2')],
    pulls: [
      aPull(1),
      aPull(2),
      aPull(3),
      aPull(4, { mergeSha: 'r1', baseRef: 'release' }),
      aPull(5, { mergeSha: 'r2', baseRef: 'release' }),
    ],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('main', 'm1', ['m2'], 2),
      aPush('release', 'm2', ['r1'], 3),
      aPush('main', 'm2', ['m3'], 4),
      aPush('release', 'r1', ['r2'], 5),
    ),
  };
  assert.deepEqual(numbers(memory), [2, 4, 5]);
});

test('counts from a tag on another branch and says so', () => {
  const memory = {
    tags: [aTag('v1', 'r1'), aTag('v2', 'm3')],
    pulls: [aPull(1), aPull(2), aPull(3), aPull(4, { mergeSha: 'r1', baseRef: 'release' })],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('release', 'm1', ['r1'], 2),
      aPush('main', 'm1', ['m2'], 3),
      aPush('main', 'm2', ['m3'], 4),
    ),
  };
  const selection = select(memorySource(memory), tags);
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [2, 3],
  );
  assert.equal(selection.diverged, true);
});

test('finds what main gained before a release branch was merged back', () => {
  const memory = {
    tags: [aTag('v1', 'r2'), aTag('v2', 'm4')],
    pulls: [aPull(1), aPull(2), aPull(3), aPull(5, { mergeSha: 'r1' }), aPull(6, { mergeSha: 'r2' })],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('release', 'm1', ['r1', 'r2'], 2),
      aPush('main', 'm1', ['m2', 'm3'], 3),
      aPush('main', 'm3', ['r1', 'r2', 'm4|Merge branch release'], 4),
    ),
  };
  const selection = select(memorySource(memory), tags);
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [2, 3],
  );
  assert.equal(selection.diverged, false);
});

test('prefers the push that ends at a commit to one that lists it', () => {
  const source = memorySource(
    history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('release', 'm1', ['r1'], 2),
      aPush('main', 'm1', ['m2'], 3),
      aPush('main', 'm2', ['r1', 'm3'], 4),
    ),
  );
  assert.deepEqual(commitsBetween(source, 'm1', 'r1'), { pushes: [['r1']], lost: [], diverged: false });
});

test('connects two tags across a branch with an unknown beginning', () => {
  const source = memorySource(
    history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('topic', null, ['c1', 'c2'], 2),
      aPush('main', 'm1', ['c1', 'c2'], 3),
    ),
  );
  assert.deepEqual(commitsBetween(source, 'm1', 'c2'), { pushes: [['c1', 'c2']], lost: [], diverged: false });
  assert.deepEqual(commitsBetween(source, 'c1', 'c2'), { pushes: [['c2']], lost: [], diverged: false });
});

test('handles two tags inside one push and two on one commit', () => {
  const source = memorySource(history(aPush('main', null, ['a', 'b', 'c', 'd'], 1)));
  assert.deepEqual(commitsBetween(source, 'b', 'd'), { pushes: [['c', 'd']], lost: [], diverged: false });
  assert.deepEqual(commitsBetween(source, 'd', 'b'), { pushes: [], lost: [['c', 'd']], diverged: true });
  assert.deepEqual(commitsBetween(source, 'b', 'b'), { pushes: [], lost: [], diverged: false });
});

/** A push on main lists the commit r1, which v2 names, and its merge. r1 descends from m1 or from an older commit. */
function release(before: string[] = [], fields = {}): Memory {
  return {
    tags: [aTag('v1', 'm0'), aTag('v2', 'r1'), aTag('v3', 'm4')],
    pulls: [aPull(1), aPull(2, { mergeSha: 'm2' }), aPull(4)],
    ...history(
      aPush('main', null, ['m0'], 1),
      aPush('main', 'm0', ['m1'], 2),
      aPush('main', 'm1', [...before, 'r1|Prepare', 'm2|Merge pull request #2 from acme/release'], 3, fields),
      aPush('main', 'm2', ['m4'], 4),
    ),
  };
}

test('assumes that a tagged commit before its merge descends from the head before the push', () => {
  const source = memorySource(release());
  const found = select(source, tags);
  assert.deepEqual([found.resolution, found.assumed], ['commits', true]);
  assert.deepEqual(numbers(release()), [1]);
  const after = select(source, { ...tags, fromTag: 'v2', toTag: 'v3' });
  assert.deepEqual([after.assumed, after.diverged, after.pulls.map(({ number }) => number)], [true, false, [2, 4]]);
  const exact = select(source, { ...tags, toTag: 'v3' });
  assert.deepEqual([exact.assumed, exact.pulls.map(({ number }) => number)], [false, [1, 2, 4]]);
});

test('assumes nothing after a merge, over a gap, or against the dates', () => {
  const resolution = (memory: Memory) => select(memorySource(memory), tags).resolution;
  assert.equal(resolution(release(['x1|Work', "x2|Merge branch 'other'"])), 'window');
  assert.equal(resolution(release([], { gap: true })), 'window');
  const memory = release();
  const older = memory.commits?.map((commit) => (commit.sha === 'r1' ? { ...commit, at: day(1) } : commit)) ?? [];
  assert.equal(resolution({ ...memory, commits: older }), 'window');
});

test('does not guess over gaps, force pushes and unknown beginnings', () => {
  for (const broken of [{ gap: true }, { forced: true }]) {
    const source = memorySource(
      history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['m2'], 2, broken), aPush('main', 'm2', ['m3'], 3)),
    );
    assert.equal(commitsBetween(source, 'm1', 'm3'), undefined);
    assert.deepEqual(commitsBetween(source, 'm2', 'm3')?.pushes, [['m3']]);
  }
  const hole = memorySource(history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'mX', ['m3'], 3)));
  assert.equal(commitsBetween(hole, 'm1', 'm3'), undefined);
  assert.equal(commitsBetween(memorySource({}), 'a', 'b'), undefined);
});

test('ends on histories that loop', () => {
  const source = memorySource(history(aPush('main', 'b', ['a'], 1), aPush('main', 'a', ['b'], 2)));
  assert.equal(commitsBetween(source, 'z', 'a'), undefined);
});

test('falls back to merge dates on the branch of the tag', () => {
  const memory = {
    tags: [aTag('v1', 'm2', { date: day(2) }), aTag('v2', 'm4', { date: day(4) })],
    pulls: [1, 2, 3, 4, 5].map((number) => aPull(number)).concat(aPull(30, { mergedAt: day(3), baseRef: 'release' })),
    issues: [anIssue(60, { closedAt: day(3) }), anIssue(61, { closedAt: day(9) })],
  };
  const selection = select(memorySource(memory), tags);
  assert.equal(selection.resolution, 'window');
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [3, 4],
  );
  assert.deepEqual(
    selection.issues.map(({ number }) => number),
    [60],
  );
});

test('places the tagged pull requests by their merge commit', () => {
  const late = { mergedAt: day(2) + 1000 };
  const memory = {
    tags: [aTag('v1', 'm2', { date: day(2) }), aTag('v2', 'm4', { date: day(4) })],
    pulls: [
      aPull(2, late),
      aPull(3, late),
      aPull(4, { mergedAt: day(4) + 1000 }),
      aPull(5, { mergedAt: day(4) + 1001 }),
    ],
  };
  assert.deepEqual(numbers(memory), [4]);
  assert.deepEqual(
    numbers({ ...memory, tags: [aTag('v1', null, { date: day(2) }), aTag('v2', null, { date: day(4) })] }),
    [2, 3],
  );
});

test('uses merge dates on the branch that the tag was pushed to', () => {
  const memory = {
    tags: [aTag('v1', 'x1', { date: day(1) }), aTag('v2', 'r4', { date: day(4) })],
    pulls: [aPull(2), aPull(3, { baseRef: 'release' }), aPull(4, { mergeSha: 'r4', baseRef: 'release' })],
    ...history(aPush('release', null, ['r4'], 4)),
  };
  assert.deepEqual(numbers(memory), [3, 4]);
});

test('separates pull requests with the same commit or the same time', () => {
  const memory = {
    tags: [aTag('v1', 'm1'), aTag('v2', 'm2')],
    pulls: [aPull(2, { mergedAt: day(2) }), aPull(3, { mergeSha: 'm2', mergedAt: day(2) })],
    ...history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['m2'], 2)),
  };
  assert.deepEqual(numbers(memory), [2, 3]);
});

test('selects whole days in UTC on any branch', () => {
  const at = (text: string) => ({ mergedAt: Date.parse(text) });
  const pulls = [
    aPull(1, at('2026-01-01T23:59:59.999Z')),
    aPull(2, at('2026-01-02T00:00:00Z')),
    aPull(3, { ...at('2026-01-02T23:59:59.999Z'), baseRef: 'release' }),
    aPull(4, at('2026-01-03T00:00:00Z')),
  ];
  const issues = [
    anIssue(10, { closedAt: Date.parse('2026-01-02T12:00:00Z') }),
    anIssue(11, { closedAt: Date.parse('2026-01-03T00:00:00Z') }),
  ];
  const selection = select(memorySource({ pulls, issues }), {
    type: 'DATE_BASED',
    fromDate: '2026-01-02',
    toDate: '2026-01-02',
  });
  assert.deepEqual(
    selection.pulls.map(({ number }) => number),
    [2, 3],
  );
  assert.deepEqual(
    selection.issues.map(({ number }) => number),
    [10],
  );
});

test('selects by the instants of a range with a time zone', () => {
  const at = (text: string) => ({ mergedAt: Date.parse(text) });
  const pulls = [
    aPull(1, at('2026-03-28T22:59:59.999Z')),
    aPull(2, at('2026-03-28T23:00:00Z')),
    aPull(3, at('2026-03-29T21:59:59.999Z')),
    aPull(4, at('2026-03-29T22:00:00Z')),
  ];
  const span = { from: Date.parse('2026-03-28T23:00:00Z'), to: Date.parse('2026-03-29T22:00:00Z') };
  const days = { type: 'DATE_BASED', fromDate: '2026-03-29', toDate: '2026-03-29' } as const;
  assert.deepEqual(numbers({ pulls }, { ...days, timeZone: 'Europe/Berlin', span }), [2, 3]);
  assert.deepEqual(numbers({ pulls }, days), [3, 4]);
});

test('selects merged numbers, both ends included, and closed issues among them', () => {
  const pulls = [
    aPull(1),
    aPull(2, { linkedIssues: [9, 10] }),
    aPull(4, { state: 'open', mergedAt: null }),
    aPull(5),
    aPull(6),
  ];
  const issues = [anIssue(3), anIssue(9), anIssue(10, { state: 'open', closedAt: null }), anIssue(7)];
  const memory = { pulls, issues };
  for (const toPrNumber of [5, 5_000_000]) {
    const selection = select(memorySource(memory), { type: 'PR_BASED', fromPrNumber: 2, toPrNumber });
    assert.deepEqual(
      selection.pulls.map(({ number }) => number),
      toPrNumber === 5 ? [2, 5] : [2, 5, 6],
    );
    assert.deepEqual(
      selection.issues.map(({ number }) => number),
      toPrNumber === 5 ? [3, 9] : [3, 7, 9],
    );
  }
});

test('selects nothing for an unknown tag', () => {
  assert.deepEqual(numbers({ pulls: [aPull(1)] }), []);
});
