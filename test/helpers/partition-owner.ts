/**
 * Opens partition owners and lanes for tests. An owner folds a real stream in this process. A lane writes to the
 * stream.
 */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { unpackMessage } from '../../src/journal/codec.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { Lane } from '../../src/journal/lane.ts';
import type { Folded } from '../../src/journal/signal.ts';
import { foldedSubject } from '../../src/journal/subjects.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { Keeper } from '../../workers/partition/housekeeping.ts';
import { Outbox } from '../../workers/partition/outbox.ts';
import { type OwnerOptions, PartitionOwner } from '../../workers/partition/owner.ts';
import { Sweeper } from '../../workers/partition/sweep-schedule.ts';
import { RenderPool } from '../../workers/render/pool.ts';
import { afterwards } from './cleanup.ts';
import { quiet, startNats, type TestNats } from './journal.ts';
import { streamBytes } from './partition-stream.ts';
import { temporaryFolder } from './ports.ts';
import { waitUntil } from './wait-until.ts';

/** A nats-server, a journal on this server, and a data directory. A test opens partition owners with them. */
export interface Bench {
  nats: TestNats;
  journal: Journal;
  dataDir: string;
  /** Folds long backlogs of owners. If it is absent, the owners fold every backlog themselves. */
  catchUp?: NonNullable<OwnerOptions['catchUp']>;
}

/** An owner, the errors after which the owner gave up its partition, and the number of calls of `onCommitted`. */
export interface OwnedPartition {
  owner: PartitionOwner;
  lost: Error[];
  commits: () => number;
}

export async function startBench(t: TestContext): Promise<Bench> {
  const nats = await startNats(t);
  const journal = await nats.connect();
  return { nats, journal, dataDir: join(temporaryFolder(t), 'data') };
}

/** Opens an owner, which closes when the test ends. */
export async function own(
  t: TestContext,
  { journal, dataDir, catchUp }: Bench,
  name = 'p00',
  onCommitted = () => {},
  journalMaxBytes = streamBytes,
): Promise<OwnedPartition> {
  const lost: Error[] = [];
  let commits = 0;
  await ensureStream(journal, name, journalMaxBytes);
  const owner = await PartitionOwner.open({
    dataDir,
    name,
    journal,
    logger: quiet,
    ...(catchUp && { catchUp }),
    onCommitted: () => {
      commits += 1;
      onCommitted();
    },
    onLost: (_, error) => void lost.push(error),
  });
  afterwards(t, () => owner.close());
  return { owner, lost, commits: () => commits };
}

/** Opens an owner with its outbox and render pool, as a worker does. */
export async function ownWithOutbox(
  t: TestContext,
  bench: Bench,
  name = 'p00',
  makePool = () => new RenderPool(1, 10_000),
) {
  const lanes = new Map<string, Lane>();
  const laneOf = (target: string): Lane => {
    const lane = lanes.get(target) ?? feed(bench.journal, target);
    lanes.set(target, lane);
    return lane;
  };
  let outbox: Outbox | undefined;
  const owned = await own(t, bench, name, () => outbox?.kick());
  const pool = makePool();
  outbox = new Outbox({ dataDir: bench.dataDir, owner: owned.owner, pool, logger: quiet, laneOf });
  if (owned.owner.caughtUp) outbox.kick();
  const close = async () => {
    await outbox.close();
    for (const lane of lanes.values()) await lane.close();
    await owned.owner.close();
    await pool.close();
  };
  afterwards(t, close);
  return { ...owned, outbox, close };
}

/** The maximum delay of a timer, in milliseconds. An interval of this length is longer than any test. */
const maxTimerMs = 2 ** 31 - 1;

/** A keeper and a sweeper of one partition. */
export interface Kept extends Pick<Keeper, 'snapshot' | 'relieve'>, Pick<Sweeper, 'sweep'> {
  close(): Promise<void>;
}

/**
 * Opens a keeper and a sweeper whose timers do not fire during the test. With a short `pollMs`, they check the partition
 * regularly. The sweeper acts as the lead would, without a term. Both close when the test ends.
 */
export function keep(t: TestContext, { journal }: Bench, owner: PartitionOwner, pollMs = maxTimerMs): Kept {
  const lane = feed(journal, owner.name);
  const keeper = new Keeper(owner, { lane, snapshotMs: maxTimerMs, pollMs });
  const lead = { acts: true, stamp: {} };
  const sweeper = new Sweeper(owner, { lane, lead, partitions: 1, sweepMs: maxTimerMs, pollMs });
  const close = async () => {
    await keeper.close();
    await sweeper.close();
  };
  afterwards(t, close);
  return {
    snapshot: () => keeper.snapshot(),
    relieve: (known) => keeper.relieve(known),
    sweep: () => sweeper.sweep(),
    close,
  };
}

/** Opens a lane that writes to a partition. The stream of the partition must exist. */
export function feed(journal: Journal, name = 'p00'): Lane {
  const options = {
    batchRecords: 64,
    batchBytes: 1_048_576,
    waitingRecords: 100_000,
    waitingBytes: 1e9,
    ackDeadlineMs: 60_000,
  };
  return new Lane(journal, name, options, quiet);
}

/** Enqueues records and waits until the owner has folded all of them. */
export async function enqueueAndFold(
  owner: PartitionOwner,
  lane: Lane,
  records: readonly JournalRecord[],
): Promise<void> {
  const positions = await Promise.all(records.map((record) => lane.enqueue(record)));
  const last = Math.max(...positions.map(({ seq }) => seq));
  await waitUntil(`sequence ${last} is folded`, () => owner.seq >= last);
}

/** Returns an array to which every `folded` signal of a partition is added. */
export function collectSignals(journal: Journal, name = 'p00'): Folded[] {
  const signals: Folded[] = [];
  journal.connection.subscribe(foldedSubject(journal.node, name), {
    callback: (error, message) => void (error ?? signals.push(unpackMessage<Folded>(message.data))),
  });
  return signals;
}
