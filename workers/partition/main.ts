/**
 * A worker process: owns the partitions named on its command line, folds them, carries out their effects, answers questions
 * about them. Started by the supervisor.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ChildContext, type ChildProgram, runChild } from '../../src/child.ts';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import { JournalHoleError } from '../../src/journal/follow.ts';
import { Lane } from '../../src/journal/lane.ts';
import { answerQueries } from '../../src/journal/query.ts';
import { directoryName, type PartitionName } from '../../src/journal/subjects.ts';
import type { PreviewTask } from '../../src/protocol/tasks.ts';
import { PartitionLockedError } from '../../src/store/lock.ts';
import { RenderPool } from '../render/pool.ts';
import { Keeper } from './keeper.ts';
import { Outbox } from './outbox.ts';
import { PartitionOwner } from './owner.ts';

/** A question to an owner: a preview for the pool, or an operator's wish for a snapshot. */
type Question = PreviewTask | { task: 'snapshot' };

/** One owned partition and what serves it. */
interface Served {
  owner: PartitionOwner;
  outbox: Outbox;
  keeper: Keeper;
  stopAnswering: () => void;
}

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
    if (!(error instanceof JournalHoleError)) context.fail(error);
  };
  for (const name of names) served.push(await serve(context, journal, pool, laneOf, name, onLost));
  tell();
  journal.onDisconnect(tell);
  journal.onReconnect(tell);
  logger.info({ partitions: names }, 'worker ready');
  return { stop: () => stopWorker(served, pool, lanes, journal) };
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
