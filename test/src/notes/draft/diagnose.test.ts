/**
 * Tests the counts of changes without a type label or without an area. Only a change with its own entry in the draft
 * counts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../../../src/notes/draft/explain.ts';
import type { Diagnostics } from '../../../../src/protocol/notes.ts';
import type { RangeBounds } from '../../../../src/protocol/stored.ts';
import { aPull, type Memory, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };

function diagnosticsOf(memory: Memory): Diagnostics {
  return explain(memorySource(memory), all).diagnostics;
}

test('counts changes whose labels do not say what kind they are, even if the title does', () => {
  const pulls = [
    aPull(1, { title: 'feat(api): a' }),
    aPull(2, { labels: ['priority: high'] }),
    aPull(3, { labels: ['type: feature'] }),
    aPull(4, { labels: ['enhancement'] }),
    aPull(5, { labels: ['chore'] }),
    aPull(6, { title: 'b', labels: ['type: breaking'] }),
  ];
  const { changes, unlabelled, unlabelledRate } = diagnosticsOf({ pulls });
  assert.deepEqual([changes, unlabelled, unlabelledRate], [6, 2, 0.333]);
});

test('counts changes without an area in label or title', () => {
  const pulls = [
    aPull(1, { title: 'feat(api): a' }),
    aPull(2, { title: 'search: b' }),
    aPull(3, { labels: ['area: core'] }),
    aPull(4, { labels: ['type: bug'] }),
  ];
  assert.equal(diagnosticsOf({ pulls }).withoutArea, 1);
});

test('counts each change with an entry once, with the labels of its backports', () => {
  const pulls = [
    aPull(1),
    aPull(2, { body: 'Backport of #1', baseRef: 'release', labels: ['type: bug'] }),
    aPull(3, { title: 'Bump a from 1 to 2', author: { login: 'dependabot[bot]', bot: true } }),
    aPull(4, { labels: ['skip-changelog'] }),
    aPull(5, { title: 'Revert "gone"' }),
  ];
  assert.deepEqual(diagnosticsOf({ pulls }), {
    ...{ changes: 1, dependencyUpdates: 1, unlabelled: 0, unlabelledRate: 0, withoutArea: 1 },
    ...{ undecided: 1, mayBreak: 0 },
  });
});

test('an empty range has a rate of 0', () => {
  assert.deepEqual(diagnosticsOf({}), {
    ...{ changes: 0, dependencyUpdates: 0, unlabelled: 0, unlabelledRate: 0, withoutArea: 0 },
    ...{ undecided: 0, mayBreak: 0 },
  });
});
