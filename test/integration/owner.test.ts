/**
 * Tests the owner of a partition. It has exclusive access to its store, folds in order, and carries out no effects
 * until it has read the whole journal.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { receiveChanges } from '../../src/journal/changes.ts';
import { JournalHoleError } from '../../src/journal/follow.ts';
import { recordsSubject, streamOf } from '../../src/journal/subjects.ts';
import type { PartitionChanges } from '../../src/protocol/live-events.ts';
import { currentGeneration } from '../../src/store/generation.ts';
import { PartitionLockedError } from '../../src/store/lock.ts';
import { readCursor, writeOwner } from '../../src/store/tables/meta.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import { NotOwnerError } from '../../workers/partition/ownership.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { packBatch } from '../helpers/journal-message.ts';
import { dump } from '../helpers/partition.ts';
import { startHolder } from '../helpers/partition-holder.ts';
import { collectSignals, enqueueAndFold, feed, own, startBench } from '../helpers/partition-owner.ts';
import { pullRecord, repositoryFields } from '../helpers/partition-records.ts';
import { leaveHole } from '../helpers/partition-stream.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const repoId = repositoryFields().id;
const pulls = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => pullRecord(from + i));

test('an owner folds arriving records and signals each commit', async (t) => {
  const bench = await startBench(t);
  const signals = collectSignals(bench.journal);
  const { owner, commits } = await own(t, bench);
  const lane = feed(bench.journal);
  for (let from = 1; from <= 200; from += 20) await enqueueAndFold(owner, lane, pulls(from, from + 19));
  assert.equal(readPull(owner.partition, repoId, 200)?.number, 200);
  await waitUntil('the last signal came', () => signals.at(-1)?.seq === owner.seq);
  assert.deepEqual(
    signals.map(({ seq }) => seq),
    [...signals.map(({ seq }) => seq)].sort((a, b) => a - b),
  );
  // `commits` counts commits with new effects. Only the first pull request has an effect, because it makes its
  // repository known.
  assert.ok(commits() >= 1);
});

test('an owner announces what has changed, and first that changes may be missing', async (t) => {
  const bench = await startBench(t);
  const lane = feed(bench.journal);
  const received: PartitionChanges[] = [];
  const stop = await receiveChanges(bench.journal, (changes) => void received.push(changes));
  afterwards(t, stop);
  const first = await own(t, bench);
  await waitUntil('the first announcement came', () => received.length === 1);
  assert.deepEqual(received.pop(), { reset: true, events: [] });
  await enqueueAndFold(first.owner, lane, pulls(1, 40));
  // All 40 pull requests are one change. It comes twice if the journal took long to store the records.
  await waitUntil('the change came', () => received.length > 0);
  await first.owner.close();
  const event = { event: 'repo.event', data: { repoId, event: 'pull_request' } };
  for (const changes of received) assert.deepEqual(changes, { reset: false, events: [event] });
  received.length = 0;
  await lane.enqueue(pullRecord(41));
  await own(t, bench);
  await waitUntil('the next owner has announced', () => received.length > 0);
  assert.deepEqual(received, [{ reset: true, events: [] }], 'the backlog is no change');
});

test('an owner stores the same bytes as another fold of its stream', async (t) => {
  const bench = await startBench(t);
  const lane = feed(bench.journal);
  let { owner } = await own(t, bench);
  for (let from = 1; from <= 90; from += 30) {
    await enqueueAndFold(owner, lane, pulls(from, from + 29));
    await owner.close();
    ({ owner } = await own(t, bench));
  }
  const live = dump(owner.partition);
  const again = await own(t, { ...bench, dataDir: join(bench.dataDir, 'again') });
  await waitUntil('it has caught up', () => again.owner.seq === owner.seq);
  assert.equal(dump(again.owner.partition), live);
});

test('a second owner is refused in this and any other process', async (t) => {
  const bench = await startBench(t);
  const { owner } = await own(t, bench);
  await assert.rejects(own(t, bench), PartitionLockedError);
  await owner.close();
  const holder = await startHolder(t, bench.dataDir, 'p00');
  await assert.rejects(own(t, bench), PartitionLockedError);
  holder.kill('SIGKILL');
  await waitUntil('the lock is free', () => own(t, bench).catch(() => undefined));
});

test('an owner that cannot open releases the lock', async (t) => {
  const bench = await startBench(t);
  await bench.journal.close();
  await assert.rejects(own(t, bench));
  const journal = await bench.nats.connect();
  await own(t, { ...bench, journal });
});

test('an owner stops when another process has taken over its store', async (t) => {
  const bench = await startBench(t);
  const { owner, lost } = await own(t, bench);
  const lane = feed(bench.journal);
  await enqueueAndFold(owner, lane, pulls(1, 3));
  await owner.partition.write(() => writeOwner(owner.partition, 'someone else'));
  const before = dump(owner.partition);
  await lane.enqueue(pullRecord(4));
  await waitUntil('it gives up', () => lost.length > 0);
  assert.ok(lost[0] instanceof NotOwnerError);
  assert.equal(dump(owner.partition), before);
});

test('an owner stops at a hole and keeps what it has folded', async (t) => {
  const bench = await startBench(t);
  const lane = feed(bench.journal);
  const first = await own(t, bench);
  await enqueueAndFold(first.owner, lane, pulls(1, 1));
  await first.owner.close();
  await lane.enqueue(pullRecord(2));
  await leaveHole(bench.journal);
  await lane.enqueue(pullRecord(4));
  const { owner, lost } = await own(t, bench);
  await waitUntil('it gives up', () => lost.length > 0);
  assert.ok(lost[0] instanceof JournalHoleError);
  assert.deepEqual(
    [readPull(owner.partition, repoId, 2)?.number, readPull(owner.partition, repoId, 4)],
    [2, undefined],
  );
  assert.equal(owner.caughtUp, false);
});

test('an owner skips a message that is not a batch of records', async (t) => {
  const bench = await startBench(t);
  const { owner, lost } = await own(t, bench);
  const lane = feed(bench.journal);
  const { jetstream } = bench.journal;
  await jetstream.publish(recordsSubject('p00'), 'not a batch');
  await jetstream.publish(recordsSubject('p00'), packBatch(['a text', null]));
  await jetstream.publish(recordsSubject('p00'), packBatch([]));
  await enqueueAndFold(owner, lane, pulls(1, 2));
  assert.deepEqual([lost, readPull(owner.partition, repoId, 2)?.number], [[], 2]);
  assert.equal(readCursor(owner.partition).seq, owner.seq);
});

test('an owner holds effects and signals back until it has caught up', async (t) => {
  const bench = await startBench(t);
  const lane = feed(bench.journal);
  const first = await own(t, bench);
  await first.owner.close();
  await Promise.all(pulls(1, 3000).map((record) => lane.enqueue(record)));
  const signals = collectSignals(bench.journal);
  const { owner, commits } = await own(t, bench);
  assert.equal(owner.caughtUp, false);
  const seen = await waitUntil('the first effect may leave', () => commits() > 0 && owner.seq);
  assert.ok(owner.caughtUp);
  const goal = (await bench.journal.manager.streams.info(streamOf('p00'))).state.last_seq;
  assert.ok(seen >= goal);
  await waitUntil('the signal came', () => signals.length > 0);
  assert.ok(signals.every(({ seq }) => seq >= goal));
});

test('an owner creates a new generation when its file is gone', async (t) => {
  const bench = await startBench(t);
  const lane = feed(bench.journal);
  const first = await own(t, bench);
  await enqueueAndFold(first.owner, lane, pulls(1, 5));
  const live = dump(first.owner.partition);
  await first.owner.close();
  rmSync(join(bench.dataDir, 'partitions/p00/g000001/data.mdb'));
  const { owner } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp);
  assert.deepEqual([currentGeneration(bench.dataDir, 'p00'), dump(owner.partition)], [2, live]);
});

test('an owner folds a batch far larger than the memory map', async (t) => {
  const bench = await startBench(t);
  const lane = feed(bench.journal);
  const first = await own(t, bench);
  await first.owner.close();
  // 100 records of 400 KB are folded in a few transactions. Each transaction is many times as large as the memory map
  // of a new LMDB store.
  const body = 'a fairly long body '.repeat(20_000);
  const records = pulls(1, 100).map((record) => {
    if (record.body.event === 'pull_request') record.body.pull.body = body;
    return record;
  });
  await Promise.all(records.map((record) => lane.enqueue(record)));
  const { owner, lost } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp || lost.length > 0);
  assert.deepEqual(lost, []);
  assert.equal(readPull(owner.partition, repoId, 100)?.body.length, body.length);
});
