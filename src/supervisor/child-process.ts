/**
 * Runs one child process of the supervisor: starts it, lets it begin, restarts it with a growing, jittered delay, reads its metrics
 * and stops it. When the supervisor ends, the IPC channel closes, and the child stops.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../foundation/logger.ts';
import { childRestarts } from '../foundation/metrics.ts';
import type { DurabilityLevel } from '../journal/topology.ts';
import type { ChildMessage, SupervisorMessage } from './child-program.ts';

/** Options of a child. */
export interface ChildOptions {
  role: 'gateway' | 'worker';
  /** Name of the child in logs and in /readyz. */
  name: string;
  /** Path of the child's program, relative to this file. */
  program: string;
  args: readonly string[];
  env: Record<string, string>;
  logger: Logger;
  onReady: () => void;
  /**
   * Called with the reason when a child that was never ready keeps exiting. Also called when such a child reports that
   * a restart cannot help. In both cases, the supervisor still restarts the child.
   */
  onHopeless: (error: Error) => void;
}

const firstDelayMs = 100;
const maxDelayMs = 5000;
/**
 * If a child ran for longer than this many milliseconds before it exited, the restart delays begin with the shortest
 * delay again.
 */
const steadyMs = 30_000;
/** Number of exits in a row after which `onHopeless` is called for a child that was never ready. */
const hopelessEnds = 5;
/**
 * How long the supervisor waits for a child's metrics, in milliseconds. This time is shorter than the timeout of a
 * scrape by Prometheus. It is long enough for a child that is slow for a moment on a busy machine.
 */
const metricsMs = 5000;

/** Reports that a child cannot be started. The child's own log lines give details. */
export class ChildError extends Error {
  constructor(name: string, end: string, reason: string | undefined) {
    super(`The ${name} cannot be started (${end}). ${reason ?? 'See its last log lines.'}`);
    this.name = 'ChildError';
  }
}

export class Child {
  readonly options: ChildOptions;
  ready = false;
  /**
   * Whether the child has been ready at least once. If so, its partitions or ports have been opened, even if it is not
   * ready now.
   */
  started = false;
  /** What parts of the child wait for, by part. */
  readonly waiting = new Map<string, string>();
  /** Address that the child listens on; only a gateway has one. */
  address: { host: string; port: number } | undefined;
  private process: ChildProcess | undefined;
  /** The level that {@link begin} was called with; undefined before that. */
  private durability: DurabilityLevel | undefined;
  private mayLead = false;
  private stopping = false;
  private failures = 0;
  /** The child's report of its last failure. */
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

  /** Starts the process. It loads its program, and then waits for {@link begin}. */
  start(): void {
    const { program, args, env, name, logger } = this.options;
    const started = performance.now();
    const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
      env: { ...baseEnvironment(), ...env },
      execArgv: ['--enable-source-maps'],
    });
    this.process = child;
    this.sendBegin();
    child.on('message', (message: ChildMessage) => this.receive(message));
    // A process that could not be created emits no `exit` event, so the event is emitted here. After any other error,
    // the process itself emits `exit`.
    child.on('error', (error) => {
      logger.error({ child: name, err: error }, 'child process failed');
      if (child.pid === undefined) child.emit('exit', null, null);
    });
    child.once('exit', (code, signal) => {
      this.ready = false;
      this.waiting.clear();
      this.process = undefined;
      for (const answer of this.answers.values()) answer([]);
      if (this.stopping) return;
      this.failures = performance.now() - started > steadyMs ? 0 : this.failures + 1;
      logger.error({ child: name, code, signal }, 'child process ended and is restarted');
      if (!this.started && (this.failures >= hopelessEnds || this.failed?.isFinal)) {
        this.options.onHopeless(new ChildError(name, signal ?? `exit code ${code}`, this.failed?.reason));
      }
      this.later();
    });
  }

  /** Lets the process do its work. After a restart, it begins immediately. */
  begin(durability: DurabilityLevel): void {
    this.durability = durability;
    this.sendBegin();
  }

  /** Lets the process lead partitions, also after a restart. */
  allowLead(): void {
    this.mayLead = true;
    if (this.durability !== undefined) this.send({ type: 'lead' });
  }

  /** Reads the child's metrics. Returns an empty list if the child is not running or does not answer in time. */
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
      this.send({ type: 'metrics', id });
    });
  }

  /** Asks the child to stop and waits for its exit. Kills the child if it is still running after `ms` milliseconds. */
  async stop(ms: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.process;
    if (!child) return;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    // A process that has not begun has nothing to finish.
    if (this.durability !== undefined) this.send({ type: 'stop' });
    else child.kill('SIGKILL');
    const timer = setTimeout(() => {
      this.options.logger.error({ child: this.options.name }, 'child process did not stop in time and is killed');
      child.kill('SIGKILL');
    }, ms);
    await exited;
    clearTimeout(timer);
  }

  private later(): void {
    const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.max(0, this.failures - 1));
    childRestarts.inc({ role: this.options.role });
    this.restart = setTimeout(() => this.start(), delay * (0.75 + Math.random() / 2));
  }

  private sendBegin(): void {
    const { durability, mayLead } = this;
    if (durability !== undefined) this.send({ type: 'begin', durability, mayLead });
  }

  private send(message: SupervisorMessage): void {
    this.process?.send(message, () => {});
  }

  private receive(message: ChildMessage): void {
    if (message.type === 'metrics') return this.answers.get(message.id)?.(message.metrics);
    if (message.type === 'waiting') {
      if (message.state === undefined) this.waiting.delete(message.part);
      else this.waiting.set(message.part, message.state);
      return;
    }
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

/**
 * Returns the environment variables that the runtime of a child needs, copied from this process. The caller adds the
 * variables with the child's settings.
 */
function baseEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NO_COLOR', 'TERM'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
