/**
 * Starts a gateway: one HTTP server with the webhook receiver and the API, a journal lane per partition, read-only
 * partitions, and the receiver of `folded` signals. The gateway does not depend on the supervisor, so tests and
 * benchmarks can start a gateway without a supervisor.
 */
import { randomUUID } from 'node:crypto';
import { githubOrigins, hostsOf } from '../../config/hosts.ts';
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Settings } from '../../config/schema.ts';
import { tierNamed, tiersOf } from '../../config/tiers.ts';
import { Authenticator } from '../api/authenticate.ts';
import type { ApiContext } from '../api/context.ts';
import { documentRoute } from '../api/document.ts';
import { EventHub } from '../api/event-hub.ts';
import { toHttpRoute } from '../api/handle.ts';
import { HomedApiLimit } from '../api/homed-limit.ts';
import { OnceGuard } from '../api/idempotency.ts';
import { ApiLimit } from '../api/limit.ts';
import { OtherGateways } from '../api/other-gateways.ts';
import { PositionGate, positionsOfEvents } from '../api/positions.ts';
import { Quotas } from '../api/quotas.ts';
import { apiRoutes } from '../api/routes.ts';
import { sessionRoutes } from '../api/session-routes.ts';
import { Sessions } from '../api/sessions.ts';
import { UsageMeter } from '../api/usage.ts';
import type { Homes } from '../cluster/homes.ts';
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
import { HomedIngestionLimit } from '../ingress/homed-limit.ts';
import { IngestionLimit } from '../ingress/limit.ts';
import { createRates, limitedAs } from '../ingress/rates.ts';
import { Receiver } from '../ingress/receive.ts';
import { RecentDeliveries } from '../ingress/recent.ts';
import { Refusals } from '../ingress/refusals.ts';
import { BoundSecrets } from '../ingress/secrets.ts';
import { redactText } from '../intake/redact.ts';
import { receiveChanges } from '../journal/changes.ts';
import { connectJournal, type Journal } from '../journal/connect.ts';
import { freshnessOf } from '../journal/freshness.ts';
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
import type { EventRecord } from '../protocol/journal.ts';
import type { EventRepository } from '../protocol/repository.ts';
import { FreshReaders } from '../store/fresh-readers.ts';
import type { Partition } from '../store/partition.ts';
import { type CurrentState, Readers } from '../store/readers.ts';
import { ReadyResponses } from '../store/ready-responses.ts';
import { listDelayed } from '../store/tables/delayed.ts';
import { ownerNumber, readDirectoryRepository, readOrganization, sameLogin } from '../store/tables/directory.ts';
import { type DayUsage, listDays, readDay } from '../store/tables/usage.ts';
import { openSealer } from '../supervisor/first-start.ts';
import { GatewayGroup } from './group.ts';

/** A running gateway. */
export interface Gateway {
  readonly context: ApiContext;
  /** Waits until the directory is known to be current; at once on one machine. */
  current(): Promise<void>;
  /**
   * Begins to serve and to count for other gateways. Returns the port.
   * @throws if the gateway cannot listen on its address
   */
  listen(): Promise<number>;
  /** Stops accepting requests, answers the requests in flight, drains the lanes and closes the connections. */
  stop(): Promise<void>;
}

const inFlightMs = 10_000;
const sweepMs = 60_000;
/** Interval between two checks whether the directory is current, in milliseconds. */
const currentMs = 500;

/**
 * Prepares a gateway. The owner of each partition (`PartitionOwner`) must have opened the partition before.
 * @param durability the failures that an acknowledged record survives; absent without a supervisor
 * @param number the number of this gateway among those of its machine
 */
export async function openGateway(
  settings: Settings,
  logger: Logger,
  durability?: DurabilityLevel,
  number = 0,
): Promise<Gateway> {
  const client = { role: 'gateway', name: 'tidings gateway', meters: journalMeters } as const;
  const journal = await connectJournal(settings, client, logger);
  const freshness = isOneOfSeveral(settings) ? freshnessOf(settings) : undefined;
  const guarded = freshness && new FreshReaders(settings.dataDir);
  const readers = guarded ?? new Readers(settings.dataDir);
  const isCurrent = () => freshness?.isFresh(directoryName) !== false;
  const group = new GatewayGroup(settings, journal, number, logger, isCurrent);
  const { homes } = group;
  const positionOf = freshness && positionsOfEvents(readers, settings.partitions);
  const events = new EventHub((onChanges) => receiveChanges(journal, onChanges), logger, undefined, positionOf);
  // Changes that were announced while the connection was broken are lost.
  journal.onReconnect(() => events.reset());
  let receiver: Receiver | undefined;
  const signals = new FoldedSignals(journal, (folded) => {
    const { partition, generation } = folded;
    freshness?.note(folded);
    if (generation !== readers.generation(partition)) void readers.follow(partition);
    if (partition !== directoryName) return;
    events.checkKeys();
    // A directory that is too old to be served cannot be read here.
    if (!homes.isSole && isCurrent()) receiver?.directoryChanged();
  });
  const lanes = openLanes(journal, settings, logger);
  const laneOf = (partition: PartitionName): Lane => lanes.get(partition) as Lane;
  const refusals = new Refusals({
    trustedProxies: settings.trustedProxies,
    logger,
    onRefused: (reason, orgId) => {
      events.refused(reason, orgId);
      group.refused(reason, orgId);
    },
  });
  const recent = new RecentDeliveries(randomUUID());
  const auditor: Auditor = { by: 'start', write: (line) => audit(logger, line) };
  const sealer = openSealer(settings);
  const responses = new ReadyResponses(readers);
  const read = { readers, responses, signals };
  const memory = { refusals, recent };
  const facts = { startedAt: Date.now(), ...(durability !== undefined && { durability }) };
  const usage = new UsageMeter();
  const deliveries = () => ({
    since: refusals.since,
    refused: refusals.list(null),
    recentSince: recent.since,
    recent: recent.list(),
  });
  const others = homes.isSole ? {} : { gateways: new OtherGateways(homes, { deliveries, events, usage }) };
  const context: ApiContext = {
    ...{ settings, journal, ...read, laneOf, sealer, ...memory, events, auditor, facts, ...others },
  };
  const readDirectory = () => readers.ofAnyAge(directoryName);
  const ingestion = ingestionLimit(settings, readers);
  const limits: Limits = {
    ingestion: new HomedIngestionLimit(homes, ingestion, () => seedIngestion(ingestion, settings, readers)),
    api: apiLimit(settings, homes, readDirectory),
    unsubscribe: new UnsubscribeLimit(settings.trustedProxies, Date.now, homes),
  };
  const { publicUrl, trustedProxies } = settings;
  const sessions = new Sessions({
    ...{ publicUrl, trustedProxies, auditor, homes },
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
  homes.serve('mark', () => instanceMark);
  answerAsGateway(
    journal,
    () => group.sizeHere,
    async () => ({
      marks: [instanceMark, ...(await homes.askOthers<string>('mark', null))],
      refusedInLastHour: refusals.inLastHour(),
      lastRefused: refusals.list(null).at(-1),
    }),
    deliveries,
  );
  const whole = { ...context, ...memory, readers };
  const budget = bodyBudget(settings);
  const receiving = receiverOf(whole, { budget, limit: limits.ingestion, group, logger });
  // The directory possibly does not list the repositories of delayed events yet.
  const seedReceiver = (record: EventRecord): void => receiving.seed(record, Date.now());
  // The only gateway restores its limit in the same pass. With several, each restores it when it begins to count.
  if (homes.isSole) seedIngestion(ingestion, settings, readers, seedReceiver);
  else for (const { record } of delayed(settings, readers)) seedReceiver(record);
  receiver = receiving;
  group.onNotice((notice) => {
    if (notice.about === 'refused') events.refused(notice.reason, notice.orgId);
    else receiving.remember(notice.repository, notice.signedBy, Date.now());
  });
  const quotas = new Quotas(homes);
  const served = routes(whole, limits, { usage, sessions, quotas, receiver: receiving, budget });
  if (freshness) guarded?.begin((name) => freshness.assertFresh(name));
  let server: HttpServer | undefined;
  return {
    context,
    current: async () => {
      // A lead may be a while away, so the node proves by messages of its own that it hears the journal.
      if (freshness) for (const name of partitionNames(settings.partitions)) probeEnd(journal, name).catch(() => {});
      while (!isCurrent()) await signals.wait(directoryName, 0, currentMs);
      if (freshness) await group.join();
    },
    listen: async () => {
      await group.start();
      server = await startServer(settings.host, settings.port, served, logger, {
        corsOrigins: settings.corsOrigins,
        help: docsPath,
        sharesPort: settings.gateways > 1,
      });
      return server.port;
    },
    stop: async () => {
      for (const timer of [sweeper, flusher]) clearInterval(timer);
      await stopServing(server, events);
      group.stop();
      await closeJournal(whole, lanes, flush);
    },
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

/**
 * Creates the limit of API requests. It restores the daily counts of requests per organization, which earlier gateway
 * processes saved: at the start, and when this gateway begins to count for an organization.
 */
function apiLimit(settings: Settings, homes: Homes, readDirectory: () => Partition | undefined): HomedApiLimit {
  const limit = new ApiLimit();
  const tiers = tiersOf(settings);
  const restore = (organization: string, day: DayUsage): void =>
    limit.seedDay(organization, day, performance.now(), Date.now());
  const directory = readDirectory();
  if (directory) for (const { org, day } of listDays(directory)) restore(org, day);
  return new HomedApiLimit(homes, limit, {
    name: 'api',
    tierOf: (name) => tierNamed(tiers, name),
    begin: (organization) => {
      const now = readDirectory();
      const day = now && readDay(now, organization);
      if (day) restore(organization, day);
    },
  });
}

/** Returns the delayed events that wait in the partitions. */
function* delayed(settings: Settings, readers: Readers): Iterable<{ due: number; record: EventRecord }> {
  for (const name of partitionNames(settings.partitions)) {
    const partition = readers.ofAnyAge(name);
    if (partition) yield* listDelayed(partition);
  }
}

/**
 * Restores the ingestion limit from the delayed events that wait in the partitions. Another process admitted these
 * events, so each event has used a part of its organization's limit.
 */
function seedIngestion(
  limit: IngestionLimit,
  settings: Settings,
  readers: Readers,
  onRecord: (record: EventRecord) => void = () => {},
): void {
  const highest = new Map<string, number>();
  for (const { due, record } of delayed(settings, readers)) {
    onRecord(record);
    const organization = limitedAs(record.repository, record.signedBy);
    highest.set(organization, Math.max(highest.get(organization) ?? 0, due));
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

/** What counts the requests and the sessions of this gateway. */
interface Counting {
  usage: UsageMeter;
  sessions: Sessions;
  quotas: Quotas;
}

interface Limits {
  ingestion: HomedIngestionLimit;
  api: HomedApiLimit;
  unsubscribe: UnsubscribeLimit;
}

/** The context of the gateway, with the memories that only a gateway has. */
type GatewayContext = ApiContext & { refusals: Refusals; recent: RecentDeliveries; readers: Readers };

/** Returns the memory for bodies of this gateway. All gateways of a machine share the memory of the settings. */
function bodyBudget({ bodyBudgetBytes, maxBodyBytes, gateways }: Settings): BodyBudget {
  return new BodyBudget(Math.max(Math.floor(bodyBudgetBytes / Math.max(1, gateways)), maxBodyBytes));
}

function receiverOf(
  { settings, readers, refusals, recent, laneOf }: GatewayContext,
  {
    budget,
    limit,
    group,
    logger,
  }: { budget: BodyBudget; limit: HomedIngestionLimit; group: GatewayGroup; logger: Logger },
): Receiver {
  return new Receiver({
    ...{ settings, refusals, recent, budget, limit },
    readers: isOneOfSeveral(settings) ? forDeliveries(readers) : readers,
    secrets: settings.webhookSecrets,
    bound: boundSecrets(settings, readers, logger),
    enqueue: (partition, record) => laneOf(partition).enqueue(record),
    isConnected: (directory, repository) => isConnected(directory, repository, settings.autoConnect),
    homes: group.homes,
    ...(!group.homes.isSole && { onRemember: (repository, signedBy) => group.seen(repository, signedBy) }),
  });
}

function routes(
  context: GatewayContext,
  limits: Limits,
  { receiver, budget, ...counting }: Counting & { receiver: Receiver; budget: BodyBudget },
): HttpRoute[] {
  const { settings, readers } = context;
  const authenticator = new Authenticator(readers, settings);
  const inCluster = isOneOfSeveral(settings);
  const isKnown = (headers: Exchange['headers']) => authenticator.keyIdOf(headers, Date.now()) !== undefined;
  const services = {
    context,
    authenticator,
    limit: limits.api,
    ...counting,
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

/** Ends the streams, and answers the requests in flight. */
async function stopServing(server: HttpServer | undefined, events: EventHub): Promise<void> {
  events.stop();
  await server?.stop(inFlightMs);
}

/** Saves the usage counts, drains the lanes and closes the connections. */
async function closeJournal(
  { signals, readers, journal }: GatewayContext,
  lanes: ReadonlyMap<PartitionName, Lane>,
  flush: () => Promise<void>,
): Promise<void> {
  // If the journal does not accept the usage counts now, the counts are lost. A kill of the process would lose them
  // too.
  await flush().catch(() => {});
  for (const lane of lanes.values()) await lane.close();
  signals.close();
  await readers.close();
  await journal.close();
}
