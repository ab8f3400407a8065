/**
 * Checks that events that are folded together leave the same bytes and the same metrics as events that are folded
 * record by record. Checks that an attempt that is undone leaves neither rows nor counts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  claimsRefused,
  duplicates,
  erasedRecords,
  recordsDeadLettered,
  recordsFolded,
  registry,
} from '../../../src/foundation/metrics.ts';
import type { EventRecord, JournalRecord } from '../../../src/protocol/journal.ts';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { deliveryKey, isFolded } from '../../../src/store/tables/deliveries.ts';
import { readCursor, writeCursor } from '../../../src/store/tables/meta.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readRepository, writeRepository } from '../../../src/store/tables/repositories.ts';
import { foldMessage, type Message } from '../../../workers/fold/fold.ts';
import { foldTogether } from '../../../workers/fold/together.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { dump, foldRecords, openTestPartition, toMessages } from '../../helpers/partition.ts';
import {
  commandRecord,
  epoch,
  eventRecord,
  poisonRecord,
  pullRecord,
  repositoryFields,
  tickRecord,
} from '../../helpers/partition-records.ts';
import { anyBody, anyJournal } from '../../helpers/partition-steps.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const repoId = repositoryFields().id;

/** Folds messages record by record, each record in a child transaction of its own. */
async function foldSeparately(partition: Partition, messages: readonly Message[]): Promise<void> {
  await partition.write(() => {
    for (const { seq, records } of messages) foldMessage(partition, seq, records);
    const last = messages[messages.length - 1] as Message;
    writeCursor(partition, { seq: last.seq, recordId: last.records[last.records.length - 1]?.id ?? '' });
  });
}

/** Returns the values of the counters of the fold, one line per value. */
async function counted(): Promise<string[]> {
  const lines: string[] = [];
  for (const counter of [duplicates, recordsFolded, recordsDeadLettered, claimsRefused, erasedRecords]) {
    const { name, values } = await counter.get();
    for (const { labels, value } of values) lines.push(`${name} ${JSON.stringify(labels)} ${value}`);
  }
  return lines.sort();
}

/** Returns how much each counter has grown during `step`. */
async function growth(step: () => Promise<unknown>): Promise<string[]> {
  registry.resetMetrics();
  await step();
  return (await counted()).filter((line) => !line.endsWith(' 0'));
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(Object.freeze(value))) frozen(part);
  return value;
}

const delivery = fc.integer({ min: 0, max: 60 }).map((nth) => `delivery-${nth}`);
const signedBy = fc.constantFrom(
  undefined,
  null,
  { org: 'org_1', proved: true },
  { org: 'org_2', proved: false },
  { org: 'org_2', proved: false, supersedes: 'org_1' },
);
const repository = fc
  .record({
    nth: fc.integer({ min: 0, max: 2 }),
    fullName: fc.constantFrom('acme/rocket', 'acme/moon'),
    owner: fc.constantFrom({ id: '77', login: 'acme' }, { id: '88', login: 'acme' }),
  })
  .map(({ nth, ...fields }) => repositoryFields(fields, nth));
const plainEvent: fc.Arbitrary<JournalRecord> = fc
  .record({ body: anyBody, delivery, at: fc.integer({ min: 0, max: 30_000 }), repository, signedBy })
  .map(({ body, at, signedBy, ...fields }) =>
    eventRecord(body, { ...fields, at: epoch + at, ...(signedBy !== undefined && { signedBy }) }),
  );
const range = commandRecord({
  name: 'createRange',
  rangeId: 'range_0000000000000000000000000001',
  repoId,
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 3 },
  prCount: 0,
  issueCount: 0,
  resolution: 'window',
});
/** Messages that consist mostly of events, among them a few records that are never folded together. */
const eventJournal = fc
  .tuple(
    fc.array(fc.array(plainEvent, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 }),
    fc.array(
      fc.tuple(
        fc.nat(12),
        fc.constantFrom<JournalRecord>(
          range,
          poisonRecord({ delivery: 'poison' }),
          tickRecord(epoch + 20_000),
          pullRecord(2, { delivery: 'late', due: epoch + 20_000 }),
          { ...pullRecord(3, { delivery: 'again' }), replayed: { seq: 1, index: 0 } },
        ),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([journal, others]) => {
    const mixed: JournalRecord[][] = [...journal];
    for (const [at, record] of others) mixed.splice(at, 0, [record]);
    return mixed;
  });

for (const [what, journals, numRuns] of [
  ['events', eventJournal, 25],
  ['all kinds of records', anyJournal, 20],
] as const) {
  test(`${what} leave the same bytes and metrics, together and record by record`, async (t) => {
    const dataDir = temporaryFolder(t);
    const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(journals, sizes, async (journal, sizes) => {
        const messages = frozen(toMessages(journal));
        const outcomes: [string, string[]][] = [];
        round += 1;
        for (const fold of [foldBatch, foldSeparately]) {
          const partition = openPartition(`${dataDir}/${fold.name}-${round}`, 'p00');
          const counts = await growth(async () => {
            for (let start = 0, i = 0; start < messages.length; i++) {
              const size = sizes[i % sizes.length] as number;
              await fold(partition, messages.slice(start, start + size));
              start += size;
            }
          });
          outcomes.push([dump(partition), counts]);
          await partition.close();
        }
        assert.deepEqual(outcomes[0], outcomes[1]);
      }),
      { numRuns },
    );
  });
}

test('plain events are folded together, without a child transaction each', async (t) => {
  const partition = openTestPartition(t);
  let children = 0;
  const { root } = partition;
  const childTransaction = root.childTransaction.bind(root);
  Object.assign(root, {
    childTransaction: (act: () => void) => {
      children += 1;
      return childTransaction(act);
    },
  });
  await foldBatch(partition, toMessages([[pullRecord(1), pullRecord(2)], [pullRecord(3)]]));
  assert.equal(children, 1);
  await foldBatch(partition, toMessages([[pullRecord(4), pullRecord(5, { due: epoch + 9000 })]], 3));
  assert.equal(children, 1 + 1 + 2);
});

test('a record that fails among others leaves no row and is counted once', async (t) => {
  const partition = openTestPartition(t);
  const again: EventRecord = { ...pullRecord(1), delivery: 'again' };
  const poison = poisonRecord({ delivery: 'poison' });
  const counts = await growth(() =>
    foldBatch(partition, toMessages([[again, again], [pullRecord(2), poison], [pullRecord(3)]])),
  );
  assert.deepEqual(counts, [
    'tidings_duplicates_total {"layer":"delivery"} 1',
    'tidings_fold_dead_letters_total {"partition":"p00"} 1',
    'tidings_fold_records_total {"partition":"p00","kind":"event"} 5',
  ]);
  assert.deepEqual(
    [1, 2, 3, 666].map((number) => readPull(partition, repoId, number)?.number),
    [1, 2, 3, undefined],
  );
  assert.deepEqual(
    listDeadLetters(partition).map(({ seq, index }) => [seq, index]),
    [[2, 1]],
  );
  assert.equal(isFolded(partition, deliveryKey('poison', 'pull_request', '', 0)), false);
});

test('a repository row that fails only when it is written is a dead letter', async (t) => {
  const partition = openTestPartition(t);
  const tooLong = { ...repositoryFields(), id: `repo_${'r'.repeat(4000)}` };
  await foldRecords(partition, 1, pullRecord(1), eventRecord({ ...repositoryEvent }, { repository: tooLong }));
  assert.equal(readPull(partition, repoId, 1)?.number, 1);
  assert.deepEqual(
    listDeadLetters(partition).map(({ index }) => index),
    [1],
  );
});

const repositoryEvent = { event: 'repository', action: 'renamed', formerName: null, seenAt: epoch } as const;

test('a fault of the store in the middle of a batch leaves neither rows nor counts', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  const before = dump(partition);
  const { pulls } = partition.tables;
  const putSync = pulls.putSync.bind(pulls);
  let writes = 0;
  Object.assign(pulls, {
    putSync: (...row: Parameters<typeof putSync>) => {
      writes += 1;
      if (writes === 3) throw Object.assign(new Error('MDB_MAP_FULL'), { code: -30792 });
      return putSync(...row);
    },
  });
  const counts = await growth(async () => {
    const batch = toMessages([[pullRecord(2), pullRecord(3)], [pullRecord(4)]], 2);
    await assert.rejects(foldBatch(partition, batch), /MDB_MAP_FULL/);
  });
  assert.deepEqual([dump(partition), writes, counts], [before, 3, []]);
  assert.equal(readCursor(partition).seq, 1);
});

test('rows that are held in memory are written before the next record of another kind reads them', async (t) => {
  const [together, separate] = [openTestPartition(t), openTestPartition(t, 'p01')];
  const erased = { relay: 'repositoryErased' as const, repoId };
  const relay: JournalRecord = { id: 'end', at: epoch, kind: 'relay', source: 'directory', row: 1, body: erased };
  const messages = toMessages([[pullRecord(1)], [range], [pullRecord(2)], [relay], [pullRecord(3)]]);
  await foldBatch(together, messages);
  await foldSeparately(separate, messages);
  assert.equal(dump(together), dump(separate));
  assert.equal(readPull(together, repoId, 3)?.number, 3);
});

test('an attempt that throws writes nothing of the rows that it holds', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  const known = readRepository(partition, repoId) ?? assert.fail();
  const before = dump(partition);
  await partition.write(() => {
    assert.throws(() =>
      partition.root.childTransaction(() => foldTogether(partition, toMessages([[pullRecord(9), poisonRecord()]], 2))),
    );
  });
  assert.equal(dump(partition), before);
  await partition.write(() => writeRepository(partition, known));
  assert.equal(dump(partition), before);
});
