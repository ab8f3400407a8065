/**
 * One owned partition of a worker and all that serves it: its owner, the outbox, the keeper, the work with hosts, what is
 * published, what endpoints are told, and the answers to questions about it.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { hostsOf } from '../../config/hosts.ts';
import type { Settings } from '../../config/schema.ts';
import { type AuditTask, audit } from '../../src/foundation/audit.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import type { Journal } from '../../src/journal/connect.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { answerQueries, queryMs } from '../../src/journal/query.ts';
import { directoryName, type PartitionName } from '../../src/journal/subjects.ts';
import type {
  ChangesTask,
  ConfirmOwnerTask,
  DueTask,
  PayloadTask,
  PreviewTask,
  ResolveRepositoryTask,
  TestChannelTask,
} from '../../src/protocol/tasks.ts';
import { PartitionLockedError } from '../../src/store/lock.ts';
import { type BackfillPlaces, Backfills } from '../host/backfills.ts';
import { Comparisons } from '../host/comparisons.ts';
import type { HostContext } from '../host/context.ts';
import { ownerRound } from '../host/owner-round.ts';
import type { Owners } from '../host/owners.ts';
import { resolveRepository } from '../host/repositories.ts';
import { Rounds } from '../host/rounds.ts';
import { tagRound } from '../host/tag-sync.ts';
import type { Delivering } from '../publish/context.ts';
import { confirmOwner } from '../publish/host.ts';
import { Publisher } from '../publish/publisher.ts';
import { testChannel } from '../publish/test-channel.ts';
import { organisationOfTask } from '../render/organization.ts';
import type { RenderPool } from '../render/pool.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { Keeper } from './housekeeping.ts';
import { Outbox } from './outbox.ts';
import { PartitionOwner } from './owner.ts';
import { Resealer } from './resealer.ts';

/** A question to an owner: one for the pool, one about a host, or a request of the command line. */
type Question =
  | PreviewTask
  | ChangesTask
  | DueTask
  | PayloadTask
  | ResolveRepositoryTask
  | TestChannelTask
  | ConfirmOwnerTask
  | AuditTask
  | { task: 'snapshot' }
  | { task: 'sweep' };

/** Whoever asks waits ten seconds. */
const answerMs = 8000;
/** How often a keeper looks after its partition. */
const lookMs = 5000;

/** What a worker has from its process. */
export interface Surroundings {
  settings: Settings;
  logger: Logger;
}

/** What the partitions of this worker share. */
export interface Shared {
  journal: Journal;
  pool: RenderPool;
  laneOf: (name: PartitionName) => Lane;
  places: BackfillPlaces;
  /** A repository as the directory lists it, whoever owns that. */
  listed: HostContext['listed'];
  owners: Owners;
  delivering: Delivering;
}

/** One owned partition and what serves it. */
export interface Served {
  owner: PartitionOwner;
  outbox: Outbox;
  keeper: Keeper;
  /** The work with hosts; the directory has none of its own. */
  hosts: { backfills: Backfills; comparisons: Comparisons; rounds: readonly Rounds[] } | undefined;
  /** The directory publishes nothing. */
  publisher: Publisher | undefined;
  /** The directory tells endpoints of events; the others have none. */
  webhooks: WebhookSender | undefined;
  /** The directory keeps what is sealed; the others have none. */
  resealer: Resealer | undefined;
  stopAnswering: () => void;
}

/**
 * Takes a partition over and serves it.
 * @param onLost called when it cannot go on
 * @throws PartitionLostError when nothing on this machine can bring it back
 */
export async function serve(
  context: Surroundings,
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
  let resealer: Served['resealer'];
  const kick = (): void => {
    outbox?.kick();
    hosts?.backfills.kick();
    publisher?.kick();
    webhooks?.kick();
    resealer?.kick();
  };
  const owner = await takeOver(() =>
    PartitionOwner.open({
      dataDir,
      name,
      journal,
      logger,
      onCommitted: kick,
      onLost: (_, error) => onLost(name, error),
    }),
  );
  outbox = new Outbox({ dataDir, owner, pool, logger, laneOf });
  if (name !== directoryName) {
    hosts = startHosts(context, shared, owner);
    publisher = createPublisher(context, shared, owner);
  } else {
    const { egress, sealer } = shared.delivering;
    webhooks = new WebhookSender({ owner, lane: laneOf(name), egress, sealer, logger });
    resealer = new Resealer({ partition: () => owner.partition, lane: laneOf(name), sealer, logger });
  }
  if (owner.caughtUp) kick();
  const keeper = new Keeper(owner, {
    lane: laneOf(name),
    tickMs: settings.tickSeconds * 1000,
    snapshotMs: settings.snapshotMinutes * 60_000,
    sweepMs: settings.sweepMinutes * 60_000,
    lookMs,
    partitions: settings.partitions,
  });
  const answers = answerQueries(journal, name, async (question: Question) => {
    const asked = performance.now();
    if (question.task === 'snapshot') return keeper.snapshot();
    if (question.task === 'audit') return audit(logger, question.line);
    if (question.task === 'sweep') return inTime(keeper.sweep());
    if (question.task === 'resolveRepository')
      return resolveRepository({ hosts: hostsOf(settings), logger, owners: shared.owners }, owner.partition, question);
    if (question.task === 'testChannel') return testChannel(shared.delivering, question, answerMs);
    if (question.task === 'confirmOwner') return confirmOwner(shared.delivering, question.repoId, answerMs);
    if (question.task === 'preview') await hosts?.comparisons.learn(question);
    const organisation = organisationOfTask(owner.partition, question);
    const patienceMs = asked + queryMs - performance.now();
    return pool.run({ dataDir, partition: name, work: question }, { organisation, patienceMs });
  });
  return { owner, outbox, keeper, hosts, publisher, webhooks, resealer, stopAnswering: () => answers.unsubscribe() };
}

function startHosts({ settings, logger }: Surroundings, shared: Shared, owner: PartitionOwner): Served['hosts'] {
  const context: HostContext = {
    hosts: hostsOf(settings),
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

/** Closes what serves a partition, but for its owner: what is under way ends first. */
export async function stopServing(one: Served): Promise<void> {
  const { stopAnswering, keeper, outbox, hosts, publisher, webhooks, resealer } = one;
  stopAnswering();
  await keeper.close();
  await Promise.all([
    publisher?.close(),
    webhooks?.close(),
    resealer?.close(),
    outbox.close(),
    hosts?.backfills.close(),
    hosts?.comparisons.close(),
    ...(hosts?.rounds.map((rounds) => rounds.close()) ?? []),
  ]);
}

function createPublisher({ settings }: Surroundings, shared: Shared, owner: PartitionOwner): Publisher {
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
