/**
 * A worker process: owns the partitions named on its command line, folds them, carries out their effects, answers questions
 * about them. Started by the supervisor.
 */
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { hostsOf } from '../../config/hosts.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { type ChildContext, type ChildProgram, runChild } from '../../src/child.ts';
import { Egress } from '../../src/egress/egress.ts';
import { openSealer } from '../../src/first-start.ts';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import { JournalHoleError } from '../../src/journal/follow.ts';
import { Lane } from '../../src/journal/lane.ts';
import { answerQueries } from '../../src/journal/query.ts';
import { directoryName, type PartitionName } from '../../src/journal/subjects.ts';
import { partitionAlarms } from '../../src/metrics.ts';

import type {
  ChangesTask,
  DueTask,
  PayloadTask,
  PreviewTask,
  ResolveRepositoryTask,
  TestChannelTask,
} from '../../src/protocol/tasks.ts';
import { readDirectoryRepository } from '../../src/store/directory.ts';

import { PartitionLockedError } from '../../src/store/lock.ts';
import { Readers } from '../../src/store/readers.ts';
import { BackfillPlaces, Backfills } from '../host/backfills.ts';
import { Comparisons } from '../host/comparisons.ts';
import type { HostContext } from '../host/context.ts';
import { resolveRepository } from '../host/repositories.ts';
import { TagSync } from '../host/tag-sync.ts';
import { Breakers } from '../publish/breakers.ts';
import type { Delivering } from '../publish/context.ts';
import { Publisher } from '../publish/publisher.ts';
import { testChannel } from '../publish/test-channel.ts';
import { RenderPool } from '../render/pool.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { Keeper } from './keeper.ts';
import { Outbox } from './outbox.ts';
import { PartitionOwner } from './owner.ts';
import { PartitionLostError } from './restore.ts';

/** A question to an owner: one for the pool, one about a host, or an operator's wish for a snapshot or a sweep. */
type Question =
  | PreviewTask
  | ChangesTask
  | DueTask
  | PayloadTask
  | ResolveRepositoryTask
  | TestChannelTask
  | { task: 'snapshot' }
  | { task: 'sweep' };

/** Whoever asks waits ten seconds. */
const answerMs = 8000;

/** What the partitions of this worker share. */
interface Shared {
  journal: Journal;
  pool: RenderPool;
  laneOf: (name: PartitionName) => Lane;
  places: BackfillPlaces;
  /** A repository as the directory lists it, whoever owns that. */
  listed: HostContext['listed'];
  delivering: Delivering;
}

/** One owned partition and what serves it. */
interface Served {
  owner: PartitionOwner;
  outbox: Outbox;
  keeper: Keeper;
  /** The work with hosts; the directory has none of its own. */
  hosts: { backfills: Backfills; comparisons: Comparisons; tagSync: TagSync | undefined } | undefined;
  /** The directory publishes nothing. */
  publisher: Publisher | undefined;
  /** The directory tells endpoints of events; the others have none. */
  webhooks: WebhookSender | undefined;
  stopAnswering: () => void;
}

// An acknowledgement comes before the fold: where both want the same core, the gateway gets nine tenths of it.
setPriority(10);
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
  const readers = new Readers(settings.dataDir);
  const directory: Delivering['directory'] = () => {
    const own = served.find(({ owner }) => owner.name === directoryName)?.owner.partition;
    if (!own) void readers.follow(directoryName);
    return own ?? readers.fresh(directoryName);
  };
  const listed: Shared['listed'] = (repoId) => {
    const found = directory();
    return found && readDirectoryRepository(found, repoId);
  };
  const egress = new Egress({ allow: settings.egressAllow, allowHttp: settings.egressAllowHttp });
  const delivering: Delivering = {
    hosts: hostsOf(settings),
    logger,
    egress,
    sealer: openSealer(settings),
    breakers: new Breakers(),
    directory,
    publicUrl: publicUrlOf(settings),
  };
  const shared: Shared = { journal, pool, laneOf, places: new BackfillPlaces(), listed, delivering };
  const stopped = new Set<PartitionName>();
  const tell = (): void => context.setReady(journal.connected() && stopped.size === 0);
  const onLost = (name: PartitionName, error: Error): void => {
    stopped.add(name);
    tell();
    // A hole waits for a person; the other partitions go on.
    if (!(error instanceof JournalHoleError)) context.fail(error);
  };
  for (const name of names) {
    const serving = serve(context, shared, name, onLost);
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
  const stop = async (): Promise<void> => {
    await stopWorker(served, pool, lanes, readers, journal);
    await egress.close();
  };
  return { stop };
}

/** A partition that nothing on this machine can bring back is left alone. */
function giveUp({ logger }: ChildContext, name: PartitionName, error: Error): undefined {
  if (!(error instanceof PartitionLostError) || name === directoryName) throw error;
  partitionAlarms.set({ partition: name, cause: 'store' }, 1);
  logger.fatal({ partition: name, err: error }, 'partition is not served');
}

async function serve(
  context: ChildContext,
  shared: Shared,
  name: PartitionName,
  onLost: (name: PartitionName, error: Error) => void,
): Promise<Served> {
  const { settings, logger } = context;
  const { journal, pool, laneOf } = shared;
  const { dataDir } = settings;
  let outbox: Outbox | undefined;
  let hosts: Served['hosts'];
  let publisher: Served['publisher'];
  let webhooks: Served['webhooks'];
  const kick = (): void => {
    outbox?.kick();
    hosts?.backfills.kick();
    publisher?.kick();
    webhooks?.kick();
  };
  const owner = await takeOver(() =>
    PartitionOwner.open({
      dataDir,
      name,
      journal,
      journalMaxBytes: settings.journalMaxBytes,
      logger,
      onCommitted: kick,
      onLost: (_, error) => onLost(name, error),
    }),
  );
  outbox = new Outbox({ dataDir, owner, pool, logger, laneOf });
  if (name !== directoryName) {
    hosts = startHosts(context, shared, owner);
    publisher = createPublisher(context, shared, owner);
  } else webhooks = new WebhookSender({ owner, lane: laneOf(name), ...shared.delivering });
  if (owner.caughtUp) kick();
  const keeper = new Keeper(owner, {
    lane: laneOf(name),
    tickMs: settings.tickSeconds * 1000,
    snapshotMs: settings.snapshotMinutes * 60_000,
    sweepMs: settings.sweepMinutes * 60_000,
    partitions: settings.partitions,
  });
  const answers = answerQueries(journal, name, async (question: Question) => {
    if (question.task === 'snapshot') return keeper.snapshot();
    if (question.task === 'sweep') return inTime(keeper.sweep());
    if (question.task === 'resolveRepository')
      return resolveRepository({ hosts: hostsOf(settings), logger }, owner.partition, question);
    if (question.task === 'testChannel') return testChannel(shared.delivering, question, answerMs);
    if (question.task === 'preview') await hosts?.comparisons.learn(question);
    return pool.run({ dataDir, partition: name, work: question });
  });
  return { owner, outbox, keeper, hosts, publisher, webhooks, stopAnswering: () => answers.unsubscribe() };
}

function startHosts({ settings, logger }: ChildContext, shared: Shared, owner: PartitionOwner): Served['hosts'] {
  const context: HostContext = {
    hosts: hostsOf(settings),
    logger,
    lane: shared.laneOf(owner.name),
    partition: () => owner.partition,
    folded: () => owner.seq,
    caughtUp: () => owner.caughtUp,
    listed: shared.listed,
  };
  const everyMs = settings.tagSyncHours * 3_600_000;
  return {
    backfills: new Backfills(context, shared.places),
    comparisons: new Comparisons(context),
    tagSync: everyMs > 0 ? new TagSync(context, everyMs) : undefined,
  };
}

function createPublisher({ settings }: ChildContext, shared: Shared, owner: PartitionOwner): Publisher {
  return new Publisher({
    ...shared.delivering,
    dataDir: settings.dataDir,
    pool: shared.pool,
    lane: shared.laneOf(owner.name),
    partition: () => owner.partition,
    folded: () => owner.seq,
    caughtUp: () => owner.caughtUp,
  });
}

/** A large sweep takes longer than a question may; it goes on, and what became of it can be read in the partition. */
async function inTime(sweep: Promise<void>): Promise<{ done: boolean }> {
  const done = await Promise.race([sweep.then(() => true), pause(answerMs, false, { ref: false })]);
  return { done };
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
  readers: Readers,
  journal: Journal,
): Promise<void> {
  for (const { stopAnswering, keeper, outbox, hosts, publisher, webhooks } of served) {
    stopAnswering();
    await keeper.close();
    await Promise.all([
      publisher?.close(),
      webhooks?.close(),
      outbox.close(),
      hosts?.backfills.close(),
      hosts?.comparisons.close(),
      hosts?.tagSync?.close(),
    ]);
  }
  for (const lane of lanes.values()) await lane.close();
  const directoryLast = [...served].sort((a) => (a.owner.name === directoryName ? 1 : -1));
  for (const { owner } of directoryLast) {
    await owner.drain(5000);
    await owner.close();
  }
  await pool.close();
  await readers.close();
  await journal.close();
}
