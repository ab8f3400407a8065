/**
 * Runs the service: starts nats-server, the workers and the gateways in order, and serves the operations port. The
 * supervisor restarts a process that ends. It stops the processes in this order: gateways, workers, nats-server. If
 * TIDINGS_NATS_URL is set, the supervisor starts no nats-server.
 */

import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import { settingsToEnv } from '../../config/load.ts';
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Settings } from '../../config/schema.ts';
import { instanceFault, requireClusterId } from '../cluster/identity.ts';
import { onInterval } from '../foundation/intervals.ts';
import type { Logger } from '../foundation/logger.ts';
import {
  buildInfo,
  collectRuntimeMetrics,
  diskFreeBytes,
  durabilityLevel,
  journalMeters,
  registry,
  serviceReady,
} from '../foundation/metrics.ts';
import { type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import { keepFilesPrivate, modeText, type OpenPath } from '../foundation/private-files.ts';
import { version } from '../foundation/version.ts';
import { serverTime } from '../journal/clock.ts';
import { connectJournal, type Journal } from '../journal/connect.ts';
import { freshnessOf } from '../journal/freshness.ts';
import { claimInstance } from '../journal/instance.ts';
import { findDurability } from '../journal/monitor.ts';
import { probeEnd } from '../journal/probe.ts';
import type { JournalRole } from '../journal/roles.ts';
import { FoldedSignals } from '../journal/signal.ts';
import { SilenceProbe } from '../journal/silence-probe.ts';
import {
  type DurabilityLevel,
  ensureStream,
  requireClusterServer,
  requirePartitions,
  type StreamState,
} from '../journal/topology.ts';
import { partitionFolder } from '../store/generation.ts';
import { type PartitionLock, PartitionLockedError, takeLock } from '../store/lock.ts';
import { Readers } from '../store/readers.ts';
import { readCursor } from '../store/tables/meta.ts';
import { Child } from './child-process.ts';
import { ClockWatch } from './clock-watch.ts';
import { serveCluster } from './cluster-service.ts';
import { DataDirError } from './data-dir.ts';
import { type FirstStart, identityInUse, openDataDir, prepareDataDir, prepareJournalKeys } from './first-start.ts';
import { requireReviewedServer } from './http-server-files.ts';
import { localJournal } from './nats-server.ts';
import { type SupervisedNats, superviseNats } from './nats-supervision.ts';
import { type OpsServer, startOps } from './operations-port.ts';
import { chooseFreePort, requireFreePorts } from './ports.ts';

/** A service that is starting or running. */
export interface Service {
  /** Resolves when all processes are ready to serve; rejects if the start fails. */
  readonly ready: Promise<ServiceFacts>;
  /** Returns the process ids by name, for tests that kill a process. */
  pids(): Record<string, number>;
  /**
   * Stops everything that has been started: first the gateways, then the workers, then the rest. This method can be
   * called at any time, even during the start.
   */
  stop(): Promise<void>;
}

/** Addresses and durability of a service that is ready. */
export interface ServiceFacts {
  /** Base address of the API and the webhook receiver, such as `http://127.0.0.1:8080`. */
  url: string;
  opsUrl: string;
  durability: DurabilityLevel;
  first: FirstStart;
}

const childStopMs = 20_000;
const streamsRetryMs = 500;
/** Interval between two checks whether a partition of a node of a cluster is silent, in milliseconds. */
const silenceCheckMs = 1000;

/**
 * Starts all processes of the service, without waiting until they are ready.
 * @returns the service that is starting; its `ready` rejects with SettingsError, DataDirError, PortError,
 *   HttpServerError, NatsServerError or JournalSetupError for faults that an operator can fix.
 */
export function startService(settings: Settings, logger: Logger): Service {
  const started: Started = {
    stopped: new AbortController(),
    children: [],
    lock: undefined,
    journal: undefined,
    clock: undefined,
    watches: [],
    nats: undefined,
    ops: undefined,
  };
  const ready = start(settings, logger, started);
  return {
    ready,
    pids: () => pids(started),
    stop: async () => {
      started.stopped.abort(new StoppedError());
      // A start that is still in progress ends at its next step. The stop waits until the start has ended. Without this
      // wait, the start could create a process that nothing stops.
      await ready.catch(() => {});
      // The gateways stop before the workers, so that the workers can still fold all records that the gateways have
      // accepted.
      for (const role of ['gateway', 'worker'] as const) {
        const children = started.children.filter((child) => child.options.role === role);
        await Promise.all(children.map((child) => child.stop(childStopMs)));
      }
      for (const end of started.watches) end();
      await started.journal?.close();
      await started.nats?.stop();
      started.ops?.close();
      await started.lock?.release();
    },
  };
}

/** Everything that the start has created so far, and that a stop must end. */
interface Started {
  children: Child[];
  /** Aborted when a stop is requested. */
  stopped: AbortController;
  lock: PartitionLock | undefined;
  journal: Journal | undefined;
  /** Watches the clock of a node of a cluster. */
  clock: ClockWatch | undefined;
  /** End what a node of a cluster watches. */
  watches: (() => void)[];
  nats: SupervisedNats | undefined;
  ops: OpsServer | undefined;
}

async function start(settings: Settings, logger: Logger, started: Started): Promise<ServiceFacts> {
  keepFilesPrivate();
  requireReviewedServer(logger);
  collectRuntimeMetrics();
  buildInfo.set({ version, node: process.versions.node }, 1);
  logClosed(openDataDir(settings.dataDir), settings, logger);
  const { signal } = started.stopped;
  started.lock = await lockDataDir(settings.dataDir);
  await requireFreePorts(settings);
  signal.throwIfAborted();
  requireClusterId(settings);
  const prepared = prepareDataDir(settings);
  const supervised = settings.natsUrl === '';
  const keys = supervised ? prepareJournalKeys(settings.dataDir) : [];
  const first: FirstStart = { ...prepared, made: [...prepared.made, ...keys] };
  if (supervised) started.nats = await superviseNats(settings, logger);
  signal.throwIfAborted();
  const settingsOf = (role: JournalRole): Settings => ({
    ...settings,
    ...(supervised && localJournal(settings.dataDir, settings.natsPort, role)),
    webhookSecrets: [...first.webhookSecrets],
  });
  const ready = new Readiness();
  const gateways = await makeGateways(settingsOf('gateway'), logger, ready);
  const workers = makeWorkers(settingsOf('worker'), logger, ready);
  const children = [...workers, ...gateways];
  // The children load their programs while the journal is prepared, and the gateways also while the workers begin.
  started.children.push(...children);
  for (const child of children) child.start();
  const freshness = isOneOfSeveral(settings) ? freshnessOf(settings) : undefined;
  const waitingFor = () => [
    ...children.filter((child) => !child.ready).flatMap((child) => [child.options.name, ...child.waiting.values()]),
    ...(freshness?.stale() ?? []),
    ...(started.clock?.fault === undefined ? [] : [started.clock.fault]),
  ];
  started.ops = await startOps(settings.opsHost, settings.opsPort, {
    metrics: () => {
      measure(settings.dataDir, waitingFor().length === 0);
      return gather(children);
    },
    waitingFor,
    ...(freshness && { positions: () => freshness.positions() }),
  });
  const client = { role: 'supervisor', name: 'tidings supervisor', meters: journalMeters } as const;
  started.journal = await unlessStopped(signal, connectJournal(settingsOf('supervisor'), client, logger), (journal) =>
    journal.close(),
  );
  const { journal } = started;
  const inUse = { ...settings, webhookSecrets: [...first.webhookSecrets] };
  const durability = await unlessStopped(signal, prepareJournal(journal, inUse, logger));
  if (freshness) {
    // The subscription ends with the connection.
    new FoldedSignals(journal, (folded) => freshness.note(folded));
    const silence = new SilenceProbe(freshness, (name) => probeEnd(journal, name));
    started.watches.push(onInterval(silenceCheckMs, () => silence.check()));
    const clock = new ClockWatch(() => serverTime(journal), logger);
    started.clock = clock;
    started.watches.push(() => clock.stop());
    await unlessStopped(signal, clock.start());
    serveCluster(journal, inUse, waitingFor, clock, logger);
  }
  const allowLead = () => {
    for (const worker of workers) worker.allowLead();
  };
  if (!isOneOfSeveral(settings)) allowLead();
  await begin(workers, durability, signal, ready);
  // The first gateway compares this node with the others of its cluster, and stores the admin key.
  await begin(gateways.slice(0, 1), durability, signal, ready);
  allowLead();
  await begin(gateways.slice(1), durability, signal, ready);
  const { host, port } = (gateways[0] as Child).address as { host: string; port: number };
  return { url: `http://${host}:${port}`, opsUrl: `http://${settings.opsHost}:${started.ops.port}`, durability, first };
}

/**
 * Logs the paths that were closed to other users. The log line is a warning only if other users had access to the data
 * directory itself. Without this access, other users cannot reach any entry, whatever the mode of the entry is.
 */
function logClosed(closed: readonly OpenPath[], { dataDir }: Settings, logger: Logger): void {
  const wasOpen = closed.some(({ path }) => path === dataDir);
  for (const { path, mode, expected } of closed) {
    const was = { path, mode: modeText(mode), closedTo: modeText(expected) };
    if (!wasOpen)
      logger.info(
        was,
        'path is now closed to other users; they had no access before, because the data directory was closed to them',
      );
    else
      logger.warn(
        was,
        'path is now closed to other users; they had access before. If one of them may have read it, rotate the keys',
      );
  }
}

/** Lets children begin, and waits until each of them has been ready. */
async function begin(
  children: readonly Child[],
  durability: DurabilityLevel,
  signal: AbortSignal,
  ready: Readiness,
): Promise<void> {
  signal.throwIfAborted();
  for (const child of children) child.begin(durability);
  await unlessStopped(
    signal,
    ready.when(() => children.every((child) => child.started)),
  );
}

/**
 * Waits for a step of the start and returns its result. Rejects as soon as a stop is requested.
 * @param drop releases the result of a step that completes after the stop
 */
async function unlessStopped<T>(
  signal: AbortSignal,
  step: Promise<T>,
  drop: (made: T) => unknown = () => {},
): Promise<T> {
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  if (signal.aborted) stop();
  try {
    return await Promise.race([step, stopped]);
  } catch (error) {
    if (signal.aborted) void step.then(drop).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Thrown when a stop is requested before the service is ready. */
class StoppedError extends Error {}

/**
 * Locks the data directory for this supervisor. A second supervisor with the same data directory would adopt the
 * nats-server of the first.
 */
async function lockDataDir(dataDir: string): Promise<PartitionLock> {
  try {
    return await takeLock(dataDir, 'supervisor');
  } catch (error) {
    if (!(error instanceof PartitionLockedError)) throw error;
    throw new DataDirError(
      `Another Tidings runs on ${dataDir}. Stop it first, or set TIDINGS_DATA_DIR to another folder.`,
    );
  }
}

/** Waits for children: checks a condition each time a child becomes ready, and rejects if a child keeps exiting. */
class Readiness {
  private wake: () => void = () => {};
  private fault: Error | undefined;

  changed(): void {
    this.wake();
  }

  failed(error: Error): void {
    this.fault = error;
    this.wake();
  }

  async when(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      if (this.fault) throw this.fault;
    }
  }
}

/**
 * Claims the journal for this instance and creates its streams. Returns the durability level of acknowledgements.
 * @param settings the settings with the webhook secrets that are in use
 * @throws JournalSetupError if the servers or the other instances do not fit this instance
 */
async function prepareJournal(journal: Journal, settings: Settings, logger: Logger): Promise<DurabilityLevel> {
  const { dataDir, partitions } = settings;
  const node = settings.node || undefined;
  if (node !== undefined) requireClusterServer(journal);
  const identity = identityInUse(settings);
  await claimInstance(journal, () => ({ dataDir, node, identity: identity?.() }), instanceFault);
  const hasStore = (name: PartitionName): boolean => existsSync(partitionFolder(dataDir, name));
  if (node !== undefined) await requirePartitions(journal, partitions, hasStore);
  const streams = await makeStreams(journal, settings);
  journal.onReconnect(() => void makeStreamsAgain(journal, settings, logger));
  const version = journal.connection.info?.version ?? '0.0.0';
  const { level, faults } = await findDurability(settings, version, streams);
  for (const fault of faults) logger.warn({ fault }, 'journal is less durable than it could be');
  durabilityLevel.set({ level }, 1);
  logger.info({ natsServer: version, durability: level }, 'journal ready');
  return level;
}

/**
 * Creates the streams that are missing. Returns the state of all streams. On a node, a new stream continues after what the
 * store of the node contains. If it began at sequence 1 again, other nodes would take it for the whole history of the partition.
 */
async function makeStreams(journal: Journal, settings: Settings): Promise<StreamState[]> {
  const { dataDir, partitions, journalMaxBytes, journalReplicas } = settings;
  const readers = new Readers(dataDir);
  const foldedOf = (name: PartitionName): number => {
    const partition = isOneOfSeveral(settings) ? readers.fresh(name) : undefined;
    return partition ? readCursor(partition).seq : 0;
  };
  try {
    const streams: StreamState[] = [];
    for (const name of partitionNames(partitions))
      streams.push(await ensureStream(journal, name, journalMaxBytes, journalReplicas, () => foldedOf(name)));
    return streams;
  } finally {
    await readers.close();
  }
}

/**
 * Creates the streams again after a reconnect. A server can restart without its streams, and no other process is
 * allowed to create them.
 */
async function makeStreamsAgain(journal: Journal, settings: Settings, logger: Logger): Promise<void> {
  while (journal.connected()) {
    try {
      await makeStreams(journal, settings);
      return;
    } catch (error) {
      logger.warn({ err: error }, 'streams could not be created; the supervisor tries again');
      await pause(streamsRetryMs);
    }
  }
}

/** Spreads the partitions over worker processes. The first worker also gets the directory. */
export function assignPartitions(settings: Pick<Settings, 'partitions' | 'workers'>): PartitionName[][] {
  const wanted = settings.workers || Math.max(1, availableParallelism() - 1);
  const shares: PartitionName[][] = Array.from({ length: Math.min(wanted, settings.partitions) }, () => []);
  for (const [i, name] of partitionNames(settings.partitions).entries()) shares[i % shares.length]?.push(name);
  return shares;
}

/** Returns the number of gateways that the settings ask for. */
function gatewaysOf({ gateways }: Pick<Settings, 'gateways'>): number {
  return gateways || Math.max(1, Math.floor(availableParallelism() / 2));
}

/**
 * Makes the gateways. Several gateways share one port. If the settings leave the port open, it is chosen here, because a
 * port that the system chose for one gateway cannot be shared.
 */
async function makeGateways(settings: Settings, logger: Logger, ready: Readiness): Promise<Child[]> {
  const count = gatewaysOf(settings);
  const port = count > 1 && settings.port === 0 ? await chooseFreePort(settings.host) : settings.port;
  const resolved = { ...settings, gateways: count, port };
  return Array.from({ length: count }, (_, i) => {
    const name = count === 1 ? 'gateway' : `gateway ${i}`;
    return new Child(childOptions('gateway', name, '../gateway/main.js', [String(i)], resolved, logger, ready));
  });
}

function makeWorkers(settings: Settings, logger: Logger, ready: Readiness): Child[] {
  return assignPartitions(settings).map((names, i) => {
    const program = '../../workers/partition/main.js';
    return new Child(
      childOptions('worker', `worker ${i} (${names.join(' ')})`, program, names, settings, logger, ready),
    );
  });
}

function childOptions(
  role: 'gateway' | 'worker',
  name: string,
  program: string,
  args: readonly string[],
  settings: Settings,
  logger: Logger,
  ready: Readiness,
) {
  return {
    role,
    name,
    program,
    args,
    env: settingsToEnv(settings),
    logger,
    onReady: () => ready.changed(),
    onHopeless: (error: Error) => ready.failed(error),
  };
}

/**
 * Sets the gauges whose values only the supervisor knows. If the free disk space cannot be read, the gauge of the free
 * disk space keeps its last value.
 */
function measure(dataDir: string, isReady: boolean): void {
  serviceReady.set(isReady ? 1 : 0);
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    diskFreeBytes.set(bavail * bsize);
  } catch {
    // An error is ignored here. If the data directory no longer exists, /readyz and other log lines report the loss.
  }
}

async function gather(children: readonly Child[]): Promise<string> {
  const own = registry.getMetricsAsJSON();
  const all = await Promise.all([own, ...children.map((child) => child.metrics())]);
  return AggregatorRegistry.aggregate(all.filter((metrics) => metrics.length > 0)).metrics();
}

function pids({ children, nats }: Started): Record<string, number> {
  const found: Record<string, number> = {};
  for (const child of children) if (child.pid !== undefined) found[child.options.name] = child.pid;
  if (nats) found['nats-server'] = nats.pid();
  return found;
}
