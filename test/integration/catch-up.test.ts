/**
 * Tests the thread that folds a long backlog: its owner continues where the thread ends, whether the thread has reached
 * the end of the backlog, was stopped, or failed.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { recordsFolded } from '../../src/foundation/metrics.ts';
import { recordsSubject } from '../../src/journal/subjects.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import { type Backlog, startCatchUp } from '../../workers/partition/catch-up.ts';
import { longBacklog } from '../../workers/partition/owner.ts';
import { quiet } from '../helpers/journal.ts';
import { dump } from '../helpers/partition.ts';
import { type Bench, collectSignals, enqueueAndFold, feed, own, startBench } from '../helpers/partition-owner.ts';
import { pullRecord, repositoryFields } from '../helpers/partition-records.ts';
import { openLane, streamBytes } from '../helpers/partition-stream.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const repoId = repositoryFields().id;

interface Counted {
  backlogs: Backlog[];
  reports: number;
}

/** Returns the bench with a thread for long backlogs, and what the threads did. */
function withThreads(bench: Bench, change: Partial<Backlog> = {}): Bench & Counted {
  const counted: Counted = { backlogs: [], reports: 0 };
  const settings = { ...bench.nats.settings, dataDir: bench.dataDir, logLevel: 'silent' as const };
  return Object.assign(counted, bench, {
    catchUp: (backlog: Backlog, onFolded: Parameters<typeof startCatchUp>[2]) => {
      counted.backlogs.push(backlog);
      return startCatchUp({ ...backlog, ...change, settings }, quiet, (report) => {
        counted.reports += 1;
        onFolded(report);
      });
    },
  });
}

/** Fills the stream with as many messages as a backlog needs to get a thread. */
async function fillBacklog(t: TestContext, { journal }: Bench): Promise<void> {
  const lane = await openLane(t, journal, { batchRecords: 1 });
  await Promise.all(Array.from({ length: longBacklog }, (_, i) => lane.enqueue(pullRecord(i + 1))));
}

async function foldedEvents(): Promise<number> {
  const { values } = await recordsFolded.get();
  return values.find(({ labels }) => labels.kind === 'event')?.value ?? 0;
}

test('a thread folds a long backlog to the same bytes, and the owner continues', async (t) => {
  const bench = withThreads(await startBench(t));
  await fillBacklog(t, bench);
  const [signals, before] = [collectSignals(bench.journal), await foldedEvents()];
  const { owner, commits } = await own(t, bench);
  assert.equal(owner.caughtUp, false);
  await waitUntil('it has caught up', () => owner.caughtUp);
  assert.deepEqual([bench.backlogs.length, owner.seq, commits()], [1, longBacklog, 1]);
  assert.equal(readCursor(owner.partition).seq, longBacklog);
  assert.equal((await foldedEvents()) - before, longBacklog);
  await waitUntil('the end of the backlog is announced', () => signals.length > 0);
  assert.equal(signals[0]?.seq, longBacklog);
  await enqueueAndFold(owner, feed(bench.journal), [pullRecord(longBacklog + 1)]);
  assert.equal(readPull(owner.partition, repoId, longBacklog + 1)?.number, longBacklog + 1);
  const { nats, journal, dataDir } = bench;
  const alone = await own(t, { nats, journal, dataDir: join(dataDir, 'alone') });
  await waitUntil('the other owner has caught up', () => alone.owner.seq === owner.seq);
  assert.equal(dump(alone.owner.partition), dump(owner.partition));
});

test('snapshots that are taken during a catch-up are complete, and the store is opened again after them', async (t) => {
  const bench = withThreads(await startBench(t));
  await fillBacklog(t, bench);
  const { owner, lost } = await own(t, bench);
  const during = owner.partition;
  const seqs: number[] = [];
  while (!owner.caughtUp) seqs.push((await owner.snapshot()).seq);
  assert.deepEqual([lost, seqs.length > 0], [[], true]);
  assert.deepEqual(
    seqs,
    [...seqs].sort((a, b) => a - b),
  );
  assert.notEqual(owner.partition, during);
  assert.throws(() => readCursor(during), /closed/);
  assert.equal((await owner.snapshot()).seq, longBacklog);
  await enqueueAndFold(owner, feed(bench.journal), [pullRecord(longBacklog + 1)]);
  assert.equal(readPull(owner.partition, repoId, longBacklog + 1)?.number, longBacklog + 1);
});

test('a message that is not a batch of records is skipped by the thread as well', async (t) => {
  const bench = withThreads(await startBench(t));
  await ensureStream(bench.journal, 'p00', streamBytes);
  await bench.journal.jetstream.publish(recordsSubject('p00'), 'not a batch');
  await fillBacklog(t, bench);
  const { owner, lost } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp);
  assert.deepEqual([lost, owner.seq, bench.reports > 0], [[], longBacklog + 1, true]);
});

test('an owner that closes stops its thread, and the next owner folds the rest', async (t) => {
  const bench = withThreads(await startBench(t));
  await fillBacklog(t, bench);
  for (const waitMs of [0, 50, 200]) {
    const { owner, lost } = await own(t, bench);
    await pause(waitMs);
    await owner.close();
    assert.deepEqual(lost, []);
  }
  const { owner } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp);
  assert.equal(readPull(owner.partition, repoId, longBacklog)?.number, longBacklog);
});

test('an owner folds the backlog itself if its thread fails', async (t) => {
  const bench = withThreads(await startBench(t), { ownerId: 'someone else' });
  await fillBacklog(t, bench);
  const { owner, lost } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp);
  assert.deepEqual([lost, bench.backlogs.length, bench.reports, owner.seq], [[], 1, 0, longBacklog]);
});
