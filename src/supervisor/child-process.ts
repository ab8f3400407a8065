/**
 * One child process of the supervisor: started, restarted with growing, jittered delay when it dies, asked for its metrics,
 * told to stop. It learns that its supervisor is gone by the closing of their channel.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../foundation/logger.ts';
import { childRestarts } from '../foundation/metrics.ts';
import type { ChildMessage, SupervisorMessage } from './child-program.ts';

/** How to start a child. */
export interface ChildOptions {
  role: 'gateway' | 'worker';
  /** Name in logs and in /readyz. */
  name: string;
  /** Program, relative to this file. */
  program: string;
  args: readonly string[];
  env: Record<string, string>;
  logger: Logger;
  onReady: () => void;
  /** Called when the child has never been ready and keeps ending, or says that a restart cannot help; it is still started again. */
  onHopeless: (error: Error) => void;
}

const firstDelayMs = 100;
const longestDelayMs = 5000;
/** A child that lived this long starts again without delay from scratch. */
const steadyMs = 30_000;
/** Ends without ever being ready, after which whoever waits for the start is told. */
const hopelessEnds = 5;
/** Less than a scrape waits; a child that a busy machine holds up for a moment is not left out. */
const metricsMs = 5000;

/** A child that cannot be started; its own log lines say why. */
export class ChildError extends Error {
  constructor(name: string, end: string, reason: string | undefined) {
    super(`The ${name} cannot be started (${end}). ${reason ?? 'Its last log lines say why.'}`);
    this.name = 'ChildError';
  }
}

export class Child {
  readonly options: ChildOptions;
  ready = false;
  /** Whether it has been ready once: what it was started for is open, even if it has stopped serving a part since. */
  started = false;
  /** Where a gateway listens. */
  address: { host: string; port: number } | undefined;
  private process: ChildProcess | undefined;
  private stopping = false;
  private failures = 0;
  /** What the child said of its last failure. */
  private failed: { reason: string; isFinal: boolean } | undefined;
  private asked = 0;
  private readonly answers = new Map<number, (metrics: object[]) => void>();
  private restart: NodeJS.Timeout | undefined;

  constructor(options: ChildOptions) {
    this.options = options;
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  start(): void {
    const { program, args, env, name, logger } = this.options;
    const started = performance.now();
    const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
      env: { ...baseEnvironment(), ...env },
      execArgv: ['--enable-source-maps'],
    });
    this.process = child;
    child.on('message', (message: ChildMessage) => this.heard(message));
    // A process that could not be made never exits; other errors of a living one come before its exit.
    child.on('error', (error) => {
      logger.error({ child: name, err: error }, 'child process failed');
      if (child.pid === undefined) child.emit('exit', null, null);
    });
    child.once('exit', (code, signal) => {
      this.ready = false;
      this.process = undefined;
      for (const answer of this.answers.values()) answer([]);
      if (this.stopping) return;
      this.failures = performance.now() - started > steadyMs ? 0 : this.failures + 1;
      logger.error({ child: name, code, signal }, 'child ended and is started again');
      if (!this.started && (this.failures >= hopelessEnds || this.failed?.isFinal)) {
        this.options.onHopeless(new ChildError(name, signal ?? `exit code ${code}`, this.failed?.reason));
      }
      this.later();
    });
  }

  /** The child's metrics; none while it is down or does not answer in time. */
  metrics(): Promise<object[]> {
    const child = this.process;
    if (!child?.connected) return Promise.resolve([]);
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.answers.get(id)?.([]), metricsMs);
      this.answers.set(id, (metrics) => {
        clearTimeout(timer);
        this.answers.delete(id);
        resolve(metrics);
      });
      this.tell({ type: 'metrics', id });
    });
  }

  /** Tells the child to stop and waits until it has; it is killed after `ms`. */
  async stop(ms: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.process;
    if (!child) return;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    this.tell({ type: 'stop' });
    const timer = setTimeout(() => {
      this.options.logger.error({ child: this.options.name }, 'child did not stop in time and is killed');
      child.kill('SIGKILL');
    }, ms);
    await exited;
    clearTimeout(timer);
  }

  private later(): void {
    const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, this.failures - 1));
    childRestarts.inc({ role: this.options.role });
    this.restart = setTimeout(() => this.start(), delay * (0.75 + Math.random() / 2));
  }

  private tell(message: SupervisorMessage): void {
    this.process?.send(message, () => {});
  }

  private heard(message: ChildMessage): void {
    if (message.type === 'metrics') return this.answers.get(message.id)?.(message.metrics);
    if (message.type === 'failed') {
      this.failed = message;
      return;
    }
    this.ready = message.ready;
    this.address = message.address ?? this.address;
    if (!message.ready) return;
    this.started = true;
    this.options.onReady();
  }
}

/** Children get their settings spelled out, and of the rest only what a runtime needs. */
function baseEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NO_COLOR', 'TERM'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
