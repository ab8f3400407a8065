/**
 * Tests the explanation of a range. The explanation lists every change with the reason why the draft contains the
 * change or leaves it out. The tests cover every kind of reason once. On random ranges, explanation and draft must
 * agree.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import type { RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };
const tags: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };

/** Returns one text per change: `NUMBER-OR-SHA in|out REASON DETAIL SECTION METHOD`. */
function explained(memory: Memory, bounds: RangeBounds = all): string[] {
  return explain(memorySource(memory), bounds).changes.map(
    ({ number, sha, included, reason, detail, section, method }) =>
      [number ?? sha, included ? 'in' : 'out', reason, detail ?? '-', section ?? '-', method].join(' '),
  );
}

test('gives every pull request of a range its reason', () => {
  const pulls = [
    aPull(1, { title: 'feat: x' }),
    aPull(2, { title: 'Release v1.2.3' }),
    aPull(3, { labels: ['Skip-Changelog'] }),
    aPull(4, { state: 'open', mergedAt: null }),
    aPull(5, { title: 'Bump a from 1 to 2', author: { login: 'dependabot[bot]', bot: true } }),
    aPull(6),
    aPull(7, { title: 'Revert "Change 6"', body: 'Reverts #6' }),
    aPull(8, { title: 'feat: x', body: 'Backport of #1', baseRef: 'release' }),
    aPull(9, { title: 'Revert "gone"' }),
    aPull(10, { labels: ['type: breaking'] }),
  ];
  assert.deepEqual(explained({ pulls }), [
    '1 in listed - feature number',
    '2 out release - - number',
    '3 out label Skip-Changelog - number',
    '4 out unmerged - - number',
    '5 in dependency - dependencies number',
    '6 out reverted #7 - number',
    '7 out reverts #6 - number',
    '8 in backport #1 feature number',
    '9 in revert - reverted number',
    '10 in listed - breaking number',
  ]);
});

test('a change with several statements is in if one of them is in', () => {
  const settings = { ...defaultSettings, excludedAuthors: ['ada'] };
  const body = '```release-note\n[BUGFIX] Keep rows\n**Breaking:** Rows have ids\n[CI] Test rows\n```';
  assert.deepEqual(explained({ pulls: [aPull(1, { body })], settings }), ['1 in listed - breaking number']);
  assert.deepEqual(explained({ pulls: [aPull(1, { body })] }), ['1 in listed - breaking number']);
  const commits = {
    tags: [aTag('v1', 'm0'), aTag('v2', 'c1')],
    ...history(aPush('main', null, ['m0'], 0), aPush('main', 'm0', [`c1|Rows\n\n${body}`], 1)),
  };
  assert.deepEqual(explained({ ...commits, settings }, tags), ['c1 in direct - breaking commit']);
  assert.deepEqual(explained(commits, tags), ['c1 in direct - breaking commit']);
});

test('gives the pull request that linked an issue, or the reason why the issue is left out', () => {
  const pulls = [
    aPull(1, { linkedIssues: [20, 21] }),
    aPull(2, { linkedIssues: [22], labels: ['skip-changelog'] }),
    aPull(3, { linkedIssues: [99] }),
  ];
  const issues = [
    anIssue(20),
    anIssue(21, { state: 'open', closedAt: null }),
    anIssue(22),
    anIssue(23),
    anIssue(24, { labels: ['wontfix'] }),
    anIssue(25, { stateReason: 'not_planned' }),
  ];
  assert.deepEqual(explained({ pulls, issues }).slice(3), [
    '20 in linked #1 - link',
    '21 out open #1 - link',
    '22 out unlisted #2 - link',
    '23 in closed - issues number',
    '24 out unresolved - - number',
    '25 out unresolved - - number',
  ]);
});

test('says how pull requests and commits between two tags were found', () => {
  const memory = {
    tags: [aTag('v1', 'm1'), aTag('v2', 'p3')],
    pulls: [aPull(2), aPull(3, { mergeSha: 'elsewhere' })],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('main', 'm1', ['m2', 'p3|Picked (#3)', 'd4|By hand', 'd5|v2.0.0', 'd6|Lost (#77)', 'p3|Picked (#3)'], 2),
    ),
  };
  assert.deepEqual(explained(memory, tags), [
    '2 in listed - other mergeCommit',
    '3 in listed - other subject',
    '77 out notCaptured - - subject',
    'd4 in direct - other commit',
    'd5 out release - - commit',
    'd6 in direct - other commit',
  ]);
});

test('names the branch of pull requests that a window leaves out', () => {
  const memory = {
    tags: [aTag('v1', 'x1', { date: day(1) }), aTag('v2', 'x9', { date: day(9) })],
    pulls: [aPull(2), aPull(3, { baseRef: 'release' })],
  };
  assert.deepEqual(explained(memory, tags), ['2 in listed - other window', '3 out branch release - window']);
});

test('reports a change that fromTag already had by a backport', () => {
  const memory = {
    tags: [aTag('v1', 'b1'), aTag('v2', 'm3')],
    pulls: [
      aPull(2, { title: 'Fix a thing' }),
      aPull(3),
      aPull(4, { title: '[release] Fix a thing', body: 'Backport of #2', mergeSha: 'b1', baseRef: 'release' }),
    ],
    ...history(
      aPush('main', 'm0', ['m1'], 1),
      aPush('main', 'm1', ['m2'], 2),
      aPush('main', 'm2', ['m3'], 3),
      aPush('release', 'm1', ['b1'], 4),
    ),
  };
  assert.deepEqual(explained(memory, tags), ['2 out shipped v1 - mergeCommit', '3 in listed - other mergeCommit']);
  const { bodyMd } = compose(memorySource(memory), tags, 'engineer');
  assert.match(bodyMd, /## Already Released\n\n<details>\n<summary>1 change shipped in v1<\/summary>\n\n- Fix a thing/);
});

const titles = fc.constantFrom(
  'feat: a',
  'fix: b',
  'Release v1.2.3',
  'Revert "feat: a"',
  'Bump a from 1 to 2',
  'plain',
);
const drawn = fc.array(
  fc.record({
    title: titles,
    labels: fc.subarray(['type: feature', 'type: breaking', 'skip-changelog', 'dependencies', 'own']),
    linked: fc.option(fc.integer({ min: 40, max: 45 })),
    base: fc.constantFrom('main', 'release'),
    of: fc.option(fc.integer({ min: 1, max: 15 })),
    merged: fc.boolean(),
  }),
  { maxLength: 15 },
);

test('agrees with the draft about every pull request', () => {
  fc.assert(
    fc.property(drawn, (changes) => {
      const pulls = changes.map(({ title, labels, linked, base, of, merged }, index) =>
        aPull(index + 1, {
          title,
          labels,
          baseRef: base,
          body: of === null ? '' : `Backport of #${of}`,
          linkedIssues: linked === null ? [] : [linked],
          ...(!merged && { state: 'open', mergedAt: null, mergeSha: null }),
        }),
      );
      const source = memorySource({ pulls, issues: [40, 41, 42, 43].map((number) => anIssue(number)) });
      const explained = explain(source, all).changes;
      const numbers = explained.filter(({ kind }) => kind === 'pull').map(({ number }) => number);
      assert.deepEqual(
        numbers,
        pulls.map(({ number }) => number),
      );
      const { bodyMd } = compose(source, all, 'engineer');
      const shown = new Set([...bodyMd.matchAll(/pull\/(\d+)\)/g)].map((match) => Number(match[1])));
      const entries = new Set([...bodyMd.matchAll(/rn:pr:(\d+) /g)].map((match) => Number(match[1])));
      for (const { kind, number = 0, included } of explained) {
        if (kind !== 'pull') continue;
        if (included) assert.ok(shown.has(number), `#${number} is said to be in`);
        else assert.ok(!entries.has(number), `#${number} is said to be out`);
      }
    }),
    { numRuns: 500 },
  );
});
