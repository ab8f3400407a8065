/** Tests the operations on dead letters: what a reply shows, what is enqueued, and that two replays fold a record once. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deadLetterResponse, deadLetterRoutes } from '../../../src/api/dead-letters.ts';
import type { ApiRoute } from '../../../src/api/route.ts';
import type { AuditLine } from '../../../src/foundation/audit.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { ulid } from '../../../src/foundation/ids.ts';
import type { EventRecord, JournalRecord } from '../../../src/protocol/journal.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { poisonRecord, pullSnapshot, repositoryFields } from '../../helpers/partition-records.ts';

const { id: repoId, fullName } = repositoryFields();

/** Opens a partition with `count` dead letters, and calls the operations on it. Replays go to `enqueued`. */
async function fixture(t: TestContext, count = 1) {
  const partition = openTestPartition(t);
  for (let i = 0; i < count; i++)
    await foldRecords(partition, i + 1, poisonRecord({ delivery: `delivery-${i}`, due: 7 }));
  const enqueued: JournalRecord[] = [];
  const lines: AuditLine[] = [];
  const context = {
    settings: { partitions: 1 },
    readers: { fresh: (name: string) => (name === 'p00' ? partition : undefined) },
    laneOf: () => ({
      enqueue: async (record: JournalRecord) => {
        enqueued.push(record);
        return { seq: 0, index: 0 };
      },
    }),
    signals: { wait: async () => {} },
    auditor: { by: 'key_1', write: (line: AuditLine) => lines.push(line) },
  };
  const call = async (operation: string, orgId: string | null, { body = {}, query = {} } = {}) => {
    const route = deadLetterRoutes.find((each) => each.operation === operation) as ApiRoute<never>;
    const reply = await route.handle({ context, caller: { key: { orgId } }, query, body } as never);
    // biome-ignore lint/suspicious/noExplicitAny: tests look into the body
    return reply.body as any;
  };
  return { partition, context, enqueued, lines, call };
}

/** Checks that an operation is refused, and returns the details of the refusal. */
async function refused(kind: string, reply: Promise<unknown>): Promise<Record<string, string>> {
  const error = await reply.then(
    () => assert.fail('not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServiceError && error.kind === kind, String(error));
  return (error.details ?? {}) as Record<string, string>;
}

test('a dead letter shows its place, its subject and its error, and nothing else of the record', async (t) => {
  const { call } = await fixture(t, 3);
  const { deadLetters, total, hasMore } = await call('listDeadLetters', null, { query: { limit: 2 } });
  assert.deepEqual([deadLetters.length, total, hasMore], [2, 3, true]);
  const [{ at, error, ...rest }] = deadLetters;
  assert.deepEqual(rest, {
    partition: 'p00',
    seq: 3,
    index: 0,
    repository: fullName,
    subject: `pull_request of ${fullName}, delivery delivery-2`,
    attempts: 1,
  });
  assert.match(at, /^2026-/);
  assert.match(error, /is not a function|expected/);
});

test('a replay of one enqueues its record without delay, and is audited', async (t) => {
  const { enqueued, lines, call } = await fixture(t, 2);
  const place = { partition: 'p00', seq: 2, index: 0 };
  const replayed = [{ ...place, outcome: 'pending', error: null }];
  assert.deepEqual(await call('replayDeadLetters', null, { body: place }), { replayed, nextCursor: null });
  const [record, ...others] = enqueued as EventRecord[];
  assert.deepEqual([record?.delivery, record?.due, record?.replayed], ['delivery-1', undefined, { seq: 2, index: 0 }]);
  assert.deepEqual(others, []);
  const objects = { count: 1, ...place };
  assert.deepEqual(lines, [{ action: 'replayDeadLetters', outcome: 'done', objects, by: 'key_1' }]);
});

test('a record that is replayed twice is folded once', async (t) => {
  const { partition, enqueued, call } = await fixture(t);
  for (let i = 0; i < 2; i++)
    assert.equal((await call('replayDeadLetters', null, { body: { all: true } })).replayed.length, 1);
  const mend = (number: number) => ({ ...pullSnapshot(666), title: `Title ${number}`, updatedAt: 1000 + number });
  const mended = enqueued.map((record, i) => {
    return { ...record, body: { event: 'pull_request', action: 'closed', pull: mend(i) } } as JournalRecord;
  });
  await foldRecords(partition, 2, ...mended);
  assert.equal(readPull(partition, repoId, 666)?.title, 'Title 0');
  assert.deepEqual(listDeadLetters(partition), []);
  await refused('notFound', call('replayDeadLetters', null, { body: { partition: 'p00', seq: 1, index: 0 } }));
});

test('a reply says what came of each replay', async (t) => {
  const { partition, context, call } = await fixture(t, 3);
  const mended = { event: 'pull_request', action: 'closed', pull: pullSnapshot(666) };
  let seq = 3;
  // The second record is mended, as if a later version could fold it. The third one is not folded in time.
  const enqueue = async (record: JournalRecord) => {
    const nth = record.replayed?.seq;
    if (nth === 3) return { seq: Number.MAX_SAFE_INTEGER, index: 0 };
    seq += 1;
    await foldRecords(partition, seq, (nth === 2 ? { ...record, body: mended } : record) as JournalRecord);
    return { seq, index: 0 };
  };
  context.laneOf = () => ({ enqueue });
  context.signals.wait = async () => {
    t.mock.method(performance, 'now', () => Number.MAX_SAFE_INTEGER);
  };
  const { replayed } = await call('replayDeadLetters', null, { body: { all: true } });
  const [failed, ...others] = replayed;
  assert.deepEqual([failed.seq, failed.outcome], [1, 'failed']);
  assert.match(failed.error, /is not a function|expected/);
  assert.deepEqual(others, [
    { partition: 'p00', seq: 2, index: 0, outcome: 'applied', error: null },
    { partition: 'p00', seq: 3, index: 0, outcome: 'pending', error: null },
  ]);
  const { deadLetters } = await call('listDeadLetters', null);
  const attempts = deadLetters.map((each: { seq: number; attempts: number }) => [each.seq, each.attempts]);
  assert.deepEqual(attempts, [
    [3, 1],
    [1, 2],
  ]);
});

test('all dead letters with one error are replayed, and no others', async (t) => {
  const { partition, enqueued, call } = await fixture(t, 2);
  await foldRecords(partition, 3, { id: ulid(), at: 1, kind: 'result' } as never);
  const { deadLetters } = await call('listDeadLetters', null);
  const [{ error, repository }] = deadLetters;
  assert.equal(repository, null);
  const { replayed } = await call('replayDeadLetters', null, { body: { all: true, error } });
  assert.deepEqual([replayed.length, replayed[0].seq, enqueued.length], [1, 3, 1]);
  const none = await call('replayDeadLetters', null, { body: { all: true, error: 'another' } });
  assert.deepEqual(none.replayed, []);
});

test('a client that follows the cursors enqueues each dead letter once, also if records fail again', async (t) => {
  const { partition, enqueued, call } = await fixture(t, 0);
  const poison = Array.from({ length: 1005 }, (_, i) => poisonRecord({ delivery: `delivery-${i}` }));
  await foldRecords(partition, 1, ...poison);
  const first = await call('replayDeadLetters', null, { body: { all: true } });
  assert.deepEqual([first.replayed.length, enqueued.length], [1000, 1000]);
  await foldRecords(partition, 2, ...enqueued);
  assert.equal((await call('listDeadLetters', null)).total, 1005, 'all of them failed again');
  const second = await call('replayDeadLetters', null, { body: { all: true, cursor: first.nextCursor } });
  assert.deepEqual([second.replayed.length, second.nextCursor], [5, null]);
  const deliveries = (enqueued as EventRecord[]).map(({ delivery }) => delivery);
  assert.deepEqual(
    deliveries,
    poison.map(({ delivery }) => delivery),
    'in the order of the journal',
  );
  for (const cursor of ['', 'p00', `${first.nextCursor}x`])
    assert.notDeepEqual(await refused('invalid', call('replayDeadLetters', null, { body: { all: true, cursor } })), {});
});

test('a page is read without the dead letters outside of it', async (t) => {
  const { partition, call } = await fixture(t, 5);
  const { deadLetters } = partition.tables;
  const read: unknown[] = [];
  const tables = {
    ...partition.tables,
    deadLetters: {
      getKeysCount: () => deadLetters.getKeysCount({}),
      getRange: (range: object) =>
        deadLetters.getRange(range).map((row) => {
          read.push(row.key);
          return row;
        }),
      get: (key: number[]) => deadLetters.get(key),
    },
  };
  Object.assign(partition, { tables });
  const page = await call('listDeadLetters', null, { query: { limit: 2, offset: 2 } });
  const places = page.deadLetters.map(({ seq }: { seq: number }) => seq);
  assert.deepEqual([places, page.total, page.nextOffset], [[3, 2], 5, 4]);
  assert.deepEqual(read, [
    [3, 0],
    [2, 0],
  ]);
  const past = await call('listDeadLetters', null, { query: { offset: 9 } });
  assert.deepEqual([past.deadLetters, past.total, past.hasMore], [[], 5, false]);
  await call('replayDeadLetters', null, { body: { partition: 'p00', seq: 2, index: 0 } });
  assert.equal(read.length, 2, 'one dead letter is read by its key');
});

test('what was enqueued is audited also if a later record cannot be enqueued', async (t) => {
  const { context, enqueued, lines, call } = await fixture(t, 3);
  const enqueue = async (record: JournalRecord) => {
    if (enqueued.length === 2) throw new ServiceError('unavailable', 'the journal does not answer');
    enqueued.push(record);
    return { seq: 0, index: 0 };
  };
  context.laneOf = () => ({ enqueue });
  await refused('unavailable', call('replayDeadLetters', null, { body: { all: true } }));
  const objects = { count: 2 };
  assert.deepEqual(lines, [{ action: 'replayDeadLetters', outcome: 'done', objects, by: 'key_1' }]);
});

test('a record without its fields is described as unknown', () => {
  const subject = (record: object | null) => {
    const letter = { seq: 1, index: 0, at: 0, error: 'broken', record: record as JournalRecord };
    return deadLetterResponse({ partition: 'p00', letter }).subject;
  };
  assert.equal(subject({ kind: 'event', delivery: 'd1' }), 'unknown of unknown, delivery d1');
  assert.equal(subject({ kind: 'command' }), 'command unknown');
  for (const record of [{}, null]) assert.equal(subject(record), 'unknown');
});

test('a key of an organization and a body that names no dead letter are refused', async (t) => {
  const { enqueued, lines, call } = await fixture(t);
  await refused('forbidden', call('listDeadLetters', 'org_1'));
  await refused('forbidden', call('replayDeadLetters', 'org_1', { body: { all: true } }));
  const place = { partition: 'p00', seq: 1, index: 0 };
  for (const body of [{}, { all: false }, { ...place, all: true }, { ...place, seq: -1 }, { partition: 'p00' }])
    assert.notDeepEqual(await refused('invalid', call('replayDeadLetters', null, { body })), {});
  await refused('notFound', call('replayDeadLetters', null, { body: { ...place, partition: '../p00' } }));
  assert.deepEqual([enqueued, lines], [[], []]);
});
