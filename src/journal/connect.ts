/**
 * Connects a process to the journal. When the connection is lost, the client tries to reconnect at jittered intervals,
 * without a maximum number of attempts. If the connection breaks while a request is in flight, the outcome of the
 * request is unknown. The lane that sent the request then sends the request again.
 */
import type { Socket } from 'node:net';
import {
  type ConnectionOptions,
  connect,
  Events,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from 'nats';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import type { Logger } from '../foundation/logger.ts';
import type { journalMeters } from '../foundation/metrics.ts';
import { explain } from './connect-faults.ts';
import { authenticatorOf, type NatsSettings, tlsOptionsOf } from './credentials.ts';
import { Publisher } from './publisher.ts';
import { inboxPrefixOf, type JournalRole } from './roles.ts';
import { soleNode } from './subjects.ts';
import { type JournalTiming, timingOf } from './timing.ts';

type JournalMeters = typeof journalMeters;

/** An open connection. `connected` returns whether the server can be reached now. */
export interface Journal {
  /** Name of this node, which is part of the subjects of its signals and questions. */
  readonly node: string;
  readonly timing: JournalTiming;
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Publishes to the streams. The first use subscribes to the acknowledgements. */
  readonly publisher: Publisher;
  readonly meters: JournalMeters | undefined;
  connected(): boolean;
  /** Registers a callback that is called after every reconnect, until the connection is closed. */
  onReconnect(callback: () => void): void;
  /** Registers a callback that is called each time the connection to the server is lost. */
  onDisconnect(callback: () => void): void;
  close(): Promise<void>;
}

/** The client: its role, and its name in the server's list of connections. */
export interface JournalClient {
  role: JournalRole;
  name: string;
  /**
   * If true or absent, the client waits for the server. If false, connecting fails when the server does not answer
   * immediately.
   */
  waits?: boolean;
  /**
   * Counts the records and the state of the connection. The command line has no metrics, and starts faster without the
   * library that counts.
   */
  meters?: JournalMeters;
}

/**
 * Converts the settings to connection options. Credentials come from the file that the settings name, or from the
 * addresses of the servers: `nats://token@host:port` or `nats://user:pass@host:port`.
 * @throws JournalSetupError if a file of the settings cannot be used
 */
export function connectionOptions(
  settings: NatsSettings,
  { role, name, waits = true }: JournalClient,
): ConnectionOptions {
  const { servers, credentials } = natsAddressesOf(settings.natsUrl);
  const { pingMs, maxPingOut, connectMs } = timingOf({ node: settings.node ?? '' });
  const tls = tlsOptionsOf(settings);
  const options: ConnectionOptions = {
    name,
    servers,
    inboxPrefix: inboxPrefixOf(role),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 200,
    reconnectJitterTLS: 200,
    waitOnFirstConnect: waits,
    timeout: connectMs,
    pingInterval: pingMs,
    maxPingOut,
    // With this option, an error does not contain the stack trace of the caller. Without this option, the client would
    // create one Error object per published message.
    noAsyncTraces: true,
    ...(tls && { tls }),
  };
  if (settings.natsCredentials !== '') return { ...options, authenticator: authenticatorOf(settings.natsCredentials) };
  return { ...options, ...credentials };
}

/** Maximum time of one attempt to connect. A person or a log line waits for the outcome. */
const probeMs = 5000;

/** Tries to connect once. Returns the reason if no server can be used; undefined if one can be used. */
export async function connectionFault(settings: NatsSettings, role: JournalRole): Promise<Error | undefined> {
  try {
    const options = connectionOptions(settings, { role, name: 'tidings probe', waits: false });
    const timeout = Math.min(probeMs, options.timeout ?? probeMs);
    await (await connect({ ...options, reconnect: false, timeout })).close();
    return undefined;
  } catch (error) {
    return explain(error as NodeJS.ErrnoException, settings);
  }
}

/**
 * Keeps an error listener on a connection's socket. When the NATS client (nats 2.29.3) closes a connection, it removes
 * all listeners from the socket, but a write that is still pending can fail after that. Without a listener, the `error`
 * event of this write ends the process. When the server was killed, one in three processes that had just sent a request
 * ended in this way.
 */
function outliveSocket(connection: NatsConnection): void {
  type Inside = { protocol?: { transport?: { socket?: Socket } } };
  const socket = (connection as Inside).protocol?.transport?.socket;
  if (!socket) return;
  const removeAllListeners = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (event) => removeAllListeners(event).on('error', () => {});
}

/** The parts of the NATS client that `keepOneConnection` replaces. They are private, so its types do not name them. */
interface Protocol {
  connected: boolean;
  /** The attempts to connect that are under way; null if there are none. */
  connectPromise: Promise<void> | null;
  transport: { connected: boolean; isClosed: boolean };
  disconnected(error?: Error): Promise<void>;
}

/**
 * Prevents a second connection. When an attempt to connect takes too long, the NATS client (nats 2.29.3) gives it up, but
 * leaves its socket open. If the server answers after all and then closes this socket, the client takes that for the end
 * of the connection that it has made meanwhile, and connects once more without closing that one. Every message would then
 * arrive twice. Example: a server that was suspended continues.
 */
function keepOneConnection(connection: NatsConnection): void {
  const { protocol } = connection as unknown as { protocol: Protocol };
  const disconnected = protocol.disconnected.bind(protocol);
  protocol.disconnected = async (error) => {
    const { transport, connectPromise } = protocol;
    if (connectPromise !== null || transport.isClosed || !transport.connected) return disconnected(error);
    protocol.connected = true;
  };
}

/** Interval between log lines while the first connection is awaited. */
const waitLogMs = 5000;

/**
 * Connects to the journal. Waits until the server answers, unless `client.waits` is false.
 * @throws JournalSetupError if a file of the settings cannot be used or the server refuses the credentials
 */
export async function connectJournal(settings: NatsSettings, client: JournalClient, logger: Logger): Promise<Journal> {
  const timing = timingOf({ node: settings.node ?? '' });
  const server = natsAddressesOf(settings.natsUrl).servers.join(', ');
  const waiting = setInterval(async () => {
    const fault = await connectionFault(settings, client.role);
    if (fault) logger.warn({ server, reason: fault.message }, 'journal does not answer yet');
  }, waitLogMs);
  const connection = await connect(connectionOptions(settings, client))
    .catch((error) => Promise.reject(explain(error, settings)))
    .finally(() => clearInterval(waiting));
  outliveSocket(connection);
  keepOneConnection(connection);
  const jetstream = connection.jetstream({ timeout: timing.requestMs });
  // Only the supervisor creates streams.
  const managerMs = client.role === 'supervisor' ? timing.streamMs : timing.requestMs;
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: managerMs });
  let publisher: Publisher | undefined;
  let connected = true;
  const reconnected: (() => void)[] = [];
  const disconnected: (() => void)[] = [];
  client.meters?.journalConnected.set(1);
  void watch();

  async function watch(): Promise<void> {
    for await (const status of connection.status()) {
      const { permissionContext: refused } = status as { permissionContext?: object };
      if (refused) logger.error({ refused }, 'journal refused a subject');
      if (status.type !== Events.Disconnect && status.type !== Events.Reconnect) continue;
      setConnected(status.type === Events.Reconnect);
      if (connected) outliveSocket(connection);
      for (const callback of connected ? reconnected : disconnected) callback();
    }
    setConnected(false);
  }

  function setConnected(now: boolean): void {
    if (connected === now) return;
    connected = now;
    client.meters?.journalConnected.set(now ? 1 : 0);
    if (now) logger.info('journal connected');
    else if (!connection.isClosed()) logger.warn('journal connection lost');
  }

  return {
    node: settings.node || soleNode,
    timing,
    connection,
    jetstream,
    manager,
    meters: client.meters,
    get publisher() {
      publisher ??= new Publisher(connection, inboxPrefixOf(client.role));
      return publisher;
    },
    connected: () => connected && !connection.isClosed(),
    onReconnect: (callback) => void reconnected.push(callback),
    onDisconnect: (callback) => void disconnected.push(callback),
    close: () => connection.close(),
  };
}
