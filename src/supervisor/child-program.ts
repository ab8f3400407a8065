/**
 * What every child of the supervisor does alike: it loads its settings, tells whether it is ready, hands over its metrics,
 * stops when told, and exits when the supervisor is gone (`docs/architecture.md` decision 28).
 */
import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/schema.ts';
import { createLogger, type Logger } from '../foundation/logger.ts';
import { collectRuntimeMetrics, registry } from '../foundation/metrics.ts';
import { keepFilesPrivate } from '../foundation/private-files.ts';

/** Child to supervisor. */
export type ChildMessage =
  | { type: 'ready'; ready: boolean; address?: { host: string; port: number } }
  | { type: 'metrics'; id: number; metrics: object[] }
  /** Sent just before the end. `isFinal` = a restart would fail alike. */
  | { type: 'failed'; reason: string; isFinal: boolean };

/** Supervisor to child. */
export type SupervisorMessage = { type: 'stop' } | { type: 'metrics'; id: number };

/** What a child's program gets to work with. */
export interface ChildContext {
  settings: Settings;
  logger: Logger;
  /** Tells the supervisor whether this process does its work right now. */
  setReady: (ready: boolean, address?: { host: string; port: number }) => void;
  /** Ends the process after a failure that only a restart mends. */
  fail: (error: Error) => void;
}

/** A running child's program. */
export interface ChildProgram {
  stop: () => Promise<void>;
}

/** Runs a program as a child of the supervisor until it is told to stop. */
export async function runChild(role: string, start: (context: ChildContext) => Promise<ChildProgram>): Promise<void> {
  keepFilesPrivate();
  const settings = loadSettings();
  const logger = createLogger(role, settings.logLevel);
  collectRuntimeMetrics();
  const fail = (error: Error): void => {
    logger.fatal({ err: error }, `${role} cannot go on`);
    send({ type: 'failed', reason: error.message, isFinal: error.name === 'ListenError' });
    die();
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', (reason) => fail(reason instanceof Error ? reason : new Error(String(reason))));
  // A terminal's Ctrl-C reaches every process of its group; the supervisor alone decides the order of stopping.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', die);
  let stopping = false;
  let program: ChildProgram | undefined;
  process.on('message', (message: SupervisorMessage) => {
    if (message.type === 'metrics') void sendMetrics(message.id);
    else if (!stopping) {
      stopping = true;
      void stop(program).catch(fail);
    }
  });
  const setReady: ChildContext['setReady'] = (ready, address) =>
    send({ type: 'ready', ready, ...(address && { address }) });
  program = await start({ settings, logger, setReady, fail });
}

/**
 * Ends the process at once. An ordinary exit waits for LMDB's writer, which waits for a transaction that goes on no more;
 * what is stored stands a kill at any point.
 */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function stop(program: ChildProgram | undefined): Promise<void> {
  await program?.stop();
  process.exit(0);
}

async function sendMetrics(id: number): Promise<void> {
  send({ type: 'metrics', id, metrics: await registry.getMetricsAsJSON() });
}

function send(message: ChildMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
