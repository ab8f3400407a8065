/**
 * Tests the reasons why a draft is outdated: each kind of change gives its reason, and a change that does not alter the
 * text gives none.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeWithFacts, textOf } from '../../../../src/notes/draft/compose.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { outdatedBecause } from '../../../../src/notes/draft/outdated.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import { maxOutdatedReasons } from '../../../../src/protocol/outdated.ts';
import type { Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const numbered: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 999 };
const tagged: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };

interface Options {
  bounds?: RangeBounds;
  persona?: Persona;
  /** Whether the draft has facts. Drafts of earlier versions have none. */
  hasFacts?: boolean;
}

/** Returns the reasons for a draft that was generated from `before` when the records are those of `now`. */
function reasons(
  before: Memory,
  now: Memory,
  { bounds = numbered, persona = 'engineer', hasFacts = true }: Options = {},
): string[] {
  const { bodyMd, facts } = composeWithFacts(memorySource(before), bounds, persona, () => []);
  const notes = gather(memorySource(now), bounds);
  const because = outdatedBecause(notes, bodyMd, textOf(notes, persona), hasFacts ? facts : undefined);
  return because.map(({ number, sha, what }) => [number ?? sha, what].filter((each) => each !== undefined).join(' '));
}

/** Returns the reasons if one pull request of three changes. */
function afterEdit(fields: Partial<PullRecord>, options: Options = {}): string[] {
  const pulls = [aPull(1), aPull(2), aPull(3)];
  return reasons({ pulls }, { pulls: [aPull(1), aPull(2, fields), aPull(3)] }, options);
}

test('a change that does not alter the text gives no reason', () => {
  assert.deepEqual(afterEdit({}), []);
  assert.deepEqual(afterEdit({ body: 'A word about how it was tested.' }), []);
  assert.deepEqual(afterEdit({ labels: ['needs review'] }), []);
});

test('a new title, a new label and a late merge give their reasons', () => {
  assert.deepEqual(afterEdit({ title: 'Another title' }), ['2 edited']);
  assert.deepEqual(afterEdit({ labels: ['type: bug'] }), ['2 label']);
  assert.deepEqual(afterEdit({ title: 'Another title', labels: ['type: bug'] }), ['2 edited', '2 label']);
  assert.deepEqual(reasons({ pulls: [aPull(1)] }, { pulls: [aPull(1), aPull(2)] }), ['2 merged']);
});

test('a change that leaves the draft or comes back says why', () => {
  assert.deepEqual(afterEdit({ labels: ['skip-changelog'] }), ['2 label']);
  const skipped = { pulls: [aPull(1), aPull(2, { labels: ['skip-changelog'] })] };
  const shown = { pulls: [aPull(1), aPull(2)] };
  assert.deepEqual(reasons(skipped, shown), ['2 label']);
  const reverted = { pulls: [...shown.pulls, aPull(3, { title: 'Revert "Change 2"', body: 'Reverts #2' })] };
  assert.deepEqual(reasons(shown, reverted), ['2 reverted']);
  assert.deepEqual(reasons(reverted, shown), ['2 reverted']);
  assert.deepEqual(afterEdit({ state: 'open', mergedAt: null }), ['2 removed']);
});

test('an issue that is closed or renamed is the reason', () => {
  const pulls = [aPull(1, { linkedIssues: [20] }), aPull(2)];
  const open = { pulls, issues: [anIssue(20, { state: 'open', closedAt: null })] };
  assert.deepEqual(reasons(open, { pulls, issues: [anIssue(20)] }), ['1 issue']);
  assert.deepEqual(reasons({ pulls: [aPull(2)] }, { pulls: [aPull(2)], issues: [anIssue(30)] }), ['30 issue']);
});

test('changed settings are a reason without a number', () => {
  const pulls = [aPull(1, { labels: ['type: bug'] })];
  const titles = { ...defaultSettings.titles, fix: 'Mended' };
  assert.deepEqual(reasons({ pulls }, { pulls, settings: { ...defaultSettings, titles } }), ['settings']);
  const strict = { ...defaultSettings, strictPublishing: true };
  assert.deepEqual(reasons({ pulls }, { pulls, settings: strict }), []);
  assert.deepEqual(
    reasons({ pulls }, { pulls: [aPull(1, { labels: ['type: bug'], title: 'x' })], settings: strict }),
    ['1 edited'],
    'a setting that no text depends on is not a reason',
  );
});

test('a moved tag is a reason with its new commit', () => {
  const pulls = [aPull(1, { mergeSha: 'm1' }), aPull(2, { mergeSha: 'm2' })];
  const pushes = history(aPush('main', 'x', ['m0'], 1), aPush('main', 'm0', ['m1'], 2), aPush('main', 'm1', ['m2'], 3));
  const at = (sha: string): Memory => ({ pulls, tags: [aTag('v1', 'm0'), aTag('v2', sha)], ...pushes });
  assert.deepEqual(reasons(at('m1'), at('m2'), { bounds: tagged }), ['m2 tag', '2 merged']);
  assert.deepEqual(reasons(at('m2'), at('m1'), { bounds: tagged }), ['m1 tag', '2 removed']);
});

test('a draft of an earlier version has the reasons that need no facts', () => {
  assert.deepEqual(afterEdit({ title: 'Another title' }, { hasFacts: false }), ['other']);
  assert.deepEqual(afterEdit({ labels: ['skip-changelog'] }, { hasFacts: false }), ['2 label']);
  const late = [aPull(1), aPull(2)];
  assert.deepEqual(reasons({ pulls: [aPull(1)] }, { pulls: late }, { hasFacts: false }), ['2 merged']);
});

test('the list of reasons is limited', () => {
  const pulls = Array.from({ length: 300 }, (_, index) => aPull(index + 1));
  assert.equal(reasons({ pulls: [] }, { pulls }).length, maxOutdatedReasons);
});

test('a change that readers see only with a label says so', () => {
  assert.deepEqual(afterEdit({ labels: ['priority: high'] }, { persona: 'customer' }), ['2 label']);
});
