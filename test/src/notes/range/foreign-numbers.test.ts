/**
 * Tests commits whose subject has the number of a pull request of another repository. Such a commit is merged from a
 * fork or from upstream. Cherry-picks, backports and reverts of old changes of the repository itself keep their number.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { select } from '../../../../src/notes/range/select.ts';
import type { PullRecord } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const tags = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;
/** The day of the range. Its pull requests have the numbers 13000 and 13001. */
const now = 200;
const merged = (number: number, at: number, fields: Partial<PullRecord> = {}): PullRecord =>
  aPull(number, { mergedAt: day(at), updatedAt: day(at), ...fields });
const current = [merged(13_000, now), merged(13_001, now - 20)];
const old = merged(12, 3, { title: 'Add a parser for dates' });

/** Returns a range in which these commits are pushed to `branch`. Each commit is given as `sha|message`. */
function pushed(commits: string[], pulls: PullRecord[], branch = 'main'): Memory {
  const last = commits.at(-1)?.split('|')[0] as string;
  return {
    tags: [aTag('v1', 'm1'), aTag('v2', last)],
    pulls,
    ...history(aPush('main', null, ['m1'], now - 1), aPush(branch, 'm1', commits, now)),
  };
}

/** Returns one text per change: number or sha, `in` or `out`, reason, detail and method. */
function explained(memory: Memory): string[] {
  return explain(memorySource(memory), tags).changes.map(({ number, sha, included, reason, detail, method }) =>
    [number ?? sha, included ? 'in' : 'out', reason, detail ?? '-', method].join(' '),
  );
}

test('a number far below all numbers of its time is neither ours nor missing', () => {
  const subjects = [
    ['Speed up the engine (#12)', 'f1 in foreign #12 commit'],
    ['Merge pull request #12 from up/engine\n\nSpeed up the engine', 'f1 out routine - commit'],
  ] as const;
  for (const [subject, expected] of subjects) {
    for (const pulls of [current, [...current, old]]) {
      const memory = pushed([`f1|${subject}`], pulls);
      assert.deepEqual(explained(memory), [expected], subject);
      const { pulls: found, notCaptured, bySubject } = select(memorySource(memory), tags);
      assert.deepEqual([found, [...notCaptured], [...bySubject]], [[], [], []]);
    }
  }
});

test('the commits of a fork belong to the pull request that merges them', () => {
  const sync = merged(13_002, now, { title: 'Merge upstream', mergeSha: 'm3' });
  const commits = ['f1|Speed up the engine (#12)', 'f2|Turn left (#14)', 'm3|Merge pull request #13002 from up/main'];
  assert.deepEqual(explained(pushed(commits, [...current, old, sync])), ['13002 in listed - mergeCommit']);
});

const picks: [name: string, commit: string, branch?: string][] = [
  ['a cherry-pick with the title', 'p1|Add a parser for dates (#12)', 'release'],
  ['a cherry-pick with other words, on another branch', 'p1|Picked (#12)', 'release'],
  ['a change that is picked onto its own branch again', 'p1|parser: add a parser for dates (#12)'],
  ['a merge that is picked', 'p1|Merge pull request #12 from ada/topic\n\nAdd a parser for dates'],
  ['a merge without a title', 'p1|Merge pull request #12 from ada/topic'],
  ['a commit that says that it is a cherry-pick', 'p1|Dates (#12)\n\n(cherry picked from commit 0123456789)'],
  ['a backport', 'p1|Backport dates (#12)'],
  ['a revert', 'p1|Revert it all (#12)'],
];
for (const [name, commit, branch] of picks) {
  test(`an old change of ours keeps its number: ${name}`, () => {
    assert.deepEqual(explained(pushed([commit], [...current, old], branch)), ['12 in listed - subject']);
  });
}

test('numbers that are not far below those of their time stay ours', () => {
  const reason = (number: number, pulls: PullRecord[]) => explained(pushed([`p1|Other words (#${number})`], pulls))[0];
  assert.match(reason(1300, current) ?? '', /^1300 out notCaptured/);
  assert.match(reason(1299, current) ?? '', /in foreign #1299/);
  assert.match(reason(12, [...current, merged(40, now)]) ?? '', /^12 out notCaptured/, 'a long-lived pull request');
  assert.match(reason(12, [merged(900, now)]) ?? '', /^12 out notCaptured/, 'a young repository');
  assert.match(reason(12, []) ?? '', /^12 out notCaptured/, 'nothing captured at that time');
  assert.match(reason(12, [merged(13_000, now - 90)]) ?? '', /^12 out notCaptured/, 'nothing captured at that time');
  assert.match(reason(12, [...current, { ...old, mergedAt: day(now - 80) }]) ?? '', /^12 in listed - subject/);
});

test('a commit without a captured push counts at its own time', () => {
  const memory = pushed(['f1|Speed up the engine (#12)'], current);
  const commits = memory.commits?.map((commit) => ({ ...commit, pushes: [] })) ?? [];
  const comparisons = [{ from: 'm1', to: 'f1', ancestry: 'ahead' as const, groups: [['f1']] }];
  assert.deepEqual(explained({ ...memory, commits, pushes: [], comparisons }), ['f1 in foreign #12 commit']);
});
