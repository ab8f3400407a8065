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
import type { Logger } from '../logger.ts';
import { journalConnected } from '../metrics.ts';

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

/** `nats://token@host:port`, `nats://user:pass@host:port` or without credentials, as connection options. */
export function connectionOptions(url: string, name: string): ConnectionOptions {
  const parsed = new URL(url);
  const options: ConnectionOptions = {
    name,
    servers: parsed.host,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 200,
    waitOnFirstConnect: true,
    pingInterval: 5000,
    maxPingOut: 2,
    // Traces of who asked cost an Error object for each publish.
    noAsyncTraces: true,
  };
  if (parsed.protocol === 'tls:') options.tls = {};
  if (parsed.password) {
    options.user = decodeURIComponent(parsed.username);
    options.pass = decodeURIComponent(parsed.password);
  } else if (parsed.username) {
    options.token = decodeURIComponent(parsed.username);
  }
  return options;
}

/** Whether a server answers at an address and takes its credentials. */
export async function canConnect(url: string): Promise<boolean> {
  const once = { waitOnFirstConnect: false, reconnect: false, timeout: 2000 };
  const connection = await connect({ ...connectionOptions(url, 'tidings probe'), ...once }).catch(() => undefined);
  await connection?.close();
  return connection !== undefined;
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

/** How often a wait for the first connection is told. */
const waitLogMs = 5000;

/**
 * Connects to the journal, waiting until the server answers.
 * @param url address with credentials
 * @param name shown in the server's connection list
 */
export async function connectJournal(url: string, name: string, logger: Logger): Promise<Journal> {
  const waiting = setInterval(
    () => logger.warn({ server: new URL(url).host }, 'journal does not answer yet'),
    waitLogMs,
  );
  const connection = await connect(connectionOptions(url, name)).finally(() => clearInterval(waiting));
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
