/**
 * Tests which section a change belongs to. Labels decide first, then the title, then linked issues. No label can hide a
 * breaking change.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from '../../../../src/notes/change/classify.ts';
import { chainUpdates } from '../../../../src/notes/change/dependencies.ts';
import type { PullRecord } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull } from '../memory-source.ts';

function sectionOf(
  title: string,
  labels: string[] = [],
  more: Partial<PullRecord> = {},
  issueLabels: string[] = [],
): string {
  return classify(aPull(1, { title, labels, ...more }), [anIssue(2, { labels: issueLabels })]).section;
}

test('follows the labels of the spec (spec 2.3)', () => {
  assert.equal(sectionOf('x', ['type: feature']), 'feature');
  assert.equal(sectionOf('x', ['Type:Bug']), 'fix');
  assert.equal(sectionOf('x', ['type: breaking', 'type: feature']), 'breaking');
  const { areas, priority } = classify(aPull(1, { labels: ['area: UI', 'area: core', 'priority: high'] }), []);
  assert.deepEqual([areas, priority], [['core', 'UI'], true]);
});

test('understands labels that other projects use', () => {
  const known = {
    'kind/feature': 'feature',
    enhancement: 'feature',
    bug: 'fix',
    ':bug: Bugfix': 'fix',
    'semver-major': 'breaking',
  };
  const others = {
    'breaking-change': 'breaking',
    documentation: 'documentation',
    security: 'security',
    performance: 'performance',
  };
  for (const [label, section] of Object.entries({ ...known, ...others }))
    assert.equal(sectionOf('x', [label]), section, label);
});

test('labels decide first, then the title, then linked issues', () => {
  assert.equal(sectionOf('feat: x', ['type: bug']), 'fix');
  assert.equal(sectionOf('fix: x', ['enhancement']), 'feature');
  assert.equal(sectionOf('fix: x', [], {}, ['type: feature']), 'fix');
  assert.equal(sectionOf('x', [], {}, ['type: feature']), 'feature');
  assert.equal(sectionOf('chore: x', [], {}, ['type: feature']), 'other');
  assert.equal(sectionOf('x'), 'other');
});

test('no label undoes a breaking change', () => {
  assert.equal(sectionOf('fix!: x', ['type: bug']), 'breaking');
  assert.equal(sectionOf('x', ['type: feature'], { body: 'text\n\nBREAKING CHANGE: gone' }), 'breaking');
  assert.equal(sectionOf('x', ['type: feature'], { body: 'BREAKING CHANGE: none' }), 'feature');
  assert.equal(sectionOf('x', [], { body: '```\nBREAKING CHANGE: gone\n```' }), 'other');
  assert.equal(sectionOf('Release v1.0.0', ['type: breaking']), 'breaking');
});

test('recognizes dependency updates, also by people, unless a label names a kind', () => {
  const bot = { author: { login: 'dependabot[bot]', bot: true } };
  assert.equal(sectionOf('chore: Bump a from 1 to 2', [], bot), 'dependency');
  assert.equal(sectionOf('fix(deps): update dependency a to v2', [], bot), 'dependency');
  assert.equal(sectionOf('Move to b', ['dependencies']), 'dependency');
  assert.equal(sectionOf('Bump a from 1 to 2', ['dependencies', 'security'], bot), 'security');
  assert.equal(sectionOf('Bump a from 1 to 2'), 'other');
  assert.equal(sectionOf('Add a page', [], { author: { login: 'copilot-swe-agent', bot: true } }), 'feature');
  assert.equal(sectionOf('Add a page', [], bot), 'dependency');
});

test('recognizes updates by known bots, and ignores the release notes that they quote', () => {
  const renovate = { author: { login: 'acme-renovate[bot]', bot: true } };
  const titles = [
    'chore(deps): update actions/checkout action to v4',
    'fix(deps): update kubernetes packages to v0.29.0',
    'Configure the updates',
  ];
  for (const title of titles) assert.equal(sectionOf(title, [], renovate), 'dependency', title);
  assert.equal(sectionOf('Update dependency a to v18 [SECURITY]', [], renovate), 'security');
  const quoting = { ...renovate, body: '### Release notes\n\nBREAKING CHANGE: node 18 is gone' };
  assert.equal(sectionOf('chore(deps): update dependency a to v2', [], quoting), 'dependency');
  assert.equal(sectionOf('chore(deps)!: update dependency a to v2', [], quoting), 'breaking');
  assert.equal(sectionOf('Version Packages', [], { body: 'BREAKING CHANGE: gone' }), 'other');
  assert.equal(sectionOf('Fix the scan', [], { author: { login: 'snyk-joe', bot: false } }), 'fix');
  assert.equal(sectionOf('[Snyk] Upgrade a from 1 to 2'), 'dependency');
  assert.equal(sectionOf('fix(deps): drop what is not used'), 'fix');
});

test('reads names of packages in the wording of every bot', () => {
  const titles = [
    'Update dependency a to v18 [SECURITY]',
    'Update module a to v19',
    'Update a action to v20 (major)',
    'Security upgrade a from 20 to 21',
    'Pin a to latest version 22',
  ];
  const chains = chainUpdates(titles.map((title, index) => aPull(index + 1, { title })));
  assert.deepEqual(
    chains.map(({ name, to, pulls }) => [name, to, pulls.length]),
    [['a', '22', 5]],
  );
});

test('understands labels of many projects', () => {
  const known: Record<string, string> = {
    'C-bug': 'fix',
    '[Type] Enhancement': 'feature',
    'PR: Breaking Change :boom:': 'breaking',
    'changelog - added': 'feature',
    'topic: bug fixes': 'fix',
    'release-note-action-required': 'breaking',
    'kind/api-change': 'other',
    fixed: 'other',
    'A-parser': 'other',
  };
  for (const [label, section] of Object.entries(known)) assert.equal(sectionOf('x', [label]), section, label);
  const { areas } = classify(aPull(1, { labels: ['A-parser', 'module: nn', 'pkg: web'] }), []);
  assert.deepEqual(areas, ['nn', 'parser', 'web']);
  assert.equal(classify(aPull(1, { labels: ['changelog: none'] }), []).skip, 'changelog: none');
});

test('keeps the word before a colon where labels name another area', () => {
  const { text, areas } = classify(aPull(1, { title: 'clusterctl: Block move', labels: ['area: machine'] }), []);
  assert.deepEqual([text, areas], ['clusterctl: Block move', ['machine']]);
  assert.equal(classify(aPull(1, { title: 'KCP: Block move', labels: ['area: kcp'] }), []).text, 'Block move');
});

test('collects the updates of a group with any number of packages', () => {
  const titles = [
    'Bump the dev group with 2 updates',
    ':seedling: Bump the dev group across 3 directories with 11 updates',
  ];
  const [update] = chainUpdates(titles.map((title, index) => aPull(index + 1, { title })));
  assert.deepEqual([update?.name, update?.to, update?.pulls.length], ['dev group', null, 2]);
});

test('joins updates of one package into one line', () => {
  const pulls = [
    'Bump a from 1.0 to 1.1',
    'chore: Bump b from 1 to 2',
    'build(deps): bump a from 1.1 to 1.2 in /web',
    'Update dependency c to v3',
  ].map((title, index) => aPull(index + 1, { title }));
  const chains = chainUpdates(pulls).map(({ name, from, to, pulls }) => [name, from, to, pulls.length]);
  assert.deepEqual(chains, [
    ['a', '1.0', '1.2', 2],
    ['b', '1', '2', 1],
    ['c', null, 'v3', 1],
  ]);
});
