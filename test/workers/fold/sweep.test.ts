/**
 * Checks sweeps. A sweep erases records that were last synced a year ago. It also erases everything that belongs to
 * these records, and nothing else. Large erasings wait for approval. The times of the journal's records determine the
 * current time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs, dayOf } from '../../../src/foundation/days.ts';
import type { CommentSnapshot } from '../../../src/protocol/events.ts';
import type { EventRecord, JournalRecord } from '../../../src/protocol/journal.ts';
import type { Partition, TableName } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { isSweeping, readSweep, retentionStatus } from '../../../src/store/tables/retention.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  approvalRecord,
  backfilledRecord,
  branchPush,
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  issueSnapshot,
  pullRecord,
  repositoryFields,
  shaNumber,
  sweepRecord,
  tagRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const later = epoch + 400 * dayMs;
const sweep = (at = later) => sweepRecord({ sweep: 'records', before: dayOf(at) - 365 }, at);
const more = (at = later) => sweepRecord({ sweep: 'more' }, at);

/** Opens a partition, folds `records` in it, and then moves its time to `later`. */
async function aged(t: Parameters<typeof openTestPartition>[0], ...records: JournalRecord[]): Promise<Partition> {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, ...records);
  await foldRecords(partition, 2, ...dailyTicks(epoch, later));
  return partition;
}

function pulls(from: number, to: number, fields: Partial<EventRecord> = {}): EventRecord[] {
  return Array.from({ length: to - from + 1 }, (_, i) => pullRecord(from + i, fields));
}

function comment(number: number, fields: Partial<EventRecord> = {}, id = `c${number}`): EventRecord {
  const comment: CommentSnapshot = {
    kind: 'discussion',
    id,
    number,
    author: { login: 'ada', bot: false },
    body: '/note why not',
    state: null,
    createdAt: epoch,
    updatedAt: epoch,
    association: 'MEMBER',
  };
  return eventRecord({ event: 'comment', action: 'created', comment }, fields);
}

function issue(number: number, fields: Partial<EventRecord> = {}): EventRecord {
  return eventRecord({ event: 'issues', action: 'closed', issue: issueSnapshot(number) }, fields);
}

function push(from: number, to: number, fields: Partial<EventRecord> = {}, branch = 'main'): EventRecord {
  return eventRecord({ event: 'push', push: branchPush(from, to, { branch }) }, fields);
}

function sizes(partition: Partition, ...tables: TableName[]): number[] {
  return tables.map((name) => partition.tables[name].getKeysCount({}));
}

const recordTables: TableName[] = [
  'pulls',
  'pullsByMergeSha',
  'pullsByMergedAt',
  'pullsByAuthor',
  'earlyReactions',
  'issues',
  'issuesByClosedAt',
  'removedIssues',
  'comments',
  'commandComments',
  'pushes',
  'commits',
  'syncs',
  'syncsByDay',
];

test('erases records that were last synced a year ago, with all that belongs to them', async (t) => {
  const removed = eventRecord({ event: 'issue_removed', number: 4, seenAt: epoch });
  const old = [...pulls(1, 2), comment(1), comment(9), issue(3), issue(4), removed, push(0, 5), tagRecord('v1', 2)];
  const early = backfilledRecord([{ event: 'pull_reactions', number: 8, reactions: 2 }]);
  const partition = await aged(t, ...old, early);
  assert.deepEqual(sizes(partition, 'earlyReactions'), [1]);
  await foldRecords(partition, 3, sweep());
  assert.deepEqual(
    sizes(partition, ...recordTables),
    recordTables.map(() => 0),
  );
  assert.deepEqual(sizes(partition, 'repositories', 'tags'), [1, 1], 'what is no record of a day stays');
  assert.deepEqual(retentionStatus(partition).lastSweep?.erased, {
    pulls: 2,
    issues: 1,
    comments: 2,
    pushes: 1,
    commits: 5,
  });
});

test('keeps records that were synced since, even without a change', async (t) => {
  const partition = await aged(t, ...pulls(1, 6), issue(7));
  const lately = { at: later - 365 * dayMs };
  // Pull request 1 is synced again by an unchanged snapshot, and pull request 2 is synced again by a comment. The last
  // sync of pull request 3 is one day older than these two syncs, so the sweep erases pull request 3.
  await foldRecords(partition, 3, pullRecord(1, lately), comment(2, lately), pullRecord(3, { at: lately.at - dayMs }));
  await foldRecords(partition, 4, sweep());
  assert.deepEqual(
    [...partition.tables.pulls.getKeys({})].map((key) => key[1]),
    [1, 2],
  );
  assert.deepEqual(sizes(partition, 'syncs', 'syncsByDay', 'issues'), [2, 2, 0]);
  const again = later + 366 * dayMs;
  await foldRecords(partition, 5, ...dailyTicks(later, again), sweep(again));
  assert.deepEqual(
    sizes(partition, ...recordTables),
    recordTables.map(() => 0),
  );
});

test('keeps a commit as long as one of its pushes', async (t) => {
  const partition = await aged(t, push(0, 3), push(0, 2, {}, 'old'));
  await foldRecords(partition, 3, push(1, 3, { at: later }, 'release'));
  await foldRecords(partition, 4, sweep());
  assert.deepEqual(
    [...partition.tables.commits.getKeys({})].map((key) => key[1]),
    [shaNumber(2), shaNumber(3)],
  );
  const [commit] = [...partition.tables.commits.getRange({})];
  assert.deepEqual(commit?.value.pushes, [['release', shaNumber(3)]]);
  assert.deepEqual(retentionStatus(partition).lastSweep?.erased.commits, 1);
});

test('erases all commits of a push that was received in two versions', async (t) => {
  const reported = (to: number) => {
    const { commits } = branchPush(0, to);
    return eventRecord({ event: 'push', push: branchPush(0, 6, { commits }) });
  };
  const partition = await aged(t, reported(4), reported(6), reported(2), push(20, 22));
  await foldRecords(partition, 3, sweep());
  assert.deepEqual(
    sizes(partition, ...recordTables),
    recordTables.map(() => 0),
  );
});

test('requests recounts of the ranges that may have lost changes', async (t) => {
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;
  const rangeId = 'range_00000000000000000000000000aa';
  const range = {
    name: 'createRange',
    rangeId,
    repoId,
    bounds,
    prCount: 1,
    issueCount: 0,
    resolution: 'window',
  } as const;
  const partition = await aged(t, pullRecord(1), commandRecord(range));
  for (const number of [...partition.tables.outbox.getKeys({})]) partition.tables.outbox.removeSync(number);
  await foldRecords(partition, 3, sweep());
  assert.deepEqual(
    [...partition.tables.outbox.getRange({})].map(({ value }) => value.effect.effect),
    ['recount'],
  );
  assert.deepEqual(sizes(partition, 'ranges'), [1]);
});

test('erases in pieces, with the same result whatever is folded in between', async (t) => {
  const records = Array.from({ length: 12_000 }, (_, i) => comment(1 + (i % 5000), {}, `c${i}`));
  const partition = await aged(t, ...pulls(1, 5000), ...records);
  await foldRecords(partition, 3, sweep());
  assert.equal(readSweep(partition)?.phase, 'counting');
  let seq = 4;
  const slowest = { ms: 0 };
  for (; isSweeping(partition); seq++) {
    const started = performance.now();
    await foldRecords(partition, seq, more());
    slowest.ms = Math.max(slowest.ms, performance.now() - started);
    assert.ok(seq < 100);
  }
  const [wait] = retentionStatus(partition).waiting;
  assert.deepEqual([wait?.cause, wait?.cause === 'records' && wait.records], ['records', 17_000]);
  await foldRecords(partition, seq++, approvalRecord(wait as never, later), pullRecord(1, { at: later }));
  for (; isSweeping(partition); seq++) await foldRecords(partition, seq, more());
  assert.deepEqual(sizes(partition, 'pulls', 'comments', 'syncs', 'syncsByDay'), [1, 3, 1, 1]);
  t.diagnostic(`slowest piece ${slowest.ms.toFixed(1)} ms`);
});

test('waits for approval when a sweep would erase a large share', async (t) => {
  const partition = await aged(t, ...pulls(1, 150));
  await foldRecords(partition, 3, ...pulls(151, 1000, { at: later }), sweep());
  const before = sizes(partition, ...recordTables);
  const [wait] = retentionStatus(partition).waiting;
  assert.deepEqual(wait, { cause: 'records', before: dayOf(later) - 365, records: 150, total: 1000 });
  await foldRecords(partition, 4, more(), sweep());
  assert.deepEqual(sizes(partition, ...recordTables), before);
  const approval = approvalRecord(wait as never, later);
  await foldRecords(partition, 5, approval, more());
  assert.deepEqual(readResult(partition, approval.id)?.ok, true);
  assert.deepEqual([sizes(partition, 'pulls'), retentionStatus(partition).waiting], [[850], []]);
});

test('an approval counts only for the sweep that it names', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, ...pulls(1, 150), ...pulls(151, 200, { at: epoch + dayMs }));
  await foldRecords(partition, 2, ...pulls(201, 1000, { at: later }), ...dailyTicks(epoch, epoch + 366 * dayMs));
  await foldRecords(partition, 3, sweep(epoch + 366 * dayMs));
  const [wait] = retentionStatus(partition).waiting;
  // A sweep one day later would erase more records than the approval names, so the approval must be refused.
  await foldRecords(partition, 4, sweep(epoch + 367 * dayMs));
  const approval = approvalRecord(wait as never, later);
  await foldRecords(partition, 5, approval, more());
  const result = readResult(partition, approval.id);
  assert.deepEqual([result?.ok, result?.ok === false && result.kind], [false, 'conflict']);
  assert.deepEqual(sizes(partition, 'pulls'), [1000]);
  await foldRecords(partition, 6, approvalRecord(retentionStatus(partition).waiting[0] as never, later), more());
  assert.deepEqual(sizes(partition, 'pulls'), [800]);
});

test('erases a tenth without approval', async (t) => {
  const partition = await aged(t, ...pulls(1, 150));
  await foldRecords(partition, 3, ...pulls(151, 1500, { at: later }), sweep());
  assert.deepEqual([sizes(partition, 'pulls'), retentionStatus(partition).waiting], [[1350], []]);
});

test('a sweep into the last year becomes a dead letter', async (t) => {
  const partition = await aged(t, ...pulls(1, 3));
  await foldRecords(partition, 3, sweepRecord({ sweep: 'records', before: dayOf(later) - 364 }, later));
  assert.match(listDeadLetters(partition)[0]?.error ?? '', /must not erase records up to day/);
  assert.deepEqual(sizes(partition, 'pulls'), [3]);
});

test('erases nothing while the clock is in doubt', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, tickRecord(epoch), ...pulls(1, 3));
  await foldRecords(partition, 2, tickRecord(later), sweep());
  assert.deepEqual([sizes(partition, 'pulls'), readSweep(partition)], [[3], undefined]);
  const [wait] = retentionStatus(partition).waiting;
  assert.deepEqual(wait, { cause: 'clock', from: epoch, to: later });
  // The first approval names an earlier jump of the clock, and the second names a larger jump. Neither approves this
  // jump.
  const wrong = approvalRecord({ cause: 'clock', from: epoch - 1, to: later }, later);
  const tooFar = approvalRecord({ cause: 'clock', from: epoch, to: later + 2 * dayMs }, later);
  await foldRecords(partition, 3, wrong, tooFar, sweep());
  assert.deepEqual(sizes(partition, 'pulls'), [3]);
  await foldRecords(partition, 4, approvalRecord(wait as never, later), sweep());
  assert.deepEqual(sizes(partition, 'pulls'), [0]);
});

test('continues automatically when the clock is right again', async (t) => {
  const partition = openTestPartition(t);
  const far = Date.UTC(2038, 0, 19);
  await foldRecords(partition, 1, tickRecord(epoch), ...pulls(1, 2), tickRecord(far), ...pulls(3, 4, { at: far }));
  await foldRecords(partition, 2, sweepRecord({ sweep: 'records', before: dayOf(far) - 365 }, far));
  assert.deepEqual(sizes(partition, 'pulls'), [4]);
  await foldRecords(partition, 3, ...dailyTicks(epoch + 1000, later), sweep());
  assert.deepEqual(retentionStatus(partition).waiting, []);
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => readPull(partition, repoId, number)?.number),
    [undefined, undefined, 3, 4],
  );
  // A sync with a time in 2038 counts as a sync on the day of the sweep.
  const again = later + 366 * dayMs;
  await foldRecords(partition, 4, ...dailyTicks(later, again), sweep(again));
  assert.deepEqual(sizes(partition, 'pulls', 'syncsByDay'), [0, 0]);
});

test('recovers from a wrong first time after an approval', async (t) => {
  const partition = openTestPartition(t);
  const far = Date.UTC(2038, 0, 19);
  await foldRecords(partition, 1, tickRecord(far), ...pulls(1, 2, { at: far }));
  await foldRecords(partition, 2, tickRecord(epoch), sweep());
  const [wait] = retentionStatus(partition).waiting;
  assert.deepEqual(wait, { cause: 'clock', from: far, to: epoch });
  await foldRecords(partition, 3, approvalRecord(wait as never, epoch), ...dailyTicks(epoch, later), sweep());
  assert.deepEqual([sizes(partition, 'pulls'), retentionStatus(partition).waiting], [[2], []]);
  const again = later + 366 * dayMs;
  await foldRecords(partition, 4, ...dailyTicks(later, again), sweep(again));
  assert.deepEqual(sizes(partition, 'pulls'), [0]);
});

test('a clock that ran behind erases nothing early', async (t) => {
  const partition = openTestPartition(t);
  const past = Date.UTC(1970, 0, 2);
  await foldRecords(partition, 1, ...pulls(1, 2, { at: later }), tickRecord(later), tickRecord(past));
  // The clock ran behind while a known pull request, a new pull request and a push were synced. The sweep also has the
  // wrong time.
  await foldRecords(partition, 2, ...pulls(2, 3, { at: past }), push(0, 2, { at: past }), sweep(past), more(past));
  assert.equal(retentionStatus(partition).waiting[0]?.cause, 'clock');
  await foldRecords(partition, 3, tickRecord(later + 1000), sweep());
  assert.deepEqual([sizes(partition, 'pulls', 'pushes'), retentionStatus(partition).waiting], [[3, 1], []]);
  const again = later + 366 * dayMs;
  await foldRecords(partition, 4, ...dailyTicks(later + 1000, again), sweep(again));
  assert.deepEqual(sizes(partition, 'pulls', 'pushes'), [0, 0]);
});

test('forgets no delivery when the clock jumps', async (t) => {
  const partition = openTestPartition(t);
  const first = pullRecord(1);
  await foldRecords(
    partition,
    1,
    tickRecord(epoch),
    first,
    tickRecord(Date.UTC(2038, 0, 19)),
    tickRecord(epoch + 1000),
  );
  const before = dump(partition)
    .split('\n')
    .filter((line) => line.startsWith('deliveries '));
  assert.equal(before.length, 1);
});
