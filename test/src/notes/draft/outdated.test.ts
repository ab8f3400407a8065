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
import type { CommentRecord, Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const numbered: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 999 };
const tagged: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };

interface Options {
  bounds?: RangeBounds;
  persona?: Persona;
  /** Whether the draft has facts. Drafts of earlier versions have none. */
  hasFacts?: boolean;
  /** Whether the facts of the draft contain its commands. Those of earlier versions do not. */
  hasCommands?: boolean;
}

/** A comment of a person with write access. */
function aCommand(number: number, body: string): CommentRecord {
  const rest = { state: null, createdAt: 1, updatedAt: 1, deleted: false, rank: 1, association: 'MEMBER' } as const;
  return { kind: 'discussion', id: '1', number, author: { login: 'ada', bot: false }, body, ...rest };
}

/** Returns the reasons for a draft that was generated from `before` when the records are those of `now`. */
function reasons(
  before: Memory,
  now: Memory,
  { bounds = numbered, persona = 'engineer', hasFacts = true, hasCommands = true }: Options = {},
): string[] {
  const { bodyMd, facts: noted } = composeWithFacts(memorySource(before), bounds, persona, () => []);
  const { commands: _, ...former } = noted;
  const facts = hasCommands ? noted : former;
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

test('commands in comments are a reason, also in a draft of which they leave a change out', () => {
  const pulls = [aPull(1), aPull(2), aPull(3)];
  const commanded = (body?: string): Memory => ({
    pulls,
    commandComments: body === undefined ? [] : [aCommand(2, body)],
  });
  for (const body of ['/kind fix', '/note It is faster.', '/area ui', '/note none']) {
    assert.deepEqual(reasons(commanded(), commanded(body)), ['2 command'], body);
    assert.deepEqual(reasons(commanded(body), commanded()), ['2 command'], body);
  }
  assert.deepEqual(reasons(commanded('/kind fix'), commanded('/kind feature')), ['2 command']);
  assert.deepEqual(reasons(commanded('/kind fix'), commanded('Again:\n/kind fix')), []);
  const edited = { ...commanded('/kind fix'), pulls: [aPull(1), aPull(2, { title: 'Another title' }), aPull(3)] };
  assert.deepEqual(reasons(commanded(), edited), ['2 edited', '2 command']);
});

test('a line of a release note that a command replaces has the reason command', () => {
  const body = '```release-note\n- It is faster.\n- It is smaller.\n```';
  const pulls = [aPull(1), aPull(2, { body })];
  const commanded = { pulls, commandComments: [aCommand(2, '/note It is better.')] };
  assert.deepEqual(reasons({ pulls }, commanded), ['2 command']);
  const shorter = [aPull(1), aPull(2, { body: body.replace('- It is smaller.\n', '') })];
  assert.deepEqual(reasons({ pulls }, { pulls: shorter }), ['2 edited']);
});

test('commands in a draft of an earlier version, which did not note them, are not a reason', () => {
  const pulls = [aPull(1), aPull(2)];
  const commandComments = [aCommand(2, '/kind fix')];
  const moved = { pulls: [aPull(1), aPull(2, { title: 'Another title' })], commandComments };
  const former = { hasCommands: false };
  assert.deepEqual(reasons({ pulls, commandComments }, { pulls, commandComments }, former), []);
  assert.deepEqual(reasons({ pulls, commandComments }, moved, former), ['2 edited']);
  assert.deepEqual(reasons({ pulls }, { pulls, commandComments }, former), ['other']);
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
