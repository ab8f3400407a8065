/**
 * Runs the real service as a separate process, on free ports and with a temporary data directory. Tests use the service
 * over HTTP only, and kill its processes by process id.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { registry } from '../../src/foundation/metrics.ts';
import { afterwards } from './cleanup.ts';
import { checkContract, isStream } from './contract.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { waitUntil } from './wait-until.ts';

fetchOverLiveConnections();
// Checks that each reply in a test matches the OpenAPI document.
checkContract();

/**
 * Makes `fetch` wait two turns of the event loop before each request. A test that waits for a program synchronously
 * blocks this process. Meanwhile the service may close a connection that was idle for ten seconds. Without the wait,
 * `fetch` would not notice the close and would reuse this connection. By the second turn, `fetch` has noticed the
 * close.
 */
function fetchOverLiveConnections(): void {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    await turn();
    await turn();
    return plain(input, init);
  };
}

const ownProgram = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** A reply of the service, with its body parsed as JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any;
}

/** The program of a service, and where it runs. */
export interface Launch {
  /** The main program of another build. */
  program?: string;
  /** The program and arguments that start a command elsewhere, such as in another network; none by default. */
  enter?: readonly string[];
}

/** Start options of a service, in addition to the test defaults (no limits, free ports). */
export interface ServiceOptions extends Launch {
  env?: Record<string, string>;
  /** Data directory of a previous service. The new service starts with the data in this directory. */
  dataDir?: string;
  /** False to return without waiting, for a service that cannot become ready. */
  waits?: boolean;
}

/** A kind of process of the service. */
export type Part = 'supervisor' | 'gateway' | 'worker' | 'nats-server';

/** Settings that remove all rate limits. The demo and the benchmarks use the same settings. */
export const noLimits = {
  TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '0',
  TIDINGS_LIMIT_WEBHOOKS_PER_HOUR: '0',
  TIDINGS_LIMIT_API_PER_MINUTE: '0',
  TIDINGS_LIMIT_API_PER_HOUR: '0',
  TIDINGS_LIMIT_API_PER_DAY: '0',
};

/** Starts a service and waits until it is ready. The service stops when the test ends. */
export async function startService(t: TestContext, options: ServiceOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? join(temporaryFolder(t), 'data');
  const [port, opsPort, natsPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH ?? '',
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_PORT: String(port),
    // The service sends no mail without a public URL. A test sets '' to check this.
    TIDINGS_PUBLIC_URL: `http://127.0.0.1:${port}`,
    TIDINGS_OPS_PORT: String(opsPort),
    TIDINGS_NATS_PORT: String(natsPort),
    TIDINGS_LOG_LEVEL: 'warn',
    // On a busy disk, writing one message can take seconds.
    TIDINGS_ACK_DEADLINE_MS: '30000',
    // The default depends on the number of cores, and tests must do the same on every machine.
    TIDINGS_PARTITIONS: '4',
    ...noLimits,
    ...options.env,
  };
  const service = new TestService(env, options);
  afterwards(t, () => service.stop());
  if (options.waits !== false) await service.ready();
  return service;
}

/** Returns the command line of the program with its arguments. @param flags flags of Node */
function commandLine(
  { enter = [], program = ownProgram }: Launch,
  args: readonly string[],
  flags: readonly string[] = [],
): [string, ...string[]] {
  return [...enter, process.execPath, ...flags, program, ...args] as [string, ...string[]];
}

export class TestService {
  readonly env: Record<string, string>;
  readonly launch: Launch;
  /** Everything that the service has logged so far. */
  log = '';
  private readonly process: ChildProcess;
  private readonly exited: Promise<void>;
  /**
   * Resolves when the service and its child processes have ended. All these processes write to the same output. The log
   * is therefore complete when the promise resolves.
   */
  private readonly ended: Promise<number | null>;

  constructor(env: Record<string, string>, launch: Launch = {}) {
    this.env = env;
    this.launch = launch;
    const [command, ...args] = commandLine(launch, ['start'], ['--enable-source-maps']);
    this.process = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.process.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.log += chunk;
    });
    this.exited = new Promise((resolve) => this.process.once('exit', () => resolve()));
    this.ended = new Promise((resolve) => this.process.once('close', (code) => resolve(code)));
  }

  get url(): string {
    return `http://${this.env.TIDINGS_HOST ?? '127.0.0.1'}:${this.env.TIDINGS_PORT}`;
  }

  get opsUrl(): string {
    return `http://${this.env.TIDINGS_OPS_HOST ?? '127.0.0.1'}:${this.env.TIDINGS_OPS_PORT}`;
  }

  get dataDir(): string {
    return this.env.TIDINGS_DATA_DIR as string;
  }

  get secret(): string {
    const [configured] = this.env.TIDINGS_WEBHOOK_SECRETS?.split(',') ?? [];
    return configured ?? readFileSync(join(this.dataDir, 'webhook-secret'), 'utf8').trim();
  }

  get adminKey(): string {
    return readFileSync(join(this.dataDir, 'admin-key'), 'utf8').trim();
  }

  /** Waits until /readyz reports ready. */
  async ready(): Promise<void> {
    await waitUntil(`the service is ready\n${this.log}`, async () => {
      if (this.process.exitCode !== null)
        throw new Error(`the service ended with ${this.process.exitCode}\n${this.log}`);
      const answer = await fetch(`${this.opsUrl}/readyz`).catch(() => undefined);
      return answer?.status === 200;
    });
  }

  /** Sends one API request with the key `key`. The default is the admin key. */
  async api(
    method: string,
    path: string,
    body?: unknown,
    key = this.adminKey,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return read(response);
  }

  /** Posts a signed delivery. `headers` replace the headers that a host would send. */
  async deliver(event: string, payload: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const signature = createHmac('sha256', this.secret).update(body).digest('hex');
    const response = await fetch(`${this.url}/api/webhooks/scm`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-scm-event': event,
        'x-scm-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${signature}`,
        ...headers,
      },
    });
    return read(response);
  }

  /** Runs a `tidings` command on this service, waits for its end and returns its output. */
  tidings(...args: string[]): string {
    const [command, ...rest] = commandLine(this.launch, args);
    return execFileSync(command, rest, { env: this.env, encoding: 'utf8', maxBuffer: 2 ** 28 });
  }

  /**
   * Runs a command without blocking this process, because a test host in this process may have to answer the service.
   * Resolves with the exit code and the output.
   */
  run(...args: string[]): Promise<{ code: number | null; output: string }> {
    return TestService.commandAs(this.launch, this.env, ...args);
  }

  /** Runs a command with the environment `env`, also if no service runs. */
  static command(env: Record<string, string>, ...args: string[]): Promise<{ code: number | null; output: string }> {
    return TestService.commandAs({}, env, ...args);
  }

  /** Runs a command of the program, and in the place, that a service is launched with. */
  static commandAs(
    launch: Launch,
    env: Record<string, string>,
    ...args: string[]
  ): Promise<{ code: number | null; output: string }> {
    const [command, ...rest] = commandLine(launch, args);
    const child = spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  }

  /**
   * Returns the sum of a metric over all its labels; 0 when the metric has no values.
   * @throws AssertionError if the service declares no such metric, so that no misspelled name counts as 0
   */
  async metric(name: string): Promise<number> {
    const declared = name.replace(/(_count|_sum|_bucket)?(\\?\{.*)?$/, '');
    assert.ok(registry.getSingleMetric(declared), `the service has no metric ${declared}`);
    const text = await (await fetch(`${this.opsUrl}/metrics`)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
    return values.reduce((sum, match) => sum + Number(match[1]), 0);
  }

  /**
   * Waits until all given parts run, then kills their processes with SIGKILL. Returns the process ids that all parts of
   * the service had before.
   */
  async killParts(...parts: readonly Part[]): Promise<Record<Part, number>> {
    const pids = await waitUntil(`${parts.join(' and ')} run`, () => {
      const now = this.pids();
      return parts.every((part) => now[part] !== 0) && now;
    });
    for (const part of parts) killNow(pids[part]);
    return pids;
  }

  /**
   * Returns the process id of each part; 0 for a part that does not run. Never send a signal to 0, because the signal
   * would reach this process and its group.
   */
  pids(): Record<Part, number> {
    const supervisor = this.process.pid as number;
    const found = { supervisor, gateway: 0, worker: 0, 'nats-server': 0 };
    for (const pid of processes()) {
      const command = commandOf(pid);
      if (command.includes('nats-server') && command.includes(this.dataDir)) found['nats-server'] = pid;
      else if (parentOf(pid) !== supervisor) continue;
      else if (command.includes('gateway/main')) found.gateway = pid;
      else if (command.includes('partition/main')) found.worker = pid;
    }
    return found;
  }

  /** Returns the process ids of the gateways that run, by their numbers. */
  gateways(): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    for (const pid of processes()) {
      const [, number] = /gateway\/main\.js\0(\d+)/.exec(commandOf(pid)) ?? [];
      if (number !== undefined && parentOf(pid) === this.process.pid) found.set(Number(number), pid);
    }
    return found;
  }

  /** Sends a signal to the supervisor only. */
  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Stops the service with SIGTERM, as an operator does; resolves with the exit code. */
  stop(): Promise<number | null> {
    if (this.process.exitCode === null) this.process.kill('SIGTERM');
    return this.ended;
  }

  /** Waits until the service has ended on its own; resolves with the exit code. */
  exit(): Promise<number | null> {
    return this.ended;
  }

  /** Kills the supervisor with SIGKILL. Its child processes continue to run for a moment. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }
}

/** Kills a process with SIGKILL, unless it has already ended. */
function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function commandOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Reads a reply. A stream of events is closed without reading it. */
export async function read(response: Response): Promise<Answer> {
  if (isStream(response)) await response.body?.cancel();
  const text = isStream(response) ? '' : await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // The body is not JSON, so the test gets the text.
  }
  return { status: response.status, headers: response.headers, body };
}
