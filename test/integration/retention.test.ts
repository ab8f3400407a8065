/**
 * Tests that no data is left after its retention period. After a sweep and the next snapshot, no file of the data
 * directory or of the journal contains erased bytes. A process can be killed at any point of a sweep or of a snapshot.
 * The partition can be opened afterwards and is correct.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { dayMs, yearBefore } from '../../src/foundation/days.ts';
import { draftId } from '../../src/foundation/ids.ts';
import { ask } from '../../src/journal/query.ts';
import { streamState } from '../../src/journal/topology.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import { currentGeneration } from '../../src/store/generation.ts';
import { Readers } from '../../src/store/readers.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { countEffects } from '../../src/store/tables/outbox.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { countErasures, readSweep, readTrace, retentionStatus } from '../../src/store/tables/retention.ts';
import { foldBatch } from '../../workers/partition/batch.ts';
import type { PartitionOwner } from '../../workers/partition/owner.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { filesWith } from '../helpers/files-with.ts';
import { dump, openTestPartition } from '../helpers/partition.ts';
import {
  type Bench,
  collectSignals,
  enqueueAndFold,
  feed,
  keep,
  own,
  ownWithOutbox,
  startBench,
} from '../helpers/partition-owner.ts';
import {
  approvalRecord,
  commandRecord,
  eventRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  sweepRecord,
  tickRecord,
} from '../helpers/partition-records.ts';
import { readStream } from '../helpers/partition-stream.ts';
import { startWorker } from '../helpers/partition-worker.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const repoId = repositoryFields().id;
const rangeId = 'range_00000000000000000000000000aa';
const theDraft = draftId(rangeId, 'engineer');
const marker = 'planted-in-a-title';
const old = { at: Date.now() - 400 * dayMs };

/**
 * Returns the records of a pull request and of a comment. Both contain the marker and were last reported 400 days ago.
 */
function planted(number: number): EventRecord[] {
  const pull = pullSnapshot(number, { title: `${marker} ${number}`, body: `${marker} `.repeat(50) });
  const author = { login: 'ada', bot: false };
  const comment = { kind: 'discussion', id: `c${number}`, number, author, body: marker, state: null } as const;
  return [
    eventRecord({ event: 'pull_request', action: 'closed', pull }, old),
    eventRecord({ event: 'comment', action: 'created', comment: { ...comment, createdAt: 1, updatedAt: 1 } }, old),
  ];
}

/** Searches the store and the journal. Returns the names of the files that contain the marker. */
function traces({ dataDir, nats }: Bench): string[] {
  return [...filesWith(dataDir, marker), ...filesWith(join(nats.dataDir, 'nats/jetstream'), marker)];
}

/**
 * Folds old pull requests 1 to 40, which contain the marker, and new pull requests 41 to 80, which do not. Takes two
 * snapshots, which both contain the marker.
 */
async function fill(bench: Bench, owner: PartitionOwner, keeper: ReturnType<typeof keep>): Promise<void> {
  const lane = feed(bench.journal);
  for (let number = 1; number <= 40; number++) await enqueueAndFold(owner, lane, planted(number));
  const fresh = Array.from({ length: 40 }, (_, i) => pullRecord(41 + i, { at: Date.now() }));
  await keeper.snapshot();
  await enqueueAndFold(owner, lane, fresh);
  await keeper.snapshot();
}

function numbers(partition: PartitionOwner['partition']): number[] {
  return [...partition.tables.pulls.getKeys({})].map((key) => key[1]);
}

const kept = Array.from({ length: 40 }, (_, i) => 41 + i);

test('no erased byte is left after the next snapshot', async (t) => {
  const bench = await startBench(t);
  const { owner, lost } = await own(t, bench);
  const keeper = keep(t, bench, owner);
  await fill(bench, owner, keeper);
  const readers = new Readers(bench.dataDir);
  afterwards(t, () => readers.close());
  assert.ok(readPull(readers.fresh('p00') ?? assert.fail(), repoId, 1));
  const signals = collectSignals(bench.journal);
  await keeper.sweep();
  assert.deepEqual([numbers(owner.partition), retentionStatus(owner.partition).waiting], [kept, []]);
  assert.ok(
    traces(bench).some((name) => name.endsWith('data.mdb')),
    'erased rows leave their bytes behind',
  );
  assert.ok(
    traces(bench).some((name) => name.endsWith('.blk')),
    'so does a purged journal',
  );
  const before = dump(owner.partition);
  const started = performance.now();
  await keeper.snapshot();
  t.diagnostic(`renewed, purged and copied twice in ${Math.round(performance.now() - started)} ms`);
  assert.deepEqual(traces(bench), []);
  assert.deepEqual(withoutMeta(dump(owner.partition)), withoutMeta(before));
  assert.deepEqual(readdirSync(join(bench.dataDir, 'partitions/p00')).sort(), ['current', 'g000002', 'snapshots']);
  await waitUntil('readers hear of the new generation', () => signals.at(-1)?.generation === 2);
  await readers.follow('p00');
  assert.deepEqual(numbers(readers.fresh('p00') ?? assert.fail()), kept);
  // The partition works as before. The next snapshot creates no new generation, because nothing was erased since the
  // previous snapshot.
  await enqueueAndFold(owner, feed(bench.journal), [pullRecord(81, { at: Date.now() })]);
  await keeper.snapshot();
  assert.deepEqual([lost, currentGeneration(bench.dataDir, 'p00')], [[], 2]);
  assert.equal(readPull(owner.partition, repoId, 81)?.number, 81);
});

test('after an erasure two newer snapshots are left, and the journal from the older one on', async (t) => {
  const bench = await startBench(t);
  const { owner } = await own(t, bench);
  const keeper = keep(t, bench, owner);
  await fill(bench, owner, keeper);
  await keeper.sweep();
  const swept = owner.seq;
  await keeper.snapshot();
  const [older, newer] = listSnapshots(bench.dataDir, 'p00');
  assert.ok(older && newer && swept < older.seq && older.seq < newer.seq);
  assert.equal((await streamState(bench.journal, 'p00')).firstSeq, older.seq + 1);
});

test('the journal keeps erased bytes until its stream has space to end a block', async (t) => {
  const bench = await startBench(t);
  const { owner } = await own(t, bench, 'p00', () => {}, 16_777_216);
  const keeper = keep(t, bench, owner);
  await fill(bench, owner, keeper);
  const lane = feed(bench.journal);
  const body = 'long '.repeat(200_000);
  const large = pullSnapshot(90, { body });
  const bulk = Array.from({ length: 9 }, () =>
    eventRecord({ event: 'pull_request', action: 'edited', pull: large }, { at: Date.now() }),
  );
  await enqueueAndFold(owner, lane, bulk);
  await keeper.sweep();
  await keeper.snapshot();
  assert.deepEqual([readTrace(owner.partition, 'renewed'), readTrace(owner.partition, 'purged')], [1, 0]);
  assert.deepEqual(filesWith(bench.dataDir, marker), []);
  await keeper.snapshot();
  assert.deepEqual([traces(bench), readTrace(owner.partition, 'purged')], [[], 1]);
});

test('a partition folds and answers while it is renewed', async (t) => {
  const bench = await startBench(t);
  const directory = await ownWithOutbox(t, bench, 'directory');
  const { owner, lost, close } = await ownWithOutbox(t, bench);
  const lane = feed(bench.journal);
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 100_000 } as const;
  const range = {
    name: 'createRange',
    rangeId,
    repoId,
    bounds,
    prCount: 0,
    issueCount: 0,
    resolution: 'window',
  } as const;
  await enqueueAndFold(owner, lane, [pullRecord(1), commandRecord(range)]);
  let going = true;
  let last = 1;
  const writing = (async () => {
    for (; going; last++) await lane.enqueue(pullRecord(last + 1));
  })();
  for (let nth = 0; nth < 8; nth++) {
    await owner.renew();
    const ticket = `ticket-${nth}`;
    await lane.enqueue(
      commandRecord({ name: 'generateDraft', rangeId, draftId: theDraft, persona: 'engineer', ticket }),
    );
    await pause(50);
  }
  going = false;
  await writing;
  await owner.drain(10_000);
  await waitUntil('all effects have left', () => countEffects(owner.partition) === 0);
  await owner.drain(10_000);
  assert.deepEqual([lost, owner.partition.generation, numbers(owner.partition).length], [[], 9, last]);
  assert.equal(readRange(owner.partition, rangeId)?.prCount, last);
  const live = dump(owner.partition);
  await close();
  await directory.close();
  const replayed = openTestPartition(t);
  await foldBatch(replayed, await readStream(bench.journal));
  assert.equal(dump(replayed), live);
});

/**
 * States in which a kill can leave a partition, by the moment of the kill. Each function creates such a state in a
 * partition that was swept and stopped.
 */
const leftovers: [string, (bench: Bench) => void | Promise<void>][] = [
  ['before anything was copied', () => {}],
  [
    'while the copy was written',
    ({ dataDir }) => {
      const folder = join(dataDir, 'partitions/p00/g000002');
      mkdirSync(folder);
      writeFileSync(join(folder, 'data.mdb'), Buffer.alloc(50_000, marker));
    },
  ],
  [
    'when the copy was whole but not in use',
    ({ dataDir }) =>
      cpSync(join(dataDir, 'partitions/p00/g000001'), join(dataDir, 'partitions/p00/g000002'), { recursive: true }),
  ],
  [
    'when the pointer was written but not in place',
    ({ dataDir }) => writeFileSync(join(dataDir, 'partitions/p00/current.new'), 'g0000'),
  ],
  [
    'while a snapshot was taken',
    ({ dataDir }) => {
      const folder = join(dataDir, 'partitions/p00/snapshots/taking.new');
      mkdirSync(folder);
      writeFileSync(join(folder, 'data.mdb'), Buffer.alloc(50_000, marker));
    },
  ],
];

for (const [when, leave] of leftovers) {
  test(`the next snapshot completes an erasure that was killed ${when}`, async (t) => {
    const bench = await startBench(t);
    const first = await own(t, bench);
    const keeper = keep(t, bench, first.owner);
    await fill(bench, first.owner, keeper);
    await keeper.sweep();
    await keeper.close();
    await first.owner.close();
    await leave(bench);
    const { owner } = await own(t, bench);
    await waitUntil('it has caught up', () => owner.caughtUp);
    assert.deepEqual(numbers(owner.partition), kept);
    await keep(t, bench, owner).snapshot();
    assert.deepEqual([numbers(owner.partition), traces(bench)], [kept, []]);
  });
}

test('the next snapshot purges after a renewal that was not yet purged', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  const keeper = keep(t, bench, first.owner);
  await fill(bench, first.owner, keeper);
  await keeper.sweep();
  await first.owner.renew();
  await keeper.close();
  await first.owner.close();
  const { owner } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp);
  assert.deepEqual(
    [owner.partition.generation, readTrace(owner.partition, 'renewed')],
    [2, countErasures(owner.partition)],
  );
  assert.notDeepEqual(traces(bench), []);
  await keep(t, bench, owner).snapshot();
  assert.deepEqual([numbers(owner.partition), traces(bench), owner.partition.generation], [kept, [], 2]);
});

test('a partition is renewed again after a snapshot from before the sweep is restored', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  const keeper = keep(t, bench, first.owner);
  await fill(bench, first.owner, keeper);
  await keeper.sweep();
  await keeper.close();
  await first.owner.close();
  rmSync(join(bench.dataDir, 'partitions/p00/g000001/data.mdb'));
  const { owner } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp);
  assert.deepEqual([numbers(owner.partition), owner.partition.generation], [kept, 2]);
  assert.ok(existsSync(join(bench.dataDir, 'partitions/p00/g000001')), 'the damaged generation is kept');
  await keep(t, bench, owner).snapshot();
  assert.deepEqual([numbers(owner.partition), traces(bench)], [kept, []]);
  assert.equal(existsSync(join(bench.dataDir, 'partitions/p00/g000001')), false, 'until the next good snapshot');
});

test('a sweep that a stop interrupted continues', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  const lane = feed(bench.journal);
  const now = Date.now();
  const records = Array.from({ length: 5000 }, (_, i) => pullRecord(i + 1, old));
  await enqueueAndFold(first.owner, lane, [...records, tickRecord(now)]);
  await enqueueAndFold(first.owner, lane, [sweepRecord({ sweep: 'records', before: yearBefore(now) }, now)]);
  assert.equal(readSweep(first.owner.partition)?.phase, 'counting');
  await first.owner.close();
  const { owner } = await own(t, bench);
  keep(t, bench, owner, 100);
  const wait = await waitUntil('all is counted', () => retentionStatus(owner.partition).waiting[0]);
  assert.deepEqual([wait.cause, wait.cause === 'records' && wait.records], ['records', 5000]);
  await enqueueAndFold(owner, lane, [approvalRecord(wait, now)]);
  await waitUntil('all is erased', () => numbers(owner.partition).length === 0);
});

test('an erasure completes despite kills at any moment', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  const keeper = keep(t, bench, first.owner);
  await fill(bench, first.owner, keeper);
  await keeper.sweep();
  await keeper.close();
  await first.owner.close();
  for (let kill = 0; kill < 6; kill++) {
    const worker = startWorker(t, bench);
    await worker.ready;
    const asking = ask(bench.journal, 'p00', { task: 'snapshot' }).catch(() => {});
    await pause(Math.random() * 250);
    await worker.kill();
    void asking;
  }
  const worker = startWorker(t, bench);
  await worker.ready;
  await waitUntil('the snapshot is taken', () =>
    ask(bench.journal, 'p00', { task: 'snapshot' }).then(
      () => true,
      () => false,
    ),
  );
  assert.equal(await worker.stop(), 0);
  assert.deepEqual(traces(bench), []);
  const live = openTestPartition(t, 'p00', bench.dataDir);
  assert.deepEqual(numbers(live), kept);
  assert.equal(readPull(live, repoId, 80)?.title, 'Change 80');
});

/** Removes the rows that change with every record. */
function withoutMeta(text: string): string[] {
  return text.split('\n').filter((line) => !/^(meta|retention|results) /.test(line));
}
