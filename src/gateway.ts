/**
 * Puts a gateway together: webhook receiver and API over one HTTP server, lanes into the journal, read-only partitions, the
 * folded signals. Knows no process; tests and benchmarks start it the same way.
 */
import { hostOrigins } from '../config/hosts.ts';
import type { Settings } from '../config/schema.ts';
import { Authenticator } from './api/authenticate.ts';
import type { ApiContext } from './api/context.ts';
import { toHttpRoute } from './api/handle.ts';
import { ApiLimit } from './api/limit.ts';
import { apiRoutes } from './api/routes.ts';
import { openSealer } from './first-start.ts';
import { BodyBudget } from './http/budget.ts';
import { type HttpRoute, type HttpServer, startServer } from './http/server.ts';
import { IngestionLimit } from './ingress/limit.ts';
import { Receiver } from './ingress/receive.ts';
import { BoundSecrets } from './ingress/secrets.ts';
import { redactText } from './intake/redact.ts';
import { connectJournal, type Journal } from './journal/connect.ts';
import { Lane } from './journal/lane.ts';
import { FoldedSignals } from './journal/signal.ts';
import { directoryName, type PartitionName, partitionNames } from './journal/subjects.ts';
import type { Logger } from './logger.ts';
import { listDelayed } from './store/delayed.ts';
import { readDirectoryRepository } from './store/directory.ts';
import type { Partition } from './store/partition.ts';
import { Readers } from './store/readers.ts';

/** A gateway that listens. */
export interface Gateway {
  readonly port: number;
  readonly context: ApiContext;
  /** Stops accepting, answers what is in flight, drains the lanes, closes. */
  stop(): Promise<void>;
}

const inFlightMs = 10_000;
const sweepMs = 60_000;

/**
 * Starts a gateway. The partitions must have been opened by their owners.
 * @throws when the address cannot be listened on
 */
export async function startGateway(settings: Settings, logger: Logger): Promise<Gateway> {
  const journal = await connectJournal(settings.natsUrl, 'tidings gateway', logger);
  const readers = new Readers(settings.dataDir);
  const signals = new FoldedSignals(journal, ({ partition, generation }) => {
    if (generation !== readers.generation(partition)) void readers.follow(partition);
  });
  const lanes = openLanes(journal, settings, logger);
  const laneOf = (partition: PartitionName): Lane => lanes.get(partition) as Lane;
  const context: ApiContext = { settings, journal, readers, signals, laneOf, sealer: openSealer(settings) };
  const limits = { ingestion: ingestionLimit(settings), api: new ApiLimit(settings) };
  seed(limits.ingestion, settings, readers);
  const sweeper = setInterval(() => {
    limits.ingestion.sweep(Date.now());
    limits.api.sweep(performance.now());
  }, sweepMs);
  warmUp();
  const server = await startServer(settings.host, settings.port, routes(context, limits, logger), logger);
  return {
    port: server.port,
    context,
    stop: () => stopGateway(server, sweeper, lanes, context),
  };
}

/** The first redaction compiles its rules and loads the phone library: not on the time of the first delivery. */
function warmUp(): void {
  for (let round = 0; round < 50; round++) redactText('Call +44 20 7946 0958 or mail a@b.example, token=x', 'comment');
}

function openLanes(journal: Journal, settings: Settings, logger: Logger): ReadonlyMap<PartitionName, Lane> {
  return new Map(partitionNames(settings.partitions).map((name) => [name, new Lane(journal, name, settings, logger)]));
}

/** The spec's ingestion limits, or those of the settings. */
export function ingestionLimit(settings: Settings): IngestionLimit {
  const rates = [
    { count: settings.limitWebhooksPerMinute, periodMs: 60_000 },
    { count: settings.limitWebhooksPerHour, periodMs: 3_600_000 },
  ];
  return new IngestionLimit(rates, settings.webhookMaxDelayHours * 3_600_000);
}

/** What waits in the partitions has used its organisation's limit up already. */
function seed(limit: IngestionLimit, settings: Settings, readers: Readers): void {
  const highest = new Map<string, number>();
  for (const name of partitionNames(settings.partitions)) {
    const partition = readers.fresh(name);
    if (!partition) continue;
    for (const { due, record } of listDelayed(partition)) {
      const organisation = `${record.repository.origin} ${record.repository.owner.id}`;
      highest.set(organisation, Math.max(highest.get(organisation) ?? 0, due));
    }
  }
  for (const [organisation, due] of highest) limit.seed(organisation, due);
}

/** Secrets of hosts and organisations; those that do not open are in the log from the start. */
export function boundSecrets(settings: Settings, readers: Readers, logger: Logger): BoundSecrets {
  const bound = new BoundSecrets({
    read: () => readers.fresh(directoryName),
    sealer: openSealer(settings),
    origins: hostOrigins(settings),
    logger,
  });
  bound.inspect();
  return bound;
}

function routes(
  context: ApiContext,
  limits: { ingestion: IngestionLimit; api: ApiLimit },
  logger: Logger,
): HttpRoute[] {
  const { settings, readers } = context;
  const budget = new BodyBudget(settings.bodyBudgetBytes);
  const authenticator = new Authenticator(readers);
  const receiver = new Receiver({
    settings,
    secrets: settings.webhookSecrets,
    bound: boundSecrets(settings, readers, logger),
    budget,
    limit: limits.ingestion,
    enqueue: (partition, record) => context.laneOf(partition).enqueue(record),
    read: (partition) => readers.fresh(partition),
    isConnected: (id) => isConnected(readers.fresh(directoryName), id, settings.autoConnect),
  });
  const services = { context, authenticator, limit: limits.api, budget };
  return [
    { method: 'POST', path: '/api/webhooks/scm', handle: (exchange) => receiver.handle(exchange) },
    ...apiRoutes.map((route) => toHttpRoute(route, services)),
  ];
}

/** Whether a repository's events are wanted; one that is not known yet is connected by its first delivery, if at all. */
function isConnected(directory: Partition | undefined, repoId: string, autoConnect: boolean): boolean {
  const repository = directory && readDirectoryRepository(directory, repoId);
  return repository ? repository.state === 'connected' : autoConnect;
}

async function stopGateway(
  server: HttpServer,
  sweeper: NodeJS.Timeout,
  lanes: ReadonlyMap<PartitionName, Lane>,
  context: ApiContext,
): Promise<void> {
  clearInterval(sweeper);
  await server.stop(inFlightMs);
  for (const lane of lanes.values()) await lane.close();
  context.signals.close();
  await context.readers.close();
  await context.journal.close();
}
