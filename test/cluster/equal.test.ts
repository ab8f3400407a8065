/**
 * Tests that three nodes of a cluster fold the same streams to the same bytes. Each node reads through another nats-server,
 * one of which is killed meanwhile.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { ulid } from '../../src/foundation/ids.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { Follower } from '../../src/journal/follow.ts';
import type { Position } from '../../src/journal/lane.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { openPartition } from '../../src/store/partition.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { foldBatch, packedMessages } from '../../workers/partition/batch.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { noCluster, rounds } from '../helpers/cluster-options.ts';
import { assertEqualStores } from '../helpers/equal-stores.ts';
import { quiet } from '../helpers/journal.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { feed } from '../helpers/partition-owner.ts';
import { pullRecord } from '../helpers/partition-records.ts';
import { anyJournal } from '../helpers/partition-steps.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { assertSet, readIds } from '../helpers/set-check.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const partitions = ['p00', 'p01'];
const streamBytes = 268_435_456;
/** Time between two records of a writer, in milliseconds. */
const paceMs = 10;

/** A store of a partition that follows its stream. */
interface Replica {
  seq: () => number;
  /** Stops after the batch that is being folded, and closes the store. */
  close: () => Promise<void>;
}

test('three nodes fold the same streams to the same bytes while a server is killed', { skip: noCluster }, async (t) => {
  const cluster = await startCluster(t);
  for (const name of partitions) await cluster.makeStream(name, streamBytes);
  const dataDirs = cluster.indexes.map(() => temporaryFolder(t));
  const replicas: Record<string, Replica[]> = {};
  for (const name of partitions) {
    const opened = cluster.indexes.map(async (i) =>
      replicate(t, await cluster.connect(i), dataDirs[i] as string, name),
    );
    replicas[name] = await Promise.all(opened);
  }

  // The writers know this server only, so this server does not fail.
  const journal = await cluster.connect(0);
  const writers = partitions.map((name, i) => new Writer(journal, name, i));
  for (let round = 0; round < rounds(1, 10); round++) {
    const victim = 1 + (round % 2);
    await cluster.lead('p00', victim);
    for (const writer of writers) await writer.progress(300);
    await cluster.kill(victim);
    for (const writer of writers) await writer.progress(300);
    await cluster.start(victim);
    await cluster.healed();
  }
  for (const writer of writers) await writer.finish();

  for (const { name, acked } of writers) {
    const { lastSeq } = await cluster.replicated(name);
    assertSet(acked, await readIds(journal, name));
    for (const [i, { seq }] of (replicas[name] as Replica[]).entries()) {
      await waitUntil(`node ${i} has folded ${name}`, () => seq() >= lastSeq);
    }
    for (const { close } of replicas[name] as Replica[]) await close();
    const rows = await assertEqualStores(name, dataDirs);
    t.diagnostic(`${name}: ${acked.size} records in ${lastSeq} messages make ${rows} equal rows`);
    assert.ok(rows > 1000);
  }
});

/** Opens a store and folds a stream into it, as a worker does. */
async function replicate(t: TestContext, journal: Journal, dataDir: string, name: string): Promise<Replica> {
  const partition = openPartition(dataDir, name);
  const follower = new Follower(journal, name, readCursor(partition).seq, quiet);
  const fold = async (): Promise<void> => {
    for await (const batch of follower.batches()) await foldBatch(partition, packedMessages(name, batch, quiet));
  };
  const folding = fold();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    follower.stop();
    closing ??= folding.finally(() => partition.close());
    return closing;
  };
  afterwards(t, close);
  return { seq: () => readCursor(partition).seq, close };
}

/** Writes merged pull requests, and between them records of all kinds, some of which cannot be folded. */
class Writer {
  readonly name: string;
  readonly acked = new Map<string, Position>();
  private going = true;
  private readonly writing: Promise<void>;

  constructor(journal: Journal, name: string, seed: number) {
    this.name = name;
    this.writing = this.write(journal, seed);
  }

  async progress(more: number): Promise<void> {
    const goal = this.acked.size + more;
    await waitUntil(`${this.name} acknowledges ${more} more records`, () => this.acked.size >= goal);
  }

  async finish(): Promise<void> {
    this.going = false;
    await this.writing;
  }

  private async write(journal: Journal, seed: number): Promise<void> {
    const lane = feed(journal, this.name);
    const others = fc.sample(anyJournal, { numRuns: 100, seed }).flat(2);
    const pending: Promise<void>[] = [];
    for (let n = 1; this.going; n++) {
      const other = n % 2 === 0 ? others[n / 2] : undefined;
      pending.push(this.enqueue(lane, { ...(other ?? pullRecord(1000 + n)), id: ulid() }));
      // After a failed test, this timer must not keep the process alive.
      await pause(paceMs, undefined, { ref: false });
    }
    await Promise.all(pending);
    await lane.close();
  }

  private async enqueue(lane: ReturnType<typeof feed>, record: JournalRecord): Promise<void> {
    this.acked.set(record.id, await lane.enqueue(record));
  }
}
