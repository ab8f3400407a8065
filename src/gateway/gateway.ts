/**
 * Starts a gateway: one HTTP server with the webhook receiver and the API, a journal lane per partition, read-only
 * partitions, and the receiver of `folded` signals. The gateway does not depend on the supervisor, so tests and
 * benchmarks can start a gateway without a supervisor.
 */
import { randomUUID } from 'node:crypto';
import { githubOrigins, hostsOf } from '../../config/hosts.ts';
import type { Settings } from '../../config/schema.ts';
import { Authenticator } from '../api/authenticate.ts';
import type { ApiContext } from '../api/context.ts';
import { documentRoute } from '../api/document.ts';
import { EventHub } from '../api/event-hub.ts';
import { toHttpRoute } from '../api/handle.ts';
import { OnceGuard } from '../api/idempotency.ts';
import { ApiLimit } from '../api/limit.ts';
import { PositionGate, positionsOfEvents } from '../api/positions.ts';
import { Quotas } from '../api/quotas.ts';
import { apiRoutes } from '../api/routes.ts';
import { sessionRoutes } from '../api/session-routes.ts';
import { Sessions } from '../api/sessions.ts';
import { UsageMeter } from '../api/usage.ts';
import { type Auditor, audit } from '../foundation/audit.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import { journalMeters, webhooksReceived } from '../foundation/metrics.ts';
import { directoryName, type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import { healthRoute } from '../http/health.ts';
import { type HttpRoute, type HttpServer, startServer } from '../http/server.ts';
import { AllowList } from '../ingress/allow-list.ts';
import { IngestionLimit } from '../ingress/limit.ts';
import { createRates, limitedAs } from '../ingress/rates.ts';
import { Receiver } from '../ingress/receive.ts';
import { RecentDeliveries } from '../ingress/recent.ts';
import { Refusals } from '../ingress/refusals.ts';
import { BoundSecrets } from '../ingress/secrets.ts';
import { redactText } from '../intake/redact.ts';
import { receiveChanges } from '../journal/changes.ts';
import { connectJournal, type Journal } from '../journal/connect.ts';
import { freshnessOf, isOneOfSeveral } from '../journal/freshness.ts';
import { answerAsGateway } from '../journal/gateway-facts.ts';
import { Lane } from '../journal/lane.ts';
import { probeEnd } from '../journal/probe.ts';
import { FoldedSignals } from '../journal/signal.ts';
import type { DurabilityLevel } from '../journal/topology.ts';
import { clientPackageRoutes } from '../pages/client-package.ts';
import { dashboardRoutes } from '../pages/dashboard.ts';
import { docsPath, docsRoutes, helpFor } from '../pages/docs-page.ts';
import { guideRoutes } from '../pages/guide-page.ts';
import { instanceMark, instanceRoute } from '../pages/instance-page.ts';
import { pageRoutes } from '../pages/routes.ts';
import { UnsubscribeLimit } from '../pages/unsubscribe-limit.ts';
import { unsubscribeRoutes } from '../pages/unsubscribe-page.ts';
import type { EventRepository } from '../protocol/repository.ts';
import { FreshReaders } from '../store/fresh-readers.ts';
import type { Partition } from '../store/partition.ts';
import { type CurrentState, Readers } from '../store/readers.ts';
import { ReadyResponses } from '../store/ready-responses.ts';
import { listDelayed } from '../store/tables/delayed.ts';
import { ownerNumber, readDirectoryRepository, readOrganization, sameLogin } from '../store/tables/directory.ts';
import { listDays } from '../store/tables/usage.ts';
import { openSealer } from '../supervisor/first-start.ts';

/** A running gateway. */
export interface Gateway {
  readonly port: number;
  readonly context: ApiContext;
  /** Waits until the directory is known to be current; at once on one machine. */
  current(): Promise<void>;
  /** Stops accepting requests, answers the requests in flight, drains the lanes and closes the connections. */
  stop(): Promise<void>;
}

const inFlightMs = 10_000;
const sweepMs = 60_000;
/** Interval between two checks whether the directory is current, in milliseconds. */
const currentMs = 500;

/**
 * Starts a gateway. The owner of each partition (`PartitionOwner`) must have opened the partition before.
 * @param durability the failures that an acknowledged record survives; absent without a supervisor
 * @throws if the gateway cannot listen on its address
 */
export async function startGateway(settings: Settings, logger: Logger, durability?: DurabilityLevel): Promise<Gateway> {
  const client = { role: 'gateway', name: 'tidings gateway', meters: journalMeters } as const;
  const journal = await connectJournal(settings, client, logger);
  const freshness = isOneOfSeveral(settings) ? freshnessOf(settings) : undefined;
  const guarded = freshness && new FreshReaders(settings.dataDir);
  const readers = guarded ?? new Readers(settings.dataDir);
  const positionOf = freshness && positionsOfEvents(readers, settings.partitions);
  const events = new EventHub((onChanges) => receiveChanges(journal, onChanges), logger, undefined, positionOf);
  // Changes that were announced while the connection was broken are lost.
  journal.onReconnect(() => events.reset());
  const signals = new FoldedSignals(journal, (folded) => {
    const { partition, generation } = folded;
    freshness?.note(folded);
    if (generation !== readers.generation(partition)) void readers.follow(partition);
    if (partition === directoryName) events.checkKeys();
  });
  const lanes = openLanes(journal, settings, logger);
  const laneOf = (partition: PartitionName): Lane => lanes.get(partition) as Lane;
  const refusals = new Refusals({
    trustedProxies: settings.trustedProxies,
    logger,
    onRefused: (reason, orgId) => events.refused(reason, orgId),
  });
  const recent = new RecentDeliveries(randomUUID());
  const auditor: Auditor = { by: 'start', write: (line) => audit(logger, line) };
  const sealer = openSealer(settings);
  const responses = new ReadyResponses(readers);
  const read = { readers, responses, signals };
  const memory = { refusals, recent };
  const facts = { startedAt: Date.now(), ...(durability !== undefined && { durability }) };
  const context: ApiContext = { settings, journal, ...read, laneOf, sealer, ...memory, events, auditor, facts };
  const readDirectory = () => readers.ofAnyAge(directoryName);
  const limits = {
    ingestion: ingestionLimit(settings, readers),
    api: new ApiLimit(),
    unsubscribe: new UnsubscribeLimit(settings.trustedProxies),
  };
  seedDays(limits.api, readDirectory());
  const usage = new UsageMeter();
  const { publicUrl, trustedProxies } = settings;
  const sessions = new Sessions({
    ...{ publicUrl, trustedProxies, auditor },
    enqueue: (record) => laneOf(directoryName).enqueue(record),
  });
  const flush = () => usage.flush(readDirectory(), (record) => laneOf(directoryName).enqueue(record));
  const flusher = setInterval(() => {
    void flush().catch((error: Error) =>
      logger.warn({ err: error }, 'usage counters could not be saved; the service tries again at the next interval'),
    );
  }, settings.usageFlushSeconds * 1000);
  const sweeper = setInterval(() => {
    limits.ingestion.sweep(Date.now());
    limits.api.sweep(performance.now());
    limits.unsubscribe.sweep();
    sessions.sweep(performance.now(), Date.now());
    refusals.sweep();
  }, sweepMs);
  warmUp();
  answerAsGateway(
    journal,
    () => ({
      mark: instanceMark,
      refusedInLastHour: refusals.inLastHour(),
      lastRefused: refusals.list(null).at(-1),
    }),
    () => ({
      since: refusals.since,
      refused: refusals.list(null),
      recentSince: recent.since,
      recent: recent.list(),
    }),
  );
  const served = routes({ ...context, ...memory, readers }, limits, { usage, sessions }, logger);
  if (freshness) guarded?.begin((name) => freshness.assertFresh(name));
  const server = await startServer(settings.host, settings.port, served, logger, {
    corsOrigins: settings.corsOrigins,
    help: docsPath,
  });
  return {
    port: server.port,
    context,
    current: async () => {
      // A lead may be a while away, so the node proves by messages of its own that it hears the journal.
      if (freshness) for (const name of partitionNames(settings.partitions)) probeEnd(journal, name).catch(() => {});
      while (freshness?.isFresh(directoryName) === false) await signals.wait(directoryName, 0, currentMs);
    },
    stop: () => stopGateway(server, [sweeper, flusher], flush, lanes, { ...context, readers }),
  };
}

/** The webhook receiver needs no current state to recognize a delivery that is folded already: the fold does it, too. */
function forDeliveries(readers: Readers): CurrentState {
  return {
    current: (name) => (name === directoryName ? readers.current(name) : readers.ofAnyAge(name)),
    seq: (name) => readers.seq(name),
    generation: (name) => readers.generation(name),
  };
}

/**
 * Redacts a sample text when the gateway starts. The first redactions are slow, because they compile the rules and load
 * the library for phone numbers.
 */
function warmUp(): void {
  for (let round = 0; round < 50; round++) redactText('Call +44 20 7946 0958 or mail a@b.example, token=x', 'comment');
}

function openLanes(journal: Journal, settings: Settings, logger: Logger): ReadonlyMap<PartitionName, Lane> {
  return new Map(partitionNames(settings.partitions).map((name) => [name, new Lane(journal, name, settings, logger)]));
}

/**
 * Creates the ingestion limit. The limit admits the deliveries of an organization according to the organization's tier
 * in the directory partition.
 */
export function ingestionLimit(settings: Settings, readers: CurrentState): IngestionLimit {
  return new IngestionLimit(createRates(settings, readers), settings.webhookMaxDelayHours * 3_600_000);
}

/** Restores the daily counts of requests per organization, which the previous gateway process saved. */
function seedDays(limit: ApiLimit, directory: Partition | undefined): void {
  if (!directory) return;
  for (const { org, day } of listDays(directory)) limit.seedDay(org, day, performance.now(), Date.now());
}

/**
 * Initializes the ingestion limit and the receiver with the delayed events that still wait in the partitions. An
 * earlier process admitted these events, so each event has used a part of its organization's limit. The receiver needs
 * the events, because the directory partition possibly does not list their repositories yet.
 */
function seed(limit: IngestionLimit, receiver: Receiver, settings: Settings, readers: Readers): void {
  const highest = new Map<string, number>();
  const now = Date.now();
  for (const name of partitionNames(settings.partitions)) {
    const partition = readers.fresh(name);
    for (const { due, record } of partition ? listDelayed(partition) : []) {
      const organization = limitedAs(record.repository, record.signedBy);
      highest.set(organization, Math.max(highest.get(organization) ?? 0, due));
      receiver.seed(record, now);
    }
  }
  for (const [organization, due] of highest) limit.seed(organization, due);
}

/**
 * Creates the object that reads the webhook secrets of hosts and organizations. Logs immediately which secrets cannot
 * be opened.
 */
export function boundSecrets(settings: Settings, readers: Readers, logger: Logger): BoundSecrets {
  const bound = new BoundSecrets({
    read: () => readers.fresh(directoryName),
    sealer: openSealer(settings),
    hosts: hostsOf(settings),
    logger,
  });
  bound.inspect();
  return bound;
}

function routes(
  context: ApiContext & { refusals: Refusals; recent: RecentDeliveries; readers: Readers },
  limits: { ingestion: IngestionLimit; api: ApiLimit; unsubscribe: UnsubscribeLimit },
  { usage, sessions }: { usage: UsageMeter; sessions: Sessions },
  logger: Logger,
): HttpRoute[] {
  const { settings, readers } = context;
  const budget = new BodyBudget(settings.bodyBudgetBytes);
  const authenticator = new Authenticator(readers, settings);
  const inCluster = isOneOfSeveral(settings);
  const isKnown = (headers: Exchange['headers']) => authenticator.keyIdOf(headers, Date.now()) !== undefined;
  const receiver = new Receiver({
    settings,
    secrets: settings.webhookSecrets,
    bound: boundSecrets(settings, readers, logger),
    budget,
    limit: limits.ingestion,
    refusals: context.refusals,
    recent: context.recent,
    enqueue: (partition, record) => context.laneOf(partition).enqueue(record),
    readers: inCluster ? forDeliveries(readers) : readers,
    isConnected: (directory, repository) => isConnected(directory, repository, settings.autoConnect),
  });
  seed(limits.ingestion, receiver, settings, readers);
  const services = {
    context,
    authenticator,
    limit: limits.api,
    usage,
    quotas: new Quotas(),
    sessions,
    once: new OnceGuard(),
    budget,
    positions: inCluster ? new PositionGate(readers, context.signals, settings.partitions, isKnown) : undefined,
  };
  const allowList = new AllowList(settings);
  return [
    {
      method: 'POST',
      path: '/api/webhooks/scm',
      handle: (exchange) => receive(exchange, allowList, receiver, context.refusals),
      help: helpFor('Webhooks', 'receiveWebhook'),
    },
    ...apiRoutes.map((route) => ({
      ...toHttpRoute(route, services),
      help: helpFor(route.contract.tag, route.operation),
    })),
    ...sessionRoutes(services).map(({ tag, operation, ...route }) => ({ ...route, help: helpFor(tag, operation) })),
    documentRoute(apiRoutes, settings.publicUrl),
    healthRoute,
    instanceRoute(),
    ...dashboardRoutes(githubOrigins(settings)),
    ...docsRoutes(),
    ...guideRoutes(),
    ...clientPackageRoutes(),
    ...pageRoutes(readers, settings),
    ...unsubscribeRoutes(context, budget, limits.unsubscribe),
  ];
}

/** Handles a delivery. A sender whose address is not on the allow list gets status 403 before any other check. */
function receive(exchange: Exchange, allowList: AllowList, receiver: Receiver, refusals: Refusals): void {
  if (allowList.admits(() => exchange.peerAddress(), exchange.headers['x-forwarded-for']))
    return receiver.handle(exchange);
  webhooksReceived.inc({ event: 'other', outcome: 'not_allowed' });
  refusals.note(exchange, { reason: 'not_allowed', status: 403 });
  exchange.fail(new ServiceError('forbidden', 'Webhooks are not accepted from this address.'));
}

/**
 * Returns whether the gateway accepts an event of a repository. Events of an unknown repository are accepted only with
 * `autoConnect`, because then the first delivery connects the repository. Events of a known repository are accepted if
 * the repository is connected.
 *
 * Exception: an organization can claim a repository without proof of ownership. If this organization disconnects the
 * repository, only events that name this organization as the owner are refused. An event with another owner is treated
 * like an event of an unknown repository.
 */
function isConnected(directory: Partition | undefined, { id, owner }: EventRepository, autoConnect: boolean): boolean {
  const listed = directory && readDirectoryRepository(directory, id);
  if (!listed) return autoConnect;
  const claimant = listed.claimed && readOrganization(directory, listed.orgId);
  // If the organization's number on the host is unknown, its `ownerId` is a name such as `name:acme`. In this case,
  // only the logins are compared.
  const hasNumber = claimant && (claimant.ownerId === null || ownerNumber(claimant) !== null);
  const isForeign =
    claimant && ((hasNumber && claimant.ownerId !== owner.id) || !sameLogin(claimant.login, owner.login));
  return isForeign ? autoConnect : listed.state === 'connected';
}

async function stopGateway(
  server: HttpServer,
  timers: readonly NodeJS.Timeout[],
  flush: () => Promise<void>,
  lanes: ReadonlyMap<PartitionName, Lane>,
  context: ApiContext & { readers: Readers },
): Promise<void> {
  for (const timer of timers) clearInterval(timer);
  context.events?.stop();
  await server.stop(inFlightMs);
  // If the journal does not accept the usage counts now, the counts are lost. A kill of the process would lose them
  // too.
  await flush().catch(() => {});
  for (const lane of lanes.values()) await lane.close();
  context.signals.close();
  await context.readers.close();
  await context.journal.close();
}
