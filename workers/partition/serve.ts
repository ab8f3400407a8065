/**
 * Serves one owned partition: starts its owner, outbox, keeper, host readers, publisher, checker of pull requests and
 * webhook sender, and answers questions about the partition.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config/schema.ts';
import { type AuditTask, audit } from '../../src/foundation/audit.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { directoryName, type PartitionName } from '../../src/foundation/partition-names.ts';
import type { Journal } from '../../src/journal/connect.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { answerLeadQueries, answerQueries, queryMs } from '../../src/journal/query.ts';
import type { ConvertManifestTask } from '../../src/protocol/host-apps.ts';
import type { CheckHostTask, HostChecksTask } from '../../src/protocol/host-checks.ts';
import type {
  ChangesTask,
  ConfirmOwnerTask,
  DueTask,
  EntriesTask,
  PayloadTask,
  PoolTask,
  PreviewTask,
  PullNoteTask,
  RangePreviewTask,
  ResolveRepositoryTask,
  SettingsPreviewTask,
  SharedWrites,
  TestChannelTask,
  UnreleasedCountsTask,
  UnreleasedCountTask,
} from '../../src/protocol/tasks.ts';
import { PartitionLockedError } from '../../src/store/lock.ts';
import type { Partition } from '../../src/store/partition.ts';
import { WriteLog } from '../../src/store/write-log.ts';
import { NoteChecker } from '../checks/checker.ts';
import { convertApp } from '../host/app-manifest.ts';
import { type BackfillPlaces, Backfills } from '../host/backfills.ts';
import { Comparisons } from '../host/comparisons.ts';
import type { HostContext } from '../host/context.ts';
import { HostChecks } from '../host/host-checks.ts';
import { ownerRound } from '../host/owner-round.ts';
import type { Owners } from '../host/owners.ts';
import { resolveRepository } from '../host/repositories.ts';
import { Rounds } from '../host/rounds.ts';
import { tagRound } from '../host/tag-sync.ts';
import type { Delivering, PublishContext } from '../publish/context.ts';
import { confirmOwner } from '../publish/host.ts';
import { Publisher } from '../publish/publisher.ts';
import { testChannel } from '../publish/test-channel.ts';
import { organizationOf, organizationOfTask } from '../render/organization.ts';
import type { RenderPool } from '../render/pool.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { Automator } from './automation.ts';
import { startCatchUp } from './catch-up.ts';
import { Keeper } from './housekeeping.ts';
import { Outbox } from './outbox.ts';
import { PartitionOwner, type RememberedAnswers } from './owner.ts';
import { RememberedPreviews } from './remembered-previews.ts';
import { Resealer } from './resealer.ts';
import { UnreleasedCounter } from './unreleased-counts.ts';

/** A question that every owner answers: a task for the render pool, a question to a host, or a request of the command line. */
type Question =
  | PreviewTask
  | ChangesTask
  | RangePreviewTask
  | UnreleasedCountsTask
  | EntriesTask
  | SettingsPreviewTask
  | PullNoteTask
  | DueTask
  | PayloadTask
  | ResolveRepositoryTask
  | ConfirmOwnerTask
  | CheckHostTask
  | HostChecksTask
  | ConvertManifestTask
  | AuditTask
  | { task: 'snapshot' };

/** A question that only the lead of the partition answers, because its answer has an effect outside the node. */
type LeadQuestion = TestChannelTask | { task: 'sweep' };

/** Maximum time to answer a question, in milliseconds. The client waits ten seconds. */
const answerMs = 8000;
/**
 * Maximum time to count the unreleased changes of a repository in a render thread, in milliseconds. It does not depend on
 * the wait for a thread, so a repository that takes longer is known to be too costly.
 */
const countMs = 4000;
/** Interval between two checks of a keeper, in milliseconds. */
const pollMs = 5000;

/** The parts of the worker process that a partition needs: its settings and its logger. */
export interface WorkerContext {
  settings: Settings;
  logger: Logger;
}

/** Resources that the partitions of this worker share. */
export interface Shared {
  journal: Journal;
  pool: RenderPool;
  laneOf: (name: PartitionName) => Lane;
  places: BackfillPlaces;
  /** Reads a repository from the directory partition, even if another worker owns the directory partition. */
  listed: HostContext['listed'];
  owners: Owners;
  delivering: Delivering;
  /** Opens the current state of any partition for reading; undefined while it cannot be read. */
  read: (name: PartitionName) => Partition | undefined;
}

/** One owned partition and the components that serve it. */
export interface ServedPartition {
  owner: PartitionOwner;
  outbox: Outbox;
  keeper: Keeper;
  /** Components that work with hosts; undefined for the directory partition. */
  hosts: { backfills: Backfills; comparisons: Comparisons; rounds: readonly Rounds[] } | undefined;
  /** Publishes drafts; undefined for the directory partition, which contains no drafts. */
  publisher: Publisher | undefined;
  /** Checks pull requests; undefined for the directory partition. */
  checker: NoteChecker | undefined;
  /** Sends events to webhook endpoints; defined for the directory partition only. */
  webhooks: WebhookSender | undefined;
  /** Seals stored secrets again under the current key; defined for the directory partition only. */
  resealer: Resealer | undefined;
  stopAnswering: () => void;
}

/**
 * Takes the ownership of a partition and serves it.
 * @param onLost called when the partition cannot continue
 * @throws PartitionLostError when nothing on this machine can restore the partition
 */
export async function serve(
  context: WorkerContext,
  shared: Shared,
  name: PartitionName,
  onLost: (name: PartitionName, error: Error) => void,
): Promise<ServedPartition> {
  const { settings, logger } = context;
  const { journal, pool, laneOf } = shared;
  const { dataDir } = settings;
  let outbox: Outbox | undefined;
  let hosts: ServedPartition['hosts'];
  let publisher: ServedPartition['publisher'];
  let checker: ServedPartition['checker'];
  let webhooks: ServedPartition['webhooks'];
  let resealer: ServedPartition['resealer'];
  const kick = (): void => {
    outbox?.kick();
    hosts?.backfills.kick();
    publisher?.kick();
    checker?.kick();
    webhooks?.kick();
    resealer?.kick();
  };
  const writes = new WriteLog();
  const counter = new UnreleasedCounter({
    isReady: () => owner.caughtUp,
    organizationOf: (repoId) => organizationOf(owner.partition, repoId),
    count: (repoId) => runAgain({ task: 'unreleasedCount', repoId }, answerMs, countMs),
  });
  const previews = new RememberedPreviews({
    isReady: () => owner.caughtUp,
    preview: (task) => runAgain(task, queryMs),
  });
  const owner = await takeOver(() =>
    PartitionOwner.open({
      dataDir,
      name,
      journal,
      logger,
      catchUp: (backlog, onFolded) => startCatchUp({ ...backlog, settings }, logger, onFolded),
      answers: together(counter, previews),
      writes,
      onCommitted: kick,
      onLost: (_, error) => onLost(name, error),
    }),
  );
  if (name !== directoryName) {
    hosts = startHosts(context, shared, owner);
    const publishing = publishContext(context, shared, owner);
    publisher = new Publisher(publishing);
    checker = new NoteChecker(publishing);
  } else {
    const { egress, sealer } = shared.delivering;
    webhooks = new WebhookSender({ owner, lane: laneOf(name), egress, sealer, logger });
    resealer = new Resealer({ partition: () => owner.partition, lane: laneOf(name), sealer, logger });
  }
  /** Runs a task in the render pool, in the name of the organization that the task is for. */
  function run<Work extends PoolTask['work']>(
    work: Work,
    maxWaitMs: number,
    { limitMs, writes }: { limitMs?: number; writes?: SharedWrites } = {},
  ) {
    const organization = organizationOfTask(owner.partition, work);
    const task = { dataDir, partition: name, work, ...(writes && { writes }) };
    return pool.run(task, { organization, maxWaitMs, ...(limitMs && { limitMs }) });
  }
  /** Runs a task that uses what an earlier one computed. A backlog that is folded in a thread is not recorded. */
  function runAgain<Work extends RangePreviewTask | UnreleasedCountTask | PayloadTask>(
    work: Work,
    maxWaitMs: number,
    limitMs?: number,
  ) {
    const watched = owner.caughtUp && { writes: writes.watch(work.repoId) };
    return run(work, maxWaitMs, { ...(limitMs && { limitMs }), ...watched });
  }
  const automator = hosts && createAutomator(context, shared, owner, hosts.comparisons);
  outbox = new Outbox({ dataDir, owner, pool, logger, laneOf, automator, writes });
  if (owner.caughtUp) kick();
  const keeper = new Keeper(owner, {
    lane: laneOf(name),
    tickMs: settings.tickSeconds * 1000,
    snapshotMs: settings.snapshotMinutes * 60_000,
    sweepMs: settings.sweepMinutes * 60_000,
    pollMs,
    partitions: settings.partitions,
  });
  const hostChecks = new HostChecks({ hosts: shared.delivering.hosts });
  const answers = answerQueries(journal, name, async (question: Question) => {
    const asked = performance.now();
    if (question.task === 'snapshot') return keeper.snapshot();
    if (question.task === 'audit') return audit(logger, question.line);
    if (question.task === 'resolveRepository') return resolveRepository(shared.delivering, owner.partition, question);
    if (question.task === 'checkHost') return hostChecks.check(question.origin);
    if (question.task === 'convertManifest') return convertApp(shared.delivering, question, answerMs);
    if (question.task === 'hostChecks') return hostChecks.list();
    if (question.task === 'confirmOwner') return confirmOwner(shared.delivering, question.repoId, answerMs);
    if (question.task === 'preview') await hosts?.comparisons.learn(question);
    if (question.task === 'rangePreview') return previews.of(question);
    if (question.task === 'unreleasedCounts') return counter.of(question.repoIds, question.waitMs);
    const left = asked + queryMs - performance.now();
    return question.task === 'payload' && question.provisional ? runAgain(question, left) : run(question, left);
  });
  const leadAnswers = answerLeadQueries(journal, name, async (question: LeadQuestion) => {
    if (question.task === 'sweep') return inTime(keeper.sweep());
    return testChannel(shared.delivering, question, answerMs);
  });
  const stopAnswering = (): void => {
    answers.unsubscribe();
    leadAnswers.unsubscribe();
  };
  return { owner, outbox, keeper, hosts, publisher, checker, webhooks, resealer, stopAnswering };
}

function startHosts(
  { settings, logger }: WorkerContext,
  shared: Shared,
  owner: PartitionOwner,
): ServedPartition['hosts'] {
  const context: HostContext = {
    hosts: shared.delivering.hosts,
    logger,
    lane: shared.laneOf(owner.name),
    partition: () => owner.partition,
    folded: () => owner.seq,
    caughtUp: () => owner.caughtUp,
    listed: shared.listed,
    owners: shared.owners,
  };
  const everyMs = settings.tagSyncHours * 3_600_000;
  return {
    backfills: new Backfills(context, shared.places),
    comparisons: new Comparisons(context),
    rounds: [ownerRound(context), ...(everyMs > 0 ? [tagRound(context, everyMs)] : [])].map(
      (round) => new Rounds(context, round),
    ),
  };
}

/** Waits for the running work of a partition and closes everything that serves the partition, except its owner. */
export async function stopServing(one: ServedPartition): Promise<void> {
  const { stopAnswering, keeper, outbox, hosts, publisher, checker, webhooks, resealer } = one;
  stopAnswering();
  await keeper.close();
  await Promise.all([
    publisher?.close(),
    checker?.close(),
    webhooks?.close(),
    resealer?.close(),
    outbox.close(),
    hosts?.backfills.close(),
    hosts?.comparisons.close(),
    ...(hosts?.rounds.map((rounds) => rounds.close()) ?? []),
  ]);
}

/** Returns the context of the parts that write to hosts and channels. */
function publishContext({ settings }: WorkerContext, shared: Shared, owner: PartitionOwner): PublishContext {
  return {
    ...shared.delivering,
    dataDir: settings.dataDir,
    pool: shared.pool,
    lane: shared.laneOf(owner.name),
    partition: () => owner.partition,
    folded: () => owner.seq,
    caughtUp: () => owner.caughtUp,
  };
}

function createAutomator(
  { settings, logger }: WorkerContext,
  { pool, laneOf, delivering, read }: Shared,
  owner: PartitionOwner,
  comparisons: Comparisons,
): Automator {
  return new Automator({
    settings,
    logger,
    pool,
    lane: laneOf(owner.name),
    delivering,
    partition: () => owner.partition,
    folded: () => owner.seq,
    read,
    learn: (range) => comparisons.learn(range),
  });
}

/** Joins memories of answers, so that one commit reaches all of them. */
function together(...memories: readonly RememberedAnswers[]): RememberedAnswers {
  return {
    get isEmpty() {
      return memories.every(({ isEmpty }) => isEmpty);
    },
    forget: (touched) => {
      for (const memory of memories) memory.forget(touched);
    },
  };
}

/**
 * Waits for a sweep, but no longer than the time limit of a question (`answerMs`). A sweep that takes longer continues,
 * and its outcome can be read in the partition.
 */
async function inTime(sweep: Promise<void>): Promise<{ done: boolean }> {
  const done = await Promise.race([sweep.then(() => true), pause(answerMs, false, { ref: false })]);
  return { done };
}

/**
 * Opens the partition. If the partition is locked, the function tries again for five seconds, because a former owner
 * that crashed can take a moment to end. If the lock lasts longer, the set-up is wrong.
 */
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
