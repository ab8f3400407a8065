/**
 * Folds comments, labels, refs and removed issues. Neither their order nor duplicates change the result.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCommands } from '../../../src/notes/change/commands.ts';
import type { CommentSnapshot, EventBody } from '../../../src/protocol/events.ts';
import type { Association, CommentRecord } from '../../../src/protocol/stored.ts';
import { RepositoryView } from '../../../src/store/repository-view.ts';
import { listComments } from '../../../src/store/tables/comments.ts';
import { isIssueRemoved, readIssue } from '../../../src/store/tables/issues.ts';
import { currentLabels } from '../../../src/store/tables/labels.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { mergeTag } from '../../../workers/fold/capture.ts';
import { mergeComment } from '../../../workers/fold/comments.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { foldRecords, openTestPartition, rows, toMessages } from '../../helpers/partition.ts';
import {
  commandRecord,
  epoch,
  eventRecord,
  issueSnapshot,
  repositoryFields,
  resultRecord,
} from '../../helpers/partition-records.ts';

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

test('a record without an association and one with null fold to the same comment in both orders', () => {
  const former = { action: 'created', at: 1, body: 'a' };
  const known = { ...former, association: null };
  assert.equal(fold([former, known])?.association, null);
  assert.equal(fold([known, former])?.association, null);
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

/** Makes a comment event. Its host time is `second` seconds after the epoch. */
function said(
  id: string,
  second: number,
  action: string,
  body: string,
  association: Association = 'MEMBER',
): EventBody {
  const at = epoch + second * 1000;
  const author = { login: 'bo', bot: false };
  const times = { createdAt: epoch + Number(id) * 1000, updatedAt: at };
  const comment = { kind: 'discussion' as const, id, number: 2, author, body, state: null, ...times, association };
  return { event: 'comment', action, comment };
}

test('commands fold to the same result in any order, with duplicates', async (t) => {
  const events = [
    said('1', 1, 'created', '/note First\n/kind fix'),
    said('1', 9, 'edited', '/note Edited\n/kind fix'),
    said('2', 2, 'created', '/note Second'),
    said('2', 8, 'edited', 'Nothing to note'),
    said('3', 3, 'created', '/note none'),
    said('3', 3, 'deleted', '/note none'),
    said('4', 4, 'created', 'No command'),
    said('4', 7, 'edited', '/area ui'),
    said('5', 5, 'created', '/area core', 'NONE'),
  ];
  const repository = repositoryFields();
  const order = (seed: number) =>
    [...events, ...events].map((event, nth) => ({ event, by: (nth * 7919 + seed * 104_729) % 1009 }));
  for (let seed = 0; seed < 12; seed += 1) {
    const shuffled = order(seed).sort((a, b) => a.by - b.by);
    const records = shuffled.map(({ event }, nth) => eventRecord(event, { delivery: `delivery ${nth}` }));
    const partition = openTestPartition(t);
    await foldBatch(partition, toMessages([records.slice(0, 9), records.slice(9)]));
    const view = RepositoryView.of(partition, repository.id) ?? assert.fail();
    const comments = view.commandComments(2);
    assert.deepEqual(
      readCommands(comments, view.repository),
      { note: 'Edited', kind: 'fix', area: 'ui' },
      `seed ${seed}`,
    );
    assert.deepEqual(
      comments.map(({ id }) => id),
      ['1', '4', '5'],
    );
    assert.deepEqual(view.commandComments(3), []);
  }
});

test('a command that counts requests a recount, and other comments do not', async (t) => {
  const partition = openTestPartition(t);
  const repoId = repositoryFields().id;
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;
  const counts = { prCount: 0, issueCount: 0, resolution: 'window' } as const;
  const range = commandRecord({ name: 'createRange', rangeId: 'range_1', repoId, bounds, ...counts });
  await foldRecords(partition, 1, eventRecord(said('1', 1, 'created', 'Hello')), range);
  let seq = 2;
  const recounts = async (event: EventBody): Promise<number> => {
    const rowsOf = () =>
      listEffects(partition, 0, 100).flatMap(({ number, effect }) => (effect.effect === 'recount' ? number : []));
    for (const row of rowsOf())
      await foldRecords(partition, seq++, resultRecord({ result: 'recounted', repoId, row, counts: [] }));
    await foldRecords(partition, seq, eventRecord(event, { delivery: `delivery ${seq++}` }));
    return rowsOf().length;
  };
  assert.equal(await recounts(said('2', 2, 'created', 'Thanks')), 0);
  assert.equal(await recounts(said('3', 3, 'created', '/note none', 'NONE')), 0);
  assert.equal(await recounts(said('4', 4, 'created', '/note none')), 1);
  assert.equal(await recounts(said('4', 4, 'created', '/note none')), 0, 'a duplicate');
  assert.equal(await recounts(said('4', 5, 'edited', '/note Back')), 1);
  assert.equal(await recounts(said('4', 6, 'edited', 'Never mind')), 1);
  assert.equal(await recounts(said('4', 7, 'edited', 'Never mind!')), 0);
  assert.equal(await recounts(said('4', 8, 'edited', '/note none')), 1);
  assert.equal(await recounts(said('4', 8, 'deleted', '')), 1);
});

test('comments of earlier versions are not searched for commands', async (t) => {
  const partition = openTestPartition(t);
  const { association: _, ...comment } = (said('1', 1, 'created', '/note none') as { comment: CommentSnapshot })
    .comment;
  await foldRecords(partition, 1, eventRecord({ event: 'comment', action: 'created', comment }));
  assert.deepEqual(rows(partition, 'commandComments'), []);
});
