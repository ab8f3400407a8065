/** Tests the operations on dead letters: what a reply shows, what is enqueued, and that two replays fold a record once. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deadLetterRoutes } from '../../../src/api/dead-letters.ts';
import type { ApiRoute } from '../../../src/api/route.ts';
import type { AuditLine } from '../../../src/foundation/audit.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
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
    laneOf: () => ({ enqueue: async (record: JournalRecord) => enqueued.push(record) }),
    auditor: { by: 'key_1', write: (line: AuditLine) => lines.push(line) },
  };
  const call = async (operation: string, orgId: string | null, { body = {}, query = {} } = {}) => {
    const route = deadLetterRoutes.find((each) => each.operation === operation) as ApiRoute<never>;
    const reply = await route.handle({ context, caller: { key: { orgId } }, query, body } as never);
    // biome-ignore lint/suspicious/noExplicitAny: tests look into the body
    return reply.body as any;
  };
  return { partition, enqueued, lines, call };
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
    subject: `pull_request of ${fullName}, delivery delivery-2`,
  });
  assert.match(at, /^2026-/);
  assert.match(error, /is not a function|expected/);
});

test('a replay of one enqueues its record without delay, and is audited', async (t) => {
  const { enqueued, lines, call } = await fixture(t, 2);
  const place = { partition: 'p00', seq: 2, index: 0 };
  assert.deepEqual(await call('replayDeadLetters', null, { body: place }), { replayed: [place], remaining: 0 });
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

test('one request enqueues at most a thousand', async (t) => {
  const { partition, enqueued, call } = await fixture(t, 0);
  const poison = Array.from({ length: 1005 }, (_, i) => poisonRecord({ delivery: `delivery-${i}` }));
  await foldRecords(partition, 1, ...poison);
  const { replayed, remaining } = await call('replayDeadLetters', null, { body: { all: true } });
  assert.deepEqual([replayed.length, enqueued.length, remaining], [1000, 1000, 5]);
  const deliveries = (enqueued as EventRecord[]).map(({ delivery }) => delivery);
  assert.deepEqual(deliveries.slice(0, 3), ['delivery-0', 'delivery-1', 'delivery-2'], 'in the order of the journal');
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
