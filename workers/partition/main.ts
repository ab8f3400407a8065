/**
 * A worker process: owns the partitions named on its command line, folds them, carries out their effects, answers questions
 * about them. Started by the supervisor.
 */
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChildContext, type ChildProgram, runChild } from '../../src/child.ts';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import { JournalHoleError } from '../../src/journal/follow.ts';
import { Lane } from '../../src/journal/lane.ts';
import { answerQueries } from '../../src/journal/query.ts';
import { directoryName, type PartitionName } from '../../src/journal/subjects.ts';
import { partitionAlarms } from '../../src/metrics.ts';
import type { ChangesTask, PreviewTask } from '../../src/protocol/tasks.ts';
import { PartitionLockedError } from '../../src/store/lock.ts';
import { RenderPool } from '../render/pool.ts';
import { Keeper } from './keeper.ts';
import { Outbox } from './outbox.ts';
import { PartitionOwner } from './owner.ts';
import { PartitionLostError } from './restore.ts';

/** A question to an owner: one for the pool, or an operator's wish for a snapshot. */
type Question = PreviewTask | ChangesTask | { task: 'snapshot' };

/** One owned partition and what serves it. */
interface Served {
  owner: PartitionOwner;
  outbox: Outbox;
  keeper: Keeper;
  stopAnswering: () => void;
}

// An acknowledgement comes before the fold: where both want the same core, the gateway gets three quarters of it.
setPriority(5);
await runChild('worker', startWorker);

async function startWorker(context: ChildContext): Promise<ChildProgram> {
  const { settings, logger } = context;
  const names = process.argv.slice(2);
  const journal = await connectJournal(settings.natsUrl, `tidings worker ${names.join(' ')}`, logger);
  const pool = new RenderPool(settings.renderThreads, settings.renderTimeoutMs);
  const lanes = new Map<PartitionName, Lane>();
  const laneOf = (name: PartitionName): Lane => {
    const lane = lanes.get(name) ?? new Lane(journal, name, settings, logger);
    lanes.set(name, lane);
    return lane;
  };
  const served: Served[] = [];
  const stopped = new Set<PartitionName>();
  const tell = (): void => context.setReady(journal.connected() && stopped.size === 0);
  const onLost = (name: PartitionName, error: Error): void => {
    stopped.add(name);
    tell();
    // A hole waits for a person; the other partitions go on.
    if (!(error instanceof JournalHoleError)) context.fail(error);
  };
  for (const name of names) {
    const serving = serve(context, journal, pool, laneOf, name, onLost);
    const one = await serving.catch((error: Error) => giveUp(context, name, error));
    if (one) served.push(one);
    else stopped.add(name);
  }
  // Everything is open that can be, so the gateway may start and accept; then the truth.
  context.setReady(true);
  tell();
  journal.onDisconnect(tell);
  journal.onReconnect(tell);
  logger.info({ partitions: names }, 'worker ready');
  return { stop: () => stopWorker(served, pool, lanes, journal) };
}

/** A partition that nothing on this machine can bring back is left alone. */
function giveUp({ logger }: ChildContext, name: PartitionName, error: Error): undefined {
  if (!(error instanceof PartitionLostError) || name === directoryName) throw error;
  partitionAlarms.set({ partition: name, cause: 'store' }, 1);
  logger.fatal({ partition: name, err: error }, 'partition is not served');
}

async function serve(
  context: ChildContext,
  journal: Journal,
  pool: RenderPool,
  laneOf: (name: PartitionName) => Lane,
  name: PartitionName,
  onLost: (name: PartitionName, error: Error) => void,
): Promise<Served> {
  const { settings, logger } = context;
  const { dataDir } = settings;
  let outbox: Outbox | undefined;
  const owner = await takeOver(() =>
    PartitionOwner.open({
      dataDir,
      name,
      journal,
      journalMaxBytes: settings.journalMaxBytes,
      logger,
      onCommitted: () => outbox?.kick(),
      onLost: (_, error) => onLost(name, error),
    }),
  );
  outbox = new Outbox({ dataDir, partition: owner.partition, pool, logger, laneOf });
  if (owner.caughtUp) outbox.kick();
  const keeper = new Keeper(owner, {
    lane: laneOf(name),
    tickMs: settings.tickSeconds * 1000,
    snapshotMs: settings.snapshotMinutes * 60_000,
  });
  const answers = answerQueries(journal, name, async (question: Question) => {
    if (question.task === 'snapshot') return keeper.snapshot();
    return pool.run({ dataDir, partition: name, work: question });
  });
  return { owner, outbox, keeper, stopAnswering: () => answers.unsubscribe() };
}

/** After a crash the former owner may live for a moment longer; a lock that stays is a set-up fault. */
async function takeOver(open: () => Promise<PartitionOwner>): Promise<PartitionOwner> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PartitionLockedError) || attempt >= 50) throw error;
      await pause(100);
    }
  }
}

/** Drains in order: what is under way, the lanes, the fold to its end, the store. */
async function stopWorker(
  served: readonly Served[],
  pool: RenderPool,
  lanes: ReadonlyMap<string, Lane>,
  journal: Journal,
): Promise<void> {
  for (const { stopAnswering, keeper, outbox } of served) {
    stopAnswering();
    await keeper.close();
    await outbox.close();
  }
  for (const lane of lanes.values()) await lane.close();
  const directoryLast = [...served].sort((a) => (a.owner.name === directoryName ? 1 : -1));
  for (const { owner } of directoryLast) {
    await owner.drain(5000);
    await owner.close();
  }
  await pool.close();
  await journal.close();
}
