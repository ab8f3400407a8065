/**
 * Tests ranges that dates decide, where a push shows at which commit a release branch was cut from another branch. The
 * cut bounds the changes of both branches.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { cutOf } from '../../../../src/notes/range/cuts.ts';
import { select } from '../../../../src/notes/range/select.ts';
import type { PushRecord, TagRecord } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const tags = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;

/** Returns the push that created a branch at a commit that the repository already had. */
function creation(branch: string, after: string, at: number, fields: Partial<PushRecord> = {}) {
  return aPush(branch, null, [after], at, { shas: [], baseRef: 'main', ...fields });
}

const tag = (name: string, sha: string, at: number, baseRef: string | null = null): TagRecord =>
  aTag(name, sha, { date: day(at), pushedAt: day(at), baseRef });
const onRelease = (number: number, fields = {}) => aPull(number, { baseRef: 'release', ...fields });

/** Returns the pull requests of a range and the ones that it leaves out, each with reason and detail. */
function chosen(memory: Memory): { numbers: number[]; out: string[] } {
  const source = memorySource(memory);
  const { pulls, resolution } = select(source, tags);
  assert.equal(resolution, 'window');
  const left = explain(source, tags).changes.filter(({ included }) => !included);
  return {
    numbers: pulls.map(({ number }) => number).sort((a, b) => a - b),
    out: left.map(({ number, reason, detail }) => `${number} ${reason} ${detail}`),
  };
}

/** Returns a history in which a release branch is cut from main at m4, on day 5. Its first push is cut short. */
function cutAt4(created = creation('release', 'm4', 5)): Memory {
  const { commits, pushes } = history(
    aPush('main', 'm0', ['m1'], 1),
    aPush('main', 'm1', ['m3'], 3, { gap: true }),
    aPush('main', 'm3', ['m4'], 4),
    aPush('main', 'm4', ['m6'], 6),
    aPush('release', 'm4', ['m7'], 7, { gap: true }),
    aPush('release', 'm7', ['m9'], 9),
  );
  return {
    tags: [tag('v1', 'm1', 1), tag('v2', 'm9', 9)],
    pulls: [aPull(2), aPull(3), aPull(4), aPull(6), onRelease(7), onRelease(8, { mergeSha: 'lost' }), onRelease(9)],
    commits,
    pushes: [...pushes, created.push],
  };
}

test('a release branch has the changes of its parent up to the cut, and none after it', () => {
  assert.deepEqual(chosen(cutAt4()), { numbers: [2, 3, 4, 7, 9], out: ['6 afterCut main', '8 branch release'] });
});

test('a captured push of another branch shows the cut, if the host does not name the branch', () => {
  const created = creation('release', 'm4', 5, { baseRef: null });
  assert.deepEqual(chosen(cutAt4(created)).numbers, [2, 3, 4, 7, 9]);
  const listed = creation('release', 'm4', 5, { baseRef: null, shas: ['m3', 'm4'] });
  assert.deepEqual(chosen(cutAt4(listed)).numbers, [2, 3, 4, 7, 9], 'Gitea lists commits of a new branch again');
});

test('dates of the parent decide up to the cut, if the commit of the cut is not captured', () => {
  const memory = cutAt4(creation('release', 'unknown', 5));
  assert.deepEqual(chosen(memory).numbers, [2, 3, 4, 7, 9]);
});

test('nothing of the parent is selected if no push shows the cut', () => {
  const own = aPush('release', null, ['r1', 'm7'], 7, { gap: true }).push;
  for (const created of [own, creation('release', 'unknown', 5, { baseRef: null }).push]) {
    const memory = cutAt4({ push: created, commits: [] });
    assert.deepEqual(chosen(memory).numbers, [7, 9]);
  }
});

test('a range from a release branch begins on main at the cut', () => {
  const memory = {
    ...cutAt4(),
    tags: [tag('v1', 'm7', 7), tag('v2', 'x9', 9, 'main')],
    pulls: [
      aPull(3),
      aPull(4),
      aPull(5),
      aPull(6),
      onRelease(7),
      aPull(8),
      aPull(30, { mergedAt: day(5), baseRef: 'x' }),
    ],
  };
  assert.deepEqual(chosen(memory), { numbers: [5, 6, 8], out: ['7 branch release', '30 branch x'] });
});

test('a range between two release branches begins at the first cut', () => {
  const pushes = [creation('1.x', 'm2', 2).push, creation('2.x', 'm5', 5).push];
  const on = (number: number, baseRef: string) => aPull(number, { baseRef });
  const memory = {
    tags: [tag('v1', 'a', 8, '1.x'), tag('v2', 'b', 9, '2.x')],
    pulls: [aPull(1), aPull(2), aPull(3), aPull(5), on(4, '1.x'), on(6, '2.x'), aPull(7), on(9, '2.x'), on(10, '2.x')],
    ...history(aPush('main', 'm1', ['m2'], 2), aPush('main', 'm2', ['m5'], 5, { gap: true })),
  };
  const cut = { ...memory, pushes: [...memory.pushes, ...pushes] };
  assert.deepEqual(chosen(cut), { numbers: [3, 5, 6, 9], out: ['4 branch 1.x', '7 afterCut main'] });
  assert.deepEqual(chosen(memory).numbers, [9], 'without the cuts');
});

test('a tag whose branch is not known does not move the beginning to a cut', () => {
  const memory = { ...cutAt4(), tags: [tag('v1', 'lost', 8), tag('v2', 'm9', 9, 'release')] };
  assert.deepEqual(chosen(memory).numbers, [9]);
});

test('a branch that merged the tagged commit does not move the beginning to its cut', () => {
  const { commits, pushes } = history(
    aPush('main', null, ['m1'], 1),
    aPush('next', 'n1', ['m9', 'n9|Merge branch main'], 10),
  );
  const memory = {
    tags: [tag('v1', 'm4', 4, 'main'), tag('v2', 'm9', 9)],
    pulls: [aPull(3, { baseRef: 'next' }), aPull(5, { baseRef: 'next' })],
    commits,
    pushes: [...pushes, creation('next', 'm0', 2).push],
  };
  assert.deepEqual(chosen(memory).numbers, [5]);
});

test('the last creation before a time counts, and the default branch has none', () => {
  const { commits, pushes } = history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['m4'], 4));
  const created = [creation('release', 'm1', 2), creation('release', 'm4', 6), creation('main', 'm0', 1)];
  const source = memorySource({ commits, pushes: [...pushes, ...created.map(({ push }) => push)] });
  assert.equal(cutOf(source, 'release', day(1)), undefined);
  assert.deepEqual(cutOf(source, 'release', day(3)), { sha: 'm1', parent: 'main', at: day(1) });
  assert.deepEqual(cutOf(source, 'release', day(9)), { sha: 'm4', parent: 'main', at: day(4) });
  assert.equal(cutOf(source, 'main', day(9)), undefined);
});

test('branches that were cut from each other end the search', () => {
  const pushes = [creation('a', 'x', 1, { baseRef: 'b' }).push, creation('b', 'y', 1, { baseRef: 'a' }).push];
  const memory = {
    tags: [tag('v1', 'o', 1, 'c'), tag('v2', 'p', 3, 'a')],
    pulls: [aPull(2, { baseRef: 'a' })],
    pushes,
  };
  assert.deepEqual(chosen(memory).numbers, [2]);
});
