/**
 * Tests reverts: which of several changes a revert refers to, and reverts of the commits that a merge brought. Also tests
 * that the search takes time in proportion to the length of the range.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { settleReverts } from '../../../../src/notes/range/reverts.ts';
import type { CommitRecord, PullRecord } from '../../../../src/protocol/stored.ts';
import { assertLinear } from '../../../helpers/processor-time.ts';
import { aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

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

const tags = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;
const [one, two] = ['aaaaaaa1', 'aaaaaaa2'];

/**
 * Returns a range in which a merge brings the given commits as #2. The commits of `reverting` follow, each given as
 * `sha|message`. `fields` are those of #3, which is merged as the last of these commits.
 */
function merged(brought: readonly string[], reverting: string[], fields?: Partial<PullRecord>): Memory {
  const last = reverting.at(-1)?.split('|')[0] as string;
  const revert = fields && aPull(3, { mergeSha: last, title: 'Revert "Part"', ...fields });
  return {
    tags: [aTag('v1', 'm1'), aTag('v2', last)],
    pulls: [aPull(2, { title: 'Add search' }), ...(revert ? [revert] : [])],
    ...history(
      aPush('main', null, ['m1'], 1),
      aPush('main', 'm1', [...brought.map((sha) => `${sha}|Part`), 'm2|Merge pull request #2 from ada/topic'], 2),
      aPush('main', 'm2', reverting, 3),
    ),
  };
}

/** Returns one text per change: number or sha, `in` or `out`, reason and detail. */
function explained(memory: Memory): string[] {
  return explain(memorySource(memory), tags).changes.map(({ number, sha, included, reason, detail }) =>
    [number ?? sha, included ? 'in' : 'out', reason, detail ?? '-'].join(' '),
  );
}

const both = [one, two] as const;
const pairs: [name: string, memory: Memory][] = [
  [
    'the only commit, in the body',
    merged([one], ['m3|Merge pull request #3 from a/b'], { body: `This reverts commit ${one}.` }),
  ],
  ['the only commit, in the merge commit', merged([one], [`m3|Revert "Part" (#3)\n\nThis reverts commit ${one}.`], {})],
  [
    'all commits, in the body',
    merged(both, ['m3|Undo (#3)'], { body: `This reverts commit ${one}.\nThis reverts commit ${two}.` }),
  ],
  ['all commits, in one sentence', merged(both, ['m3|Undo (#3)'], { body: `Reverts commits ${one} and ${two}.` })],
  [
    'all commits, in the commits of the revert',
    merged(
      both,
      [
        `b1|Undo\n\nThis reverts commit ${two}.`,
        `b2|Undo\n\nThis reverts commit ${one}.`,
        'm3|Merge pull request #3 from a/b',
      ],
      {},
    ),
  ],
];
for (const [name, memory] of pairs) {
  test(`a revert that names the commits of a merge removes its pull request: ${name}`, () => {
    assert.deepEqual(explained(memory), ['2 out reverted #3', '3 out reverts #2']);
  });
}

test('a direct commit that reverts the only commit of a merge removes its pull request', () => {
  const memory = merged([one], [`c3|Undo\n\nThis reverts commit ${one}.`]);
  assert.deepEqual(explained(memory), ['2 out reverted c3', 'c3 out reverts #2']);
});

test('a revert of some commits of a merge leaves its pull request in, and says so', () => {
  const memory = merged(both, ['m3|Undo (#3)'], { body: `This reverts commit ${one}.` });
  assert.deepEqual(explained(memory), ['2 in listed -', '3 in partialRevert #2']);
  const { bodyMd } = compose(memorySource(memory), tags, 'engineer');
  assert.match(bodyMd, /\n- Reverted in part: Add search \(\[#2\]\([^)]*\), reverted in \[#3\]/);
  const direct = merged(both, [`c3|Undo\n\nThis reverts commit ${one}.`]);
  assert.deepEqual(explained(direct), ['2 in listed -', 'c3 in partialRevert #2']);
  const named = memory.commits?.map((commit) =>
    commit.sha === one || commit.sha === two ? { ...commit, message: 'Part (#2)' } : commit,
  );
  assert.deepEqual(explained({ ...memory, commits: named ?? [] }), ['2 in listed -', '3 in partialRevert #2']);
});

test('a partial revert of a released change names the release', () => {
  const memory = merged(both, ['m3|Undo (#3)'], { body: `This reverts commit ${one}.`, mergedAt: day(3) });
  const released = { ...memory, tags: [aTag('v1', 'm2', { date: day(2) }), aTag('v2', 'm3', { date: day(3) })] };
  assert.deepEqual(explained(released), ['3 in partialRevert #2']);
  assert.match(
    compose(memorySource(released), tags, 'engineer').bodyMd,
    /\n- Reverted in part: Add search \(\[#2\]\([^)]*\), shipped in v1, reverted in \[#3\]/,
  );
});

test('a title that quotes the whole change counts more than the sha of one of its commits', () => {
  const fields = { title: 'Revert "Add search"', body: `This reverts commit ${one}.` };
  assert.deepEqual(explained(merged(both, ['m3|Undo (#3)'], fields)), ['2 out reverted #3', '3 out reverts #2']);
});

test('a pull request with another title reverts the change, but stays listed itself', () => {
  const fields = { title: 'Update the engine', body: `Update the engine\n\nThis reverts commit ${one}.` };
  assert.deepEqual(explained(merged([one], ['m3|Update (#3)'], fields)), ['2 out reverted #3', '3 in listed -']);
  assert.deepEqual(explained(merged(both, ['m3|Update (#3)'], fields)), ['2 in listed -', '3 in listed -']);
});

const hashes = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];

/** Returns a range with #1, #2, a direct commit and #3, which reverts what `body` names. `old` is shipped before. */
function several(body: string, title = 'Revert changes 1 and 2', old = 0): Memory {
  return {
    tags: [aTag('v1', old === 1 ? hashes[0] : 'm0'), aTag('v2', 'm4')],
    pulls: [aPull(1, { mergeSha: hashes[0] }), aPull(2, { mergeSha: hashes[1] }), aPull(3, { title, body })],
    ...history(
      aPush('main', null, ['m0'], 1),
      aPush('main', 'm0', [hashes[0]], 2),
      aPush('main', hashes[0], [hashes[1]], 3),
      aPush('main', hashes[1], [`${hashes[2]}|Work`], 4),
      aPush('main', hashes[2], ['m3'], 5),
      aPush('main', 'm3', ['m4|More work'], 6),
    ),
  };
}

const severalNamed: [body: string, expected: string[]][] = [
  ['Reverts #1\nReverts #2', ['1 out reverted #3', '2 out reverted #3', '3 out reverts #1']],
  [
    `This reverts commit ${hashes[0]}.\n\nThis reverts commit ${hashes[1]}.`,
    ['1 out reverted #3', '2 out reverted #3', '3 out reverts #1'],
  ],
  ['Reverts #1 and #2.', ['1 out reverted #3', '2 out reverted #3', '3 out reverts #1']],
  ['Reverts #1, #2 stays.', ['1 out reverted #3', '2 in listed -', '3 out reverts #1']],
  ['Reverts #1. The later #9 reverts #2.', ['1 out reverted #3', '2 in listed -', '3 out reverts #1']],
  [
    `This reverts commits ${hashes[0]} and ${hashes[1]}`,
    ['1 out reverted #3', '2 out reverted #3', '3 out reverts #1'],
  ],
];
for (const [body, expected] of severalNamed) {
  test(`a revert removes every change that it names: ${body}`, () => {
    assert.deepEqual(explained(several(body)).slice(0, 3), expected);
  });
}

test('a revert of a pull request and a commit removes both', () => {
  const body = `This reverts commit ${hashes[2]}.\nThis reverts commit ${hashes[1]}.`;
  assert.deepEqual(explained(several(body)), [
    '1 in listed -',
    '2 out reverted #3',
    '3 out reverts #2',
    `${hashes[2]} out reverted #3`,
    'm4 in direct -',
  ]);
});

test('a commit removes every change that its message names', () => {
  const memory = several('', 'Change 3');
  const message = `Undo\n\nThis reverts commit ${hashes[0]}.\n\nThis reverts commit ${hashes[2]}.`;
  const commits = memory.commits?.map((commit) => (commit.sha === 'm4' ? { ...commit, message } : commit)) ?? [];
  assert.deepEqual(explained({ ...memory, commits }), [
    '1 out reverted m4',
    '2 in listed -',
    '3 in listed -',
    `${hashes[2]} out reverted m4`,
    'm4 out reverts #1',
  ]);
});

test('a revert of a change in the range and of a released change stays listed as a revert of the latter', () => {
  const memory = several('Reverts #1\nReverts #2', undefined, 1);
  assert.deepEqual(explained(memory).slice(0, 2), ['2 out reverted #3', '3 in revert #1']);
  assert.match(compose(memorySource(memory), tags, 'engineer').bodyMd, /Revert(?:ed)?: Change 1 \(\[#1\]/);
});

test('a revert of a revert that also names the change restores it', () => {
  const pulls = [
    aPull(1),
    aPull(2, { title: 'Revert "Change 1"', body: 'Reverts #1' }),
    aPull(3, { title: 'Revert "Revert "Change 1""', body: 'Reverts #2\nReverts #1' }),
  ];
  assert.deepEqual([...settle(pulls).cancelled.keys()], [2, 3]);
});

test('a revert of all commits of two merges removes both pull requests', () => {
  const memory = merged([one], ['m3|Undo (#3)'], { body: `Reverts commits ${one} and ${two}.` });
  const push = aPush('main', 'm2', [`${two}|Part`, 'm9|Merge pull request #9 from ada/other'], 2.5);
  const other = history(push);
  const pulls = [...(memory.pulls ?? []), aPull(9, { mergedAt: day(2) + 1000 })];
  const pushes = [
    ...(memory.pushes ?? []).map((each) => (each.before === 'm2' ? { ...each, before: 'm9' } : each)),
    ...other.pushes,
  ];
  assert.deepEqual(explained({ ...memory, pulls, pushes, commits: [...(memory.commits ?? []), ...other.commits] }), [
    '2 out reverted #3',
    '3 out reverts #2',
    '9 out reverted #3',
  ]);
});

test('a pull request that only mentions a commit of a merge is not a revert', () => {
  const fields = { title: 'Search again', body: `This does not revert anything. See ${one}.` };
  assert.deepEqual(explained(merged([one], ['m3|Again (#3)'], fields)), ['2 in listed -', '3 in listed -']);
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
  'pull requests that name as many changes as a body has room for': (size) => [
    Array.from({ length: size / 8 }, (_, at) => {
      const names = Array.from({ length: 1_000 }, (_, back) => `Reverts #${Math.max(1, at - back)}`);
      return aPull(at + 1, { title: 'Revert many', body: names.join('\n') });
    }),
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
