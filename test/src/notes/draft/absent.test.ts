/**
 * Tests the reasons why a draft does not contain changes that an edit names. On random ranges, a change without a reason
 * is not in the range.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markedIn } from '../../../../src/foundation/markers.ts';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import type { Persona, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };

/** Returns one text per change: `ID REASON DETAIL`. */
function reasons(memory: Memory, named: string[], bounds = all, persona: Persona = 'engineer'): string[] {
  const { absent } = compose(memorySource(memory), bounds, persona, () => named);
  return absent.map(({ id, reason, detail }) => [id, reason, ...(detail === undefined ? [] : [detail])].join(' '));
}

test('a change that is left out has its reason', () => {
  const pulls = [
    aPull(1),
    aPull(2, { title: 'Release v1.2.3' }),
    aPull(3, { labels: ['Skip-Changelog'] }),
    aPull(4, { author: { login: 'Grace', bot: false } }),
    aPull(6),
    aPull(7, { title: 'Revert "Change 6"', body: 'Reverts #6' }),
    aPull(8, { title: 'Change 1', body: 'Backport of #1', baseRef: 'release' }),
    aPull(10, { title: 'Bump a from 1 to 2', author: { login: 'dependabot[bot]', bot: true } }),
    aPull(11, { title: 'Bump a from 2 to 3', author: { login: 'dependabot[bot]', bot: true } }),
  ];
  const settings = { ...defaultSettings, excludedAuthors: ['grace'] };
  const named = [1, 2, 3, 4, 6, 7, 8, 10, 11, 50].map((number) => `pr:${number}`);
  assert.deepEqual(reasons({ pulls, settings }, named), [
    'pr:2 release',
    'pr:3 label Skip-Changelog',
    'pr:4 author Grace',
    'pr:6 reverted #7',
    'pr:7 reverts #6',
    'pr:8 joined #1',
    'pr:11 joined #10',
  ]);
});

test('a change that was released before names the release', () => {
  const memory = {
    pulls: [aPull(1, { mergeSha: 'm1' }), aPull(2, { mergeSha: 'b1', body: 'Backport of #1', baseRef: 'v1-line' })],
    tags: [aTag('v1', 'b1'), aTag('v2', 'm1')],
    ...history(aPush('main', 'x', ['m0'], 1), aPush('v1-line', 'm0', ['b1'], 2), aPush('main', 'm0', ['m1'], 3)),
  };
  const bounds: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
  assert.deepEqual(reasons(memory, ['pr:1'], bounds, 'customer'), ['pr:1 shipped v1']);
  assert.deepEqual(reasons(memory, ['pr:1'], bounds), [], 'engineers still find it in the folded list');
});

test('a change of the range that readers do not see is unlisted', () => {
  const pulls = [aPull(1, { labels: ['type: bug'] }), aPull(2, { title: 'docs: a word' })];
  assert.deepEqual(reasons({ pulls }, ['pr:1', 'pr:2'], all, 'customer'), ['pr:2 unlisted']);
});

test('a change is not said to be listed with another change that the draft does not list', () => {
  const bots = { author: { login: 'dependabot[bot]', bot: true } };
  const pulls = [
    aPull(1, { title: 'docs: a word', linkedIssues: [20] }),
    aPull(2, { title: 'docs: a word', body: 'Backport of #1', baseRef: 'release' }),
    aPull(3, { title: 'Bump a from 1 to 2', ...bots }),
    aPull(4, { title: 'Bump a from 2 to 3', ...bots }),
  ];
  const memory = { pulls, issues: [anIssue(20)] };
  const named = ['pr:2', 'pr:4', 'issue:20'];
  assert.deepEqual(reasons(memory, named), ['pr:2 joined #1', 'pr:4 joined #3', 'issue:20 joined #1']);
  assert.deepEqual(reasons(memory, named, all, 'customer'), ['pr:2 unlisted', 'pr:4 unlisted', 'issue:20 unlisted']);
});

test('an issue says what became of it', () => {
  const pulls = [aPull(1, { linkedIssues: [20] })];
  const issues = [
    anIssue(20),
    anIssue(21, { state: 'open', closedAt: null }),
    anIssue(22, { stateReason: 'not_planned' }),
    anIssue(23),
  ];
  const named = ['issue:20', 'issue:21', 'issue:22', 'issue:23', 'issue:24'];
  assert.deepEqual(reasons({ pulls, issues }, named), ['issue:20 joined #1', 'issue:21 open', 'issue:22 unresolved']);
  assert.ok(reasons({ pulls, issues }, named, all, 'customer').includes('issue:23 unlisted'));
});

test('a commit without a pull request is found by the start of its hash', () => {
  const shas = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];
  const memory = {
    tags: [aTag('v1', 'm0'), aTag('v2', shas[2])],
    ...history(
      aPush('main', 'x', ['m0'], 1),
      aPush(
        'main',
        'm0',
        [
          `${shas[0]}|Fix the pump`,
          `${shas[1]}|Revert "Fix the pump"\n\nThis reverts commit ${shas[0]}.`,
          `${shas[2]}|Add a valve`,
        ],
        2,
      ),
    ),
  };
  const bounds: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
  assert.deepEqual(
    reasons(memory, ['commit:aaaaaaa', `commit:${shas[1]}`, 'commit:ccccccc', 'commit:ddddddd'], bounds, 'customer'),
    ['commit:aaaaaaa reverted bbbbbbb', `commit:${shas[1]} reverts aaaaaaa`, 'commit:ccccccc unlisted'],
  );
});

test('a line of a release note that is gone is told from a whole change', () => {
  const pulls = [aPull(1, { labels: ['type: bug'] }), aPull(3, { labels: ['no changelog'] })];
  assert.deepEqual(reasons({ pulls }, ['pr:1.2', 'pr:3.2']), ['pr:1.2 note', 'pr:3.2 label no changelog']);
});

test('no reason is given for a change that the text contains, and the number of full reasons is limited', () => {
  const pulls = Array.from({ length: 1_500 }, (_, index) =>
    aPull(index + 1, { labels: ['no changelog', 'x'.repeat(50)] }),
  );
  const listed = [...pulls, aPull(2_000)];
  const bounds: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2_000 };
  const named = listed.map(({ number }) => `pr:${number}`);
  const { bodyMd, absent } = compose(memorySource({ pulls: listed }), bounds, 'engineer', () => [...named, ...named]);
  assert.deepEqual(markedIn(bodyMd), ['pr:2000']);
  assert.equal(absent.length, 1_500);
  assert.deepEqual(absent[999], { id: 'pr:1000', reason: 'label', detail: 'no changelog' });
  assert.deepEqual(absent[1_499], { id: 'pr:1500', reason: 'unlisted' });
});
