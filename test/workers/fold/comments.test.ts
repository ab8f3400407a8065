/**
 * Folds comments, labels, refs and removed issues. Neither their order nor duplicates change the result.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CommentSnapshot, EventBody } from '../../../src/protocol/events.ts';
import type { Association, CommentRecord } from '../../../src/protocol/stored.ts';
import { listComments } from '../../../src/store/tables/comments.ts';
import { isIssueRemoved, readIssue } from '../../../src/store/tables/issues.ts';
import { currentLabels } from '../../../src/store/tables/labels.ts';
import { mergeTag } from '../../../workers/fold/capture.ts';
import { mergeComment } from '../../../workers/fold/comments.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { openTestPartition, toMessages } from '../../helpers/partition.ts';
import { eventRecord, issueSnapshot, repositoryFields } from '../../helpers/partition-records.ts';

function snapshot(updatedAt: number, body: string, association?: Association | null): CommentSnapshot {
  const author = { login: 'bo', bot: false };
  const relation = association === undefined ? {} : { association };
  return { kind: 'discussion', id: '1', number: 2, author, body, state: null, createdAt: 1, updatedAt, ...relation };
}

const reported = fc.record({
  action: fc.constantFrom('created', 'edited', 'deleted'),
  at: fc.integer({ min: 1, max: 4 }),
  body: fc.constantFrom('a', 'b'),
  association: fc.constantFrom<Association | null | undefined>('MEMBER', 'NONE', null, undefined),
});

interface Reported {
  action: string;
  at: number;
  body: string;
  association?: Association | null | undefined;
}

function fold(events: readonly Reported[]): CommentRecord | undefined {
  let stored: CommentRecord | undefined;
  for (const { action, at, body, association } of events)
    stored = mergeComment(stored, snapshot(at, body, association), action);
  return stored;
}

test('comments fold to the same record in any order', () => {
  const orders = fc
    .array(reported, { minLength: 1, maxLength: 6 })
    .chain((events) =>
      fc.tuple(fc.constant(events), fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 })),
    );
  fc.assert(fc.property(orders, ([events, shuffled]) => assert.deepEqual(fold(shuffled), fold(events))));
});

test('the newest snapshot that names the association counts', () => {
  const edited = { action: 'edited', at: 2, body: 'b' };
  const stored = fold([
    { action: 'created', at: 1, body: 'a', association: 'MEMBER' },
    { ...edited, association: null },
  ]);
  assert.deepEqual([stored?.body, stored?.association, stored?.associationAt], ['b', 'MEMBER', [1, 1]]);
  const later = fold([
    { action: 'created', at: 1, body: 'a', association: 'MEMBER' },
    { ...edited, association: 'NONE' },
  ]);
  assert.deepEqual([later?.association, later?.associationAt], ['NONE', undefined]);
});

test('records of earlier versions fold to the same rows as before', () => {
  const stored = fold([
    { action: 'created', at: 1, body: 'a' },
    { action: 'edited', at: 2, body: 'b' },
  ]);
  const author = { login: 'bo', bot: false };
  const row = { kind: 'discussion', id: '1', number: 2, author, body: 'b', state: null, createdAt: 1, updatedAt: 2 };
  assert.equal(JSON.stringify(stored), JSON.stringify({ ...row, deleted: false, rank: 2 }));
});

test('a deleted comment keeps neither text nor author', () => {
  const stored = fold([
    { action: 'created', at: 1, body: 'a' },
    { action: 'deleted', at: 1, body: 'a' },
    { action: 'edited', at: 3, body: 'b' },
  ]);
  assert.deepEqual([stored?.deleted, stored?.body, stored?.author.login], [true, '', 'ghost']);
});

test('labels are read under their current names', () => {
  const changes = [
    { from: 'bug', to: 'type: bug', seenAt: 10 },
    { from: 'old', to: null, seenAt: 20 },
    { from: 'type: bug', to: 'kind: bug', seenAt: 30 },
  ];
  assert.deepEqual(currentLabels(['bug', 'old', 'area: x'], 5, changes), ['kind: bug', 'area: x']);
  assert.deepEqual(currentLabels(['old', 'bug'], 25, changes), ['old', 'bug']);
});

test('a create event never hides the content of a push', () => {
  const push = { name: 'v1', sha: 'c', object: 'c', baseRef: null, date: 5, deleted: false, pushedAt: 10 };
  const hint = { ...push, sha: null, object: null, date: null, pushedAt: 11, hint: true };
  for (const order of [
    [push, hint],
    [hint, push],
  ] as const) {
    const stored = mergeTag(mergeTag(undefined, order[0]), order[1]);
    assert.deepEqual([stored.sha, stored.date, stored.hint], ['c', 5, undefined]);
  }
  assert.equal(mergeTag(undefined, hint).sha, null);
});

test('the removal of an issue removes its comments, and late ones do not return', async (t) => {
  const partition = openTestPartition(t);
  const repoId = repositoryFields().id;
  const issue: EventBody = { event: 'issues', action: 'opened', issue: issueSnapshot(2) };
  const comment: EventBody = { event: 'comment', action: 'created', comment: snapshot(3, 'hello') };
  const elsewhere: EventBody = { ...comment, comment: { ...snapshot(3, 'hello'), number: 3 } };
  const removal: EventBody = { event: 'issue_removed', number: 2, seenAt: 4 };
  const records = [issue, comment, elsewhere, removal, issue, comment].map((body, nth) =>
    eventRecord(body, { delivery: `delivery ${nth}` }),
  );
  await foldBatch(partition, toMessages([records.slice(0, 2), records.slice(2)]));
  assert.deepEqual(
    [2, 3].map((number) => listComments(partition, repoId, number).map(({ body }) => body)),
    [[], ['hello']],
  );
  assert.deepEqual([readIssue(partition, repoId, 2), isIssueRemoved(partition, repoId, 2)], [undefined, true]);
});
