/**
 * Checks the order of snapshots without a host time. Their time of receipt decides, even when other snapshots have a
 * host time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IssueSnapshot, PullSnapshot } from '../../../src/protocol/events.ts';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import type { IssueRecord, PullRecord } from '../../../src/protocol/stored.ts';
import { writeDeadLetter } from '../../../src/store/tables/dead-letters.ts';
import { readIssue } from '../../../src/store/tables/issues.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { epoch, eventRecord, issueSnapshot, pullSnapshot, repositoryFields } from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
/** Returns a time of receipt: the nth minute of a day that is long after all times of the host. */
const received = (minute: number) => epoch + 300 * 86_400_000 + minute * 60_000;
const open = { state: 'open', closedAt: null, mergedAt: null, mergeSha: null } as const;

/** Returns a delivery without a host time. */
function pull(action: string, minute: number, fields: Partial<PullSnapshot> = {}): EventRecord {
  return pullAt(action, minute, { updatedAt: received(minute), undated: true, ...fields });
}

/** Returns a delivery with a host time. */
function pullAt(action: string, minute: number, fields: Partial<PullSnapshot> = {}): EventRecord {
  return eventRecord({ event: 'pull_request', action, pull: pullSnapshot(1, fields) }, { at: received(minute) });
}

function issue(action: string, minute: number, fields: Partial<IssueSnapshot> = {}): EventRecord {
  const snapshot = issueSnapshot(1, { updatedAt: received(minute), undated: true, ...fields });
  return eventRecord({ event: 'issues', action, issue: snapshot }, { at: received(minute) });
}

type Test = Parameters<typeof openTestPartition>[0];

async function pullAfter(t: Test, ...records: EventRecord[]): Promise<PullRecord> {
  const partition = openTestPartition(t);
  for (const [i, record] of records.entries()) await foldRecords(partition, i + 1, record);
  return readPull(partition, repoId, 1) as PullRecord;
}

async function issueAfter(t: Test, ...records: EventRecord[]): Promise<IssueRecord> {
  const partition = openTestPartition(t);
  for (const [i, record] of records.entries()) await foldRecords(partition, i + 1, record);
  return readIssue(partition, repoId, 1) as IssueRecord;
}

test('an edit and a label after the merge count', async (t) => {
  const found = await pullAfter(
    t,
    pull('closed', 1, { title: 'Merged' }),
    pull('edited', 2, { title: 'Edited' }),
    pull('labeled', 3, { title: 'Edited', labels: ['type: bug'] }),
  );
  assert.deepEqual([found.title, found.labels, found.state], ['Edited', ['type: bug'], 'merged']);
  assert.equal(found.mergedAt, epoch + 1000, 'the merge keeps its time');
});

test('the last one received in a millisecond counts', async (t) => {
  const [first, second] = [pull('closed', 1, { title: 'A later letter: z' }), pull('edited', 1, { title: 'Edited' })];
  assert.equal((await pullAfter(t, first, second)).title, 'Edited');
});

test('the order of receipt counts after the clock moved back', async (t) => {
  const found = await pullAfter(t, pull('closed', 90, { title: 'Merged' }), pull('edited', 5, { title: 'Edited' }));
  assert.equal(found.title, 'Edited');
});

test('reopening, closing and editing an issue count in the order of receipt', async (t) => {
  const steps = [
    issue('closed', 1),
    issue('reopened', 2, { state: 'open', closedAt: null }),
    issue('closed', 3, { closedAt: epoch + 9000 }),
    issue('edited', 4, { title: 'Edited', closedAt: null }),
  ];
  const reopened = await issueAfter(t, ...steps.slice(0, 2));
  assert.deepEqual([reopened.state, reopened.closedAt], ['open', null]);
  const edited = await issueAfter(t, ...steps);
  assert.deepEqual([edited.state, edited.closedAt, edited.title], ['closed', epoch + 9000, 'Edited']);
});

test('a late opening changes nothing that later deliveries reported', async (t) => {
  const found = await pullAfter(
    t,
    pull('labeled', 1, { ...open, title: 'Renamed', labels: ['type: bug'] }),
    pull('opened', 7, { ...open, title: 'First title', labels: [] }),
  );
  assert.deepEqual([found.title, found.labels], ['Renamed', ['type: bug']]);
  const issueFound = await issueAfter(t, issue('closed', 1), issue('opened', 7, { state: 'open', closedAt: null }));
  assert.equal(issueFound.state, 'closed');
});

test('a late opening provides labels that no other delivery named', async (t) => {
  const { labels: _, ...unlabelled } = pullSnapshot(1, { ...open, updatedAt: received(1), undated: true });
  const edited = eventRecord({ event: 'pull_request', action: 'edited', pull: unlabelled }, { at: received(1) });
  const found = await pullAfter(t, edited, pull('opened', 7, { ...open, labels: ['type: bug'] }));
  assert.deepEqual(found.labels, ['type: bug']);
});

test('an undated delivery that arrives after a dated one counts', async (t) => {
  // The clock of the host is one minute ahead of the service's clock.
  const dated = pullAt('labeled', 1, { title: 'Dated', updatedAt: received(2) });
  const found = await pullAfter(t, dated, pull('edited', 1, { title: 'Undated' }));
  assert.equal(found.title, 'Undated');
  const late = pullAt('labeled', 9, { title: 'Late', updatedAt: received(0) });
  assert.equal((await pullAfter(t, dated, pull('edited', 1, { title: 'Undated' }), late)).title, 'Undated');
});

test('a dated delivery counts after an undated one if its time is after the receipt', async (t) => {
  const undated = pull('edited', 5, { title: 'Undated' });
  const late = pullAt('labeled', 6, { title: 'Late', updatedAt: received(4) });
  const newer = pullAt('labeled', 6, { title: 'Newer', updatedAt: received(6) });
  assert.equal((await pullAfter(t, undated, late)).title, 'Undated');
  assert.equal((await pullAfter(t, undated, newer)).title, 'Newer');
  const read = pullAt('backfilled', 6, { title: 'Read', updatedAt: received(5) });
  assert.equal((await pullAfter(t, undated, read)).title, 'Undated', 'what was read from the host yields');
});

test('a receipt from a clock that ran ahead is not later than newer host times', async (t) => {
  const ahead = pull('edited', 100_000, { title: 'Of the year after' });
  const dated = pullAt('edited', 2, { title: 'Dated', updatedAt: received(1) });
  assert.equal((await pullAfter(t, ahead, dated)).title, 'Dated');
  const healed = await pullAfter(t, ahead, pull('edited', 2, { title: 'Undated' }));
  assert.deepEqual([healed.title, healed.updatedAt], ['Undated', received(2)]);
});

test('branches and times stay when a delivery leaves them out', async (t) => {
  const bare = pull('edited', 2, { title: 'Edited', baseRef: null, headRef: null, createdAt: null, mergeSha: null });
  const { title, baseRef, headRef, createdAt, mergeSha } = await pullAfter(t, pullAt('closed', 1), bare);
  assert.equal(title, 'Edited');
  const { baseRef: base, headRef: head, createdAt: created, mergeSha: sha } = pullSnapshot(1);
  assert.deepEqual([baseRef, headRef, createdAt, mergeSha], [base, head, created, sha]);
});

test('a pull request closed without a merge keeps its first known closing time', async (t) => {
  const closed = { ...open, state: 'closed' } as const;
  const found = await pullAfter(
    t,
    pull('closed', 1, { ...closed, closedAt: received(1) }),
    pull('labeled', 2, { ...closed, closedAt: received(2) }),
  );
  assert.equal(found.closedAt, received(1));
});

test('a replayed dead letter counts as of its first receipt', async (t) => {
  const partition = openTestPartition(t);
  const record = pull('labeled', 1, { title: 'Set aside' });
  await foldRecords(partition, 1, pull('closed', 0, { title: 'Merged' }), pull('edited', 2, { title: 'Edited' }));
  await partition.write(() => writeDeadLetter(partition, { seq: 9, index: 0, at: record.at, error: 'x', record }));
  await foldRecords(partition, 2, { ...record, replayed: { seq: 9, index: 0 } });
  assert.equal(readPull(partition, repoId, 1)?.title, 'Edited');
});

test('the same deliveries leave the same bytes, in one message or in many', async (t) => {
  const records = [pull('closed', 1), pull('edited', 2, { title: 'Edited' }), issue('closed', 3), issue('labeled', 4)];
  const [one, many] = [openTestPartition(t), openTestPartition(t, 'p01')];
  await foldRecords(one, 4, ...records);
  for (const [i, record] of records.entries()) await foldRecords(many, i + 1, record);
  const rowsOf = (text: string) => text.split('\n').filter((line) => /^(pulls|issues)/.test(line));
  assert.deepEqual(rowsOf(dump(one)), rowsOf(dump(many)));
  assert.ok(rowsOf(dump(one)).length > 0);
});
