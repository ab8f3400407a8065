/**
 * Tests reverts in long ranges: which of several changes a revert refers to. Also tests that the search takes time in
 * proportion to the length of the range.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settleReverts } from '../../../../src/notes/range/reverts.ts';
import type { CommitRecord, PullRecord } from '../../../../src/protocol/stored.ts';
import { assertLinear } from '../../../helpers/processor-time.ts';
import { aPull, memorySource } from '../memory-source.ts';

function aCommit(number: number, message: string): CommitRecord {
  const sha = number.toString(16).padStart(40, '0');
  return { sha, message, at: number, author: 'ada', coAuthors: [], pushes: [] };
}

function settle(pulls: PullRecord[], commits: CommitRecord[] = []) {
  return settleReverts(memorySource({ pulls }), pulls, true, commits);
}

test('of changes with the same title, a revert takes the newest that was merged before it', () => {
  const titles = ['Same', 'SAME (#7)', 'Same (#1) (#2)', 'Revert "Same" (#9)', 'Same'];
  const open = { ...aPull(6, { title: 'Same', state: 'open' }), mergedAt: null };
  const { cancelled } = settle([...titles.map((title, index) => aPull(index + 1, { title })), open]);
  assert.deepEqual(
    [...cancelled].map(([number, { reason }]) => [number, reason]),
    [
      [3, 'reverted'],
      [4, 'reverts'],
    ],
  );
});

test('a sha prefix finds a commit, but never the revert itself', () => {
  const [first, second] = [aCommit(0xabc1, 'Works'), aCommit(0xabc2, `This reverts commit ${'0'.repeat(36)}abc1.`)];
  assert.deepEqual([...settle([], [second, first]).cancelledCommits.keys()], [first.sha, second.sha]);
  const itself = aCommit(0xabc1, `This reverts commit ${'0'.repeat(36)}abc1.`);
  assert.equal(settle([], [itself]).cancelledCommits.size, 0);
});

const long: Record<string, (size: number) => [PullRecord[], CommitRecord[]]> = {
  'pull requests that quote what is not there': (size) => [
    Array.from({ length: size }, (_, at) => aPull(at + 1, { title: `Revert "nothing ${at}"` })),
    [],
  ],
  'pull requests of one title and as many reverts of it': (size) => [
    Array.from({ length: size }, (_, at) => aPull(at + 1, { title: at < size / 2 ? 'Revert "same"' : 'same' })),
    [],
  ],
  'commits that name the last one': (size) => [
    [],
    Array.from({ length: size }, (_, at) =>
      aCommit(at, `This reverts commit ${(size - 1).toString(16).padStart(40, '0')}`),
    ),
  ],
  'pull requests that quote commits': (size) => [
    Array.from({ length: size }, (_, at) => aPull(at + 1, { title: `Revert "nothing ${at}"` })),
    Array.from({ length: size }, (_, at) => aCommit(at, `Something ${at}`)),
  ],
};

for (const [name, rangeOf] of Object.entries(long)) {
  test(`a range takes time in proportion to its length: ${name}`, () => {
    assertLinear(
      name,
      8192,
      (length) => 'x'.repeat(length),
      ({ length }) => settle(...rangeOf(length)),
    );
  });
}
