/** Tests the order of changes for readers outside the project. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { severityOf } from '../../../../src/notes/draft/severity.ts';
import type { PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };

function rankOf(title: string, more: Partial<PullRecord> = {}): number | undefined {
  const issues = [anIssue(50, { title: 'The page freezes' })];
  const [entry] = gather(memorySource({ pulls: [aPull(1, { title, ...more })], issues }), all).entries;
  return entry && severityOf(entry);
}

test('security comes first, then data loss, crashes, hangs and wrong results', () => {
  const ranks: [number, string][] = [
    [0, 'Fix CVE-2026-12345'],
    [1, 'fix: uploads lose data'],
    [1, 'fix: corrupted index'],
    [1, 'fix: files are overwritten'],
    [2, 'fix: crash on start'],
    [2, 'fix: nil pointer in rows'],
    [3, 'fix: deadlock in the pool'],
    [3, 'fix: upload never finishes'],
    [3, 'fix: memory leak'],
    [4, 'fix: wrong sum of rows'],
    [4, 'fix: silently drops rows'],
    [5, 'fix: colour of the button'],
    [5, 'feat: report crashes'],
    [5, 'perf: less memory'],
  ];
  for (const [rank, title] of ranks) assert.equal(rankOf(title), rank, title);
  assert.equal(rankOf('feat!: no more data loss'), 1, 'breaking changes have ranks too');
});

test('the words of the note and of linked issues count', () => {
  assert.equal(rankOf('fix: rows', { body: '```release-note\nThe start no longer panics\n```' }), 2);
  assert.equal(rankOf('fix: rows', { linkedIssues: [50] }), 3);
  assert.equal(rankOf('fix: rows', { body: 'It crashes.' }), 5, 'a body only mentions it');
});

test('fixes for customers are ordered by priority, severity, note, then comments', () => {
  const pulls = [
    aPull(1, { title: 'fix: colour of the button' }),
    aPull(2, { title: 'fix: wrong sum of rows' }),
    aPull(3, { title: 'fix: crash on start' }),
    aPull(4, { title: 'fix: size of the button', linkedIssues: [50] }),
    aPull(5, { title: 'fix: shape of the button', body: '```release-note\nThe button is round\n```' }),
    aPull(6, { title: 'fix: uploads lose data' }),
    aPull(7, { title: 'fix: label of the button', labels: ['priority: high'] }),
    aPull(8, { title: 'fix: shade of the button' }),
  ];
  const source = memorySource({ pulls, issues: [anIssue(50, { title: 'Button' })], comments: { 8: 1, 50: 2 } });
  const order = [...compose(source, all, 'customer').bodyMd.matchAll(/rn:pr:(\d+)/g)].map((match) => Number(match[1]));
  assert.deepEqual(order, [7, 6, 3, 2, 5, 4, 8, 1]);
});
