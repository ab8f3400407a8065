/**
 * Tests a journal that was cut or replaced. The owner of the partition reads the journal from the start, applies no
 * record twice, and folds later records.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { JournalCutError } from '../../src/journal/follow.ts';
import { ensureStream, purgeStream, streamState } from '../../src/journal/topology.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { readCursor, readStreamIdentity } from '../../src/store/tables/meta.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import type { PartitionOwner } from '../../workers/partition/owner.ts';
import { PartitionLostError } from '../../workers/partition/restore.ts';
import { dump } from '../helpers/partition.ts';
import { type Bench, enqueueAndFold, feed, keep, own, startBench } from '../helpers/partition-owner.ts';
import { pullRecord, repositoryFields } from '../helpers/partition-records.ts';
import { streamBytes } from '../helpers/partition-stream.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const repoId = repositoryFields().id;

/** The folder of the journal. Tests change or delete the folder while the server is down. */
const journalFolder = ({ nats }: Bench) => join(nats.dataDir, 'nats/jetstream');

/** Folds the pull requests `from` to `to`, each in a separate message. */
async function foldApart(owner: PartitionOwner, bench: Bench, from: number, to: number): Promise<void> {
  const lane = feed(bench.journal);
  for (let number = from; number <= to; number++) await enqueueAndFold(owner, lane, [pullRecord(number)]);
}

/**
 * Kills the server, calls `change` to change the server's files, and starts the server again. Waits until the journal
 * has reconnected.
 */
async function whileDown(bench: Bench, change: () => void): Promise<void> {
  const back = new Promise<void>((resolve) => bench.journal.onReconnect(resolve));
  await bench.nats.kill();
  change();
  await bench.nats.start();
  await back;
}

/** Returns all rows except those about the partition itself (cursor, time, counters). */
function effectsIn(owner: PartitionOwner): string {
  return dump(owner.partition).replace(/^meta .*\n?/gm, '');
}

function numbers(owner: PartitionOwner, to: number): number[] {
  return Array.from({ length: to }, (_, i) => i + 1).filter((number) => readPull(owner.partition, repoId, number));
}

test('an owner folds a replaced stream from its start', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  await foldApart(first.owner, bench, 1, 12);
  await first.owner.close();
  await whileDown(bench, () => rmSync(journalFolder(bench), { recursive: true }));
  const { owner, lost } = await own(t, bench);
  assert.deepEqual([readCursor(owner.partition).seq, readStreamIdentity(owner.partition)?.epoch], [0, 1]);
  await foldApart(owner, bench, 13, 20);
  assert.deepEqual([numbers(owner, 20).length, lost], [20, []]);
  await owner.close();
  const again = await own(t, bench);
  assert.equal(readStreamIdentity(again.owner.partition)?.epoch, 1);
});

test('a stream on other servers continues after the store, and an empty store does not take it for everything', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  await foldApart(first.owner, bench, 1, 5);
  const { seq } = first.owner;
  await first.owner.close();
  await whileDown(bench, () => rmSync(journalFolder(bench), { recursive: true }));
  const stream = await ensureStream(bench.journal, 'p00', streamBytes, 1, () => seq);
  assert.deepEqual([stream.firstSeq, stream.lastSeq], [seq + 1, seq]);
  const { owner } = await own(t, bench);
  assert.deepEqual([readCursor(owner.partition).seq, readStreamIdentity(owner.partition)?.epoch], [seq, 0]);
  await foldApart(owner, bench, 6, 7);
  assert.deepEqual([numbers(owner, 7).length, owner.seq], [7, seq + 2]);
  const empty = { ...bench, dataDir: join(temporaryFolder(t), 'other') };
  await assert.rejects(own(t, empty), PartitionLostError);
});

test('an owner stops when its stream is replaced while it reads', async (t) => {
  const bench = await startBench(t);
  const { owner, lost } = await own(t, bench);
  await foldApart(owner, bench, 1, 5);
  await whileDown(bench, () => rmSync(journalFolder(bench), { recursive: true }));
  await waitUntil('it gives up', () => lost.length > 0);
  assert.ok(lost[0] instanceof JournalCutError);
  await owner.close();
  const next = await own(t, bench);
  await foldApart(next.owner, bench, 6, 9);
  assert.equal(numbers(next.owner, 9).length, 9);
});

test('an owner reads a cut stream again and repeats nothing', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  await foldApart(first.owner, bench, 1, 6);
  const copy = join(bench.dataDir, 'journal-copy');
  await whileDown(bench, () => cpSync(journalFolder(bench), copy, { recursive: true }));
  await foldApart(first.owner, bench, 7, 10);
  const before = effectsIn(first.owner);
  await first.owner.close();
  await whileDown(bench, () => {
    rmSync(journalFolder(bench), { recursive: true });
    cpSync(copy, journalFolder(bench), { recursive: true });
  });
  const { owner } = await own(t, bench);
  // The seventh message is the one with which the owner has made sure that the stream was cut.
  await waitUntil('it has read the stream', () => owner.seq === 7);
  assert.equal(readStreamIdentity(owner.partition)?.epoch, 1);
  assert.equal(effectsIn(owner), before);
  await foldApart(owner, bench, 11, 11);
  assert.equal(numbers(owner, 11).length, 11);
});

test('an owner recognizes a reused sequence by the record at the cursor', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  await foldApart(first.owner, bench, 1, 3);
  await first.owner.close();
  await whileDown(bench, () => rmSync(journalFolder(bench), { recursive: true }));
  // Another owner adds records to the new stream. When the first store is opened again, the stream therefore already
  // extends past the cursor of that store.
  const other = await own(t, { ...bench, dataDir: join(bench.dataDir, 'other') });
  await foldApart(other.owner, bench, 4, 9);
  const { owner } = await own(t, bench);
  await waitUntil('it has read the stream', () => owner.caughtUp);
  assert.equal(numbers(owner, 9).length, 9);
});

test('a purged message at the cursor does not start a new epoch', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  await foldApart(first.owner, bench, 1, 4);
  await first.owner.close();
  await purgeStream(bench.journal, 'p00', 4);
  const { owner } = await own(t, bench);
  assert.equal(readStreamIdentity(owner.partition)?.epoch, 0);
  await foldApart(owner, bench, 5, 6);
});

test('a snapshot of an earlier epoch never allows a purge', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  await foldApart(first.owner, bench, 1, 20);
  await keep(t, bench, first.owner).snapshot();
  await foldApart(first.owner, bench, 21, 30);
  await keep(t, bench, first.owner).snapshot();
  await first.owner.close();
  await whileDown(bench, () => rmSync(journalFolder(bench), { recursive: true }));
  const { owner, lost } = await own(t, bench);
  await foldApart(owner, bench, 31, 33);
  const keeper = keep(t, bench, owner);
  await keeper.snapshot();
  assert.equal((await streamState(bench.journal, 'p00')).firstSeq, 1);
  await foldApart(owner, bench, 34, 36);
  await keeper.snapshot();
  const { firstSeq, lastSeq } = await streamState(bench.journal, 'p00');
  // The first message of the new stream is the one with which the owner has made sure that the stream was replaced.
  assert.deepEqual([firstSeq, lastSeq, lost], [5, 7, []]);
  assert.deepEqual(
    listSnapshots(bench.dataDir, 'p00').map(({ epoch, seq }) => [epoch, seq]),
    [
      [1, 4],
      [1, 7],
    ],
  );
  await foldApart(owner, bench, 37, 38);
  assert.equal(numbers(owner, 38).length, 38);
});
