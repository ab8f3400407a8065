/**
 * Keeps the supervised nats-server running. At the start, the supervisor starts or adopts the server. If the server
 * ends, the supervisor restarts it after a growing, jittered delay. When the service stops, the supervisor stops the
 * nats-server after all other processes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config/schema.ts';
import type { Logger } from '../foundation/logger.ts';
import { childRestarts } from '../foundation/metrics.ts';
import { connectionFault } from '../journal/connect.ts';
import { usersOf } from '../journal/keys.ts';
import { localJournal, type NatsServer, NatsServerError, startNatsServer } from './nats-server.ts';

const natsStopMs = 10_000;
const steadyMs = 30_000;

/** A nats-server that is restarted when it ends. */
export interface SupervisedNats {
  pid(): number;
  stop(): Promise<void>;
}

/**
 * Starts the server and restarts it when it ends. The data directory must be locked, so that no other supervisor uses
 * the server.
 * @throws NatsServerError if another program uses the port
 */
export async function superviseNats(settings: Settings, logger: Logger): Promise<SupervisedNats> {
  const options = {
    dataDir: settings.dataDir,
    port: settings.natsPort,
    users: usersOf(settings.dataDir),
    maxStore: settings.journalMaxBytes * (settings.partitions + 1) * 2,
  };
  let server: NatsServer = await startNatsServer(options);
  let stopping = false;
  if (server.adopted) await assertOwn(settings);
  if (server.adopted)
    logger.warn({ natsPid: server.pid }, 'the nats-server of an earlier start is still running and is used again');
  const stop = new AbortController();
  const watching = watch();

  async function watch(): Promise<void> {
    for (let failures = 0; ; failures++) {
      const started = performance.now();
      await server.exited;
      if (stopping) return;
      if (performance.now() - started > steadyMs) failures = 0;
      logger.error(
        { natsPid: server.pid, log: `${settings.dataDir}/nats/server.log` },
        'nats-server ended and is restarted',
      );
      childRestarts.inc({ role: 'nats-server' });
      const ms = Math.min(5000, 50 * 2 ** failures) * (0.75 + Math.random() / 2);
      await pause(ms, undefined, { signal: stop.signal }).catch(() => {});
      if (stopping) return;
      server = await startAgain();
      if (stopping) kill(server.pid, 'SIGTERM');
    }
  }

  /**
   * Starts the server again. A start that fails, for example because the port is taken, counts as an end of the server
   * and is retried.
   */
  async function startAgain(): Promise<NatsServer> {
    return startNatsServer(options).catch((error: Error) => {
      logger.error({ err: error }, 'nats-server cannot be started');
      return server;
    });
  }

  return {
    pid: () => server.pid,
    stop: async () => {
      stopping = true;
      stop.abort();
      kill(server.pid, 'SIGTERM');
      const late = setTimeout(() => kill(server.pid, 'SIGKILL'), natsStopMs);
      await watching;
      clearTimeout(late);
    },
  };
}

/**
 * Checks that the adopted server listens on the port. The server can be running while another program uses the port.
 * Only the server has the expected certificate, so a connection to another program fails.
 */
async function assertOwn({ dataDir, natsPort }: Settings): Promise<void> {
  const fault = await connectionFault(localJournal(dataDir, natsPort, 'supervisor'), 'supervisor');
  if (!fault) return;
  throw new NatsServerError(
    `Port ${natsPort} is taken by another program (${fault.message}). Set TIDINGS_NATS_PORT to a free one.`,
  );
}

function kill(pid: number, signal: NodeJS.Signals): void {
  // A program that could not be started has the process id 0. A signal to 0 would go to the supervisor's own process
  // group.
  if (pid <= 1) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
