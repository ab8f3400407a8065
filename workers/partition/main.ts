/**
 * The worker process: owns the partitions named on its command line, folds them, carries out their effects and answers
 * questions about them. The supervisor starts this process.
 */

import { setPriority } from 'node:os';
import { isOneOfSeveral } from '../../config/nodes.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { Egress } from '../../src/egress/egress.ts';
import { journalMeters, partitionAlarms } from '../../src/foundation/metrics.ts';
import { directoryName, type PartitionName } from '../../src/foundation/partition-names.ts';
import { answerStatus } from '../../src/journal/cluster.ts';
import { connectJournal } from '../../src/journal/connect.ts';
import { JournalHoleError } from '../../src/journal/follow.ts';
import { Lane } from '../../src/journal/lane.ts';
import { hostsWithApps } from '../../src/store/hosts-with-apps.ts';
import { Readers } from '../../src/store/readers.ts';
import { readDirectoryRepository } from '../../src/store/tables/directory.ts';
import { type ChildContext, type ChildProgram, runChild } from '../../src/supervisor/child-program.ts';
import { openSealer } from '../../src/supervisor/first-start.ts';
import { NewerFoldError } from '../fold/lead.ts';
import { BackfillPlaces } from '../host/backfills.ts';
import { Owners } from '../host/owners.ts';
import { Breakers } from '../publish/breakers.ts';
import type { Delivering } from '../publish/context.ts';
import { RenderPool } from '../render/pool.ts';
import { HandOver } from './hand-over.ts';
import { causeOf } from './owner.ts';
import { Peers } from './peers.ts';
import { Readiness } from './readiness.ts';
import { DivergedError } from './repair.ts';
import { PartitionLostError } from './restore.ts';
import { type ServedPartition, serve } from './serve.ts';
import type { Shared } from './shared.ts';
import { statusOf } from './status.ts';

// The gateway must not wait for the fold, because deliveries are acknowledged before they are folded. Therefore the
// worker has a lower priority. If the gateway and a worker need the same core, the gateway gets nine tenths of the
// core's time.
setPriority(10);
await runChild('worker', startWorker);

async function startWorker(context: ChildContext): Promise<ChildProgram> {
  const names = process.argv.slice(2);
  const tools = await prepare(context, names);
  const { served, shared } = tools;
  const readiness = new Readiness(context, shared.journal);
  const stopped = new Map<PartitionName, string>();
  const onLost = (name: PartitionName, error: Error): void => {
    readiness.lose(name);
    stopped.set(name, causeOf(error));
    // A restart repairs none of these. A person must act, and the other partitions continue.
    if (!needsPerson(error)) return context.fail(error);
    void shared.peers?.isOvertaken(name, error).then((isOvertaken) => isOvertaken && context.fail(error));
  };
  const open = async (name: PartitionName): Promise<void> => {
    const one = await serve(context, shared, name, onLost).catch((error: Error) => {
      stopped.set(name, causeOf(error));
      return giveUp(context, name, error);
    });
    if (one) served.push(one);
    else readiness.lose(name);
  };
  // A partition that waits for a snapshot must not hide the state of the others.
  if (isOneOfSeveral(context.settings))
    answerStatus(shared.journal, () => statusOf(context.settings.node, served, stopped));
  await Promise.all(names.map(open));
  readiness.open(shared.pool);
  context.logger.info({ partitions: names }, 'worker ready');
  const stop = async (): Promise<void> => {
    readiness.stop();
    await stopWorker(tools);
  };
  return { stop };
}

/** The partitions that a worker serves, and the resources that these partitions share. */
interface Tools {
  served: ServedPartition[];
  shared: Shared;
  lanes: ReadonlyMap<string, Lane>;
  readers: Readers;
  egress: Egress;
}

async function prepare(
  { settings, logger, setWaiting }: ChildContext,
  names: readonly PartitionName[],
): Promise<Tools> {
  const client = { role: 'worker', name: `tidings worker ${names.join(' ')}`, meters: journalMeters } as const;
  const journal = await connectJournal(settings, client, logger);
  const pool = new RenderPool(settings.renderThreads, settings.renderTimeoutMs);
  const lanes = new Map<PartitionName, Lane>();
  const laneOf = (name: PartitionName): Lane => {
    const lane = lanes.get(name) ?? new Lane(journal, name, settings, logger);
    lanes.set(name, lane);
    return lane;
  };
  const served: ServedPartition[] = [];
  const readers = new Readers(settings.dataDir);
  const directory = directoryFrom(served, readers);
  const listed: Shared['listed'] = (repoId) => {
    const found = directory();
    return found && readDirectoryRepository(found, repoId);
  };
  const egress = new Egress({ allow: settings.egressAllow, allowHttp: settings.egressAllowHttp });
  const owners = new Owners({ logger, directory, lane: () => laneOf(directoryName), partitions: settings.partitions });
  const sealer = openSealer(settings);
  const delivering: Delivering = {
    hosts: hostsWithApps({ settings, directory, sealer, logger }),
    logger,
    egress,
    sealer,
    breakers: new Breakers(),
    directory,
    owners,
    publicUrl: settings.publicUrl && publicUrlOf(settings),
  };
  // A partition that this worker owns must not be opened a second time while it is being opened.
  const read: Shared['read'] = (name) => {
    if (names.includes(name)) return served.find(({ owner }) => owner.name === name)?.owner.partition;
    void readers.follow(name);
    return readers.fresh(name);
  };
  const isNode = isOneOfSeveral(settings);
  const handOver = isNode ? new HandOver(journal, logger) : undefined;
  const onWaiting = (name: PartitionName, state: string | undefined): void => setWaiting(name, state);
  const peers = isNode ? new Peers(names, { journal, dataDir: settings.dataDir, logger, onWaiting }) : undefined;
  const places = new BackfillPlaces();
  const shared: Shared = { journal, pool, laneOf, places, listed, owners, delivering, read, handOver, peers };
  return { served, shared, lanes, readers, egress };
}

/**
 * Returns the directory partition. If this worker owns the directory partition, the result is the open store. If
 * another worker owns it, the result is a read-only view of that worker's store.
 */
function directoryFrom(served: readonly ServedPartition[], readers: Readers): Delivering['directory'] {
  return () => {
    const own = served.find(({ owner }) => owner.name === directoryName)?.owner.partition;
    if (!own) void readers.follow(directoryName);
    return own ?? readers.fresh(directoryName);
  };
}

/**
 * Handles a partition that could not be opened at start. If the partition cannot be restored on this machine, needs a
 * newer version of Tidings, or was wrong again after its repairs, an alarm is raised, and the worker runs without the
 * partition. Any other error ends the worker. The loss of the directory partition ends the worker too.
 */
function giveUp({ logger }: ChildContext, name: PartitionName, error: Error): undefined {
  const isLost = error instanceof PartitionLostError && name !== directoryName;
  const isStopped = error instanceof NewerFoldError || error instanceof DivergedError;
  if (!isLost && !isStopped) throw error;
  partitionAlarms.set({ partition: name, cause: causeOf(error) }, 1);
  logger.fatal({ partition: name, err: error }, 'partition is not served');
}

/** Whether a person must act before a partition can continue: only a restart after that helps. */
function needsPerson(error: Error): boolean {
  if (error instanceof DivergedError) return !error.isRepairable;
  return error instanceof JournalHoleError || causeOf(error) === 'version';
}

/**
 * Stops the worker in this order: running work, which other nodes continue if there are any, the lanes, the folds with their stores, and then the shared resources.
 * Each fold first continues to the end of its stream.
 */
async function stopWorker({ served, shared, lanes, readers, egress }: Tools): Promise<void> {
  shared.handOver?.stop();
  await Promise.all(served.map((one) => one.stop()));
  for (const lane of lanes.values()) await lane.close();
  const directoryLast = [...served].sort((a) => (a.owner.name === directoryName ? 1 : -1));
  for (const { owner } of directoryLast) {
    await owner.drain(5000);
    await owner.close();
  }
  await shared.peers?.close();
  await shared.pool.close();
  await readers.close();
  await shared.journal.close();
  await egress.close();
}
