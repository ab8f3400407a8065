/**
 * Runs the program of a child process of the supervisor. Every child loads its settings, waits for the message to
 * begin, and reports whether it is ready. It sends its metrics on request. It stops on request, or when the supervisor has ended (`docs/architecture.md`
 * decision 28).
 */
import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/schema.ts';
import { createLogger, type Logger } from '../foundation/logger.ts';
import { collectRuntimeMetrics, registry } from '../foundation/metrics.ts';
import { keepFilesPrivate } from '../foundation/private-files.ts';
import type { DurabilityLevel } from '../journal/topology.ts';

/** A message from a child to the supervisor. */
export type ChildMessage =
  | { type: 'ready'; ready: boolean; address?: { host: string; port: number } }
  /** What a part of the child waits for; without `state`, the part waits no longer. */
  | { type: 'waiting'; part: string; state?: string }
  | { type: 'metrics'; id: number; metrics: object[] }
  /** Sent just before the child exits. `isFinal` is true if a restart would fail in the same way. */
  | { type: 'failed'; reason: string; isFinal: boolean };

/** A message from the supervisor to a child. */
export type SupervisorMessage =
  | { type: 'begin'; durability: DurabilityLevel; mayLead: boolean }
  /** Follows a `begin` without permission to lead, when this node was compared with the others of its cluster. */
  | { type: 'lead' }
  | { type: 'stop' }
  | { type: 'metrics'; id: number };

/** The settings, logger and callbacks that a child's program gets. */
export interface ChildContext {
  settings: Settings;
  logger: Logger;
  /** The failures that an acknowledged record survives. */
  durability: DurabilityLevel;
  /** Reports to the supervisor whether this process can do its work now. */
  setReady: (ready: boolean, address?: { host: string; port: number }) => void;
  /** Resolves when this node fits its cluster, so that it may lead partitions. At once on one machine. */
  mayLead: Promise<void>;
  /**
   * Reports to the supervisor what a part of this process waits for, so that `/readyz` shows it. An undefined `state` ends
   * the report.
   */
  setWaiting: (part: string, state: string | undefined) => void;
  /** Ends the process after a failure that only a restart can repair. */
  fail: (error: Error) => void;
}

/** The running program of a child. */
export interface ChildProgram {
  stop: () => Promise<void>;
}

/** Runs a program as a child of the supervisor until the supervisor stops it. */
export async function runChild(role: string, start: (context: ChildContext) => Promise<ChildProgram>): Promise<void> {
  keepFilesPrivate();
  const settings = loadSettings();
  const logger = createLogger(role, settings.logLevel);
  collectRuntimeMetrics();
  const fail = (error: Error): void => {
    logger.fatal({ err: error }, `${role} cannot continue`);
    send({ type: 'failed', reason: error.message, isFinal: /^(ListenError|ClusterError)$/.test(error.name) });
    die();
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', (reason) => fail(reason instanceof Error ? reason : new Error(String(reason))));
  // Ctrl-C in a terminal sends a signal to every process of the group. Children ignore the signal, because the
  // supervisor stops them in the right order.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', die);
  let stopping = false;
  let program: ChildProgram | undefined;
  let begin = (_durability: DurabilityLevel): void => {};
  const begun = new Promise<DurabilityLevel>((resolve) => {
    begin = resolve;
  });
  let allowLead = (): void => {};
  const mayLead = new Promise<void>((resolve) => {
    allowLead = resolve;
  });
  process.on('message', (message: SupervisorMessage) => {
    if (message.type === 'metrics') void sendMetrics(message.id);
    else if (message.type === 'begin') {
      begin(message.durability);
      if (message.mayLead) allowLead();
    } else if (message.type === 'lead') allowLead();
    else if (!stopping) {
      stopping = true;
      void stop(program).catch(fail);
    }
  });
  const setReady: ChildContext['setReady'] = (ready, address) =>
    send({ type: 'ready', ready, ...(address && { address }) });
  const setWaiting: ChildContext['setWaiting'] = (part, state) =>
    send({ type: 'waiting', part, ...(state !== undefined && { state }) });
  const durability = await begun;
  program = await start({ settings, logger, durability, mayLead, setReady, setWaiting, fail });
}

/**
 * Kills this process. An ordinary exit would wait for LMDB's writer, which can wait for a transaction that never ends.
 * A kill at any point does not damage the stored data.
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
