/**
 * The connection of a process to the journal. Reconnects for ever with jitter; what is in flight at a break ends with an
 * unknown outcome and is retried by its lane.
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
import type { Logger } from '../foundation/logger.ts';
import { journalConnected } from '../foundation/metrics.ts';
import { explain } from './connect-faults.ts';
import { authenticatorOf, type NatsSettings, tlsOptionsOf } from './credentials.ts';
import { inboxPrefixOf, type JournalRole } from './roles.ts';

/** An open connection; `connected` tells whether the server can be reached right now. */
export interface Journal {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  connected(): boolean;
  /** Calls back on every reconnect until the connection closes. */
  onReconnect(callback: () => void): void;
  /** Calls back whenever the server is lost. */
  onDisconnect(callback: () => void): void;
  close(): Promise<void>;
}

/** Who connects: its role, and its name in the server's connection list. */
export interface JournalClient {
  role: JournalRole;
  name: string;
  /** False for a client that gives up when the server does not answer at once. */
  waits?: boolean;
}

/**
 * The settings as connection options. Credentials come from the file of the settings, or from the address:
 * `nats://token@host:port` or `nats://user:pass@host:port`.
 * @throws JournalSetupError when a file of the settings cannot be used
 */
export function connectionOptions(
  settings: NatsSettings,
  { role, name, waits = true }: JournalClient,
): ConnectionOptions {
  const parsed = new URL(settings.natsUrl);
  const tls = tlsOptionsOf(settings);
  const options: ConnectionOptions = {
    name,
    servers: parsed.host,
    inboxPrefix: inboxPrefixOf(role),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 200,
    reconnectJitterTLS: 200,
    waitOnFirstConnect: waits,
    pingInterval: 5000,
    maxPingOut: 2,
    // Traces of who asked cost an Error object for each publish.
    noAsyncTraces: true,
    ...(tls && { tls }),
  };
  if (settings.natsCredentials !== '') {
    options.authenticator = authenticatorOf(settings.natsCredentials);
  } else if (parsed.password) {
    options.user = decodeURIComponent(parsed.username);
    options.pass = decodeURIComponent(parsed.password);
  } else if (parsed.username) {
    options.token = decodeURIComponent(parsed.username);
  }
  return options;
}

/** Tries a connection; the reason when the server cannot be used. */
export async function connectionFault(settings: NatsSettings, role: JournalRole): Promise<Error | undefined> {
  const once = { reconnect: false, timeout: 5000 };
  try {
    const options = connectionOptions(settings, { role, name: 'tidings probe', waits: false });
    await (await connect({ ...options, ...once })).close();
    return undefined;
  } catch (error) {
    return explain(error as NodeJS.ErrnoException, settings);
  }
}

/**
 * Keeps an ear on a connection's socket to its very end. The client takes its listeners off before the last write to a
 * socket that the server has closed has failed (nats 2.29.3), and an error that nobody hears ends the process: with a kill
 * of the server, one time in three for a process that was just asking something.
 */
function outliveSocket(connection: NatsConnection): void {
  type Inside = { protocol?: { transport?: { socket?: Socket } } };
  const socket = (connection as Inside).protocol?.transport?.socket;
  if (!socket) return;
  const removeAllListeners = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (event) => removeAllListeners(event).on('error', () => {});
}

/** How often a wait for the first connection is reported. */
const waitLogMs = 5000;

/**
 * Connects to the journal, waiting until the server answers unless the client says otherwise.
 * @throws JournalSetupError when a file of the settings cannot be used or the server refuses the credentials
 */
export async function connectJournal(settings: NatsSettings, client: JournalClient, logger: Logger): Promise<Journal> {
  const server = new URL(settings.natsUrl).host;
  const waiting = setInterval(async () => {
    const fault = await connectionFault(settings, client.role);
    if (fault) logger.warn({ server, reason: fault.message }, 'journal does not answer yet');
  }, waitLogMs);
  const connection = await connect(connectionOptions(settings, client))
    .catch((error) => Promise.reject(explain(error, settings)))
    .finally(() => clearInterval(waiting));
  outliveSocket(connection);
  const jetstream = connection.jetstream();
  const manager = await connection.jetstreamManager({ checkAPI: false });
  let connected = true;
  const reconnected: (() => void)[] = [];
  const disconnected: (() => void)[] = [];
  journalConnected.set(1);
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
    journalConnected.set(now ? 1 : 0);
    if (now) logger.info('journal connected');
    else if (!connection.isClosed()) logger.warn('journal connection lost');
  }

  return {
    connection,
    jetstream,
    manager,
    connected: () => connected && !connection.isClosed(),
    onReconnect: (callback) => void reconnected.push(callback),
    onDisconnect: (callback) => void disconnected.push(callback),
    close: () => connection.close(),
  };
}
