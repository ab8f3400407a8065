/**
 * The real service as a process of its own: started on free ports over a temporary data directory, spoken to over HTTP only,
 * killed in parts by process id where a test wants that.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterwards } from './cleanup.ts';
import { holdToContract } from './contract.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { waitUntil } from './wait-until.ts';

fetchOverLiveConnections();
// Whatever a test asks a service, the answer is as the OpenAPI document says.
holdToContract();

/**
 * A program that is run to its end holds this process up: a connection that the service has closed meanwhile, as idle for ten
 * seconds, would be used again before its end is read. The second of two turns of the event loop has read it.
 */
function fetchOverLiveConnections(): void {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    await turn();
    await turn();
    return plain(input, init);
  };
}

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** An answer, its JSON body read. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any;
}

/** How a service is started besides the defaults of tests (no limits, free ports). */
export interface ServiceOptions {
  env?: Record<string, string>;
  /** An existing data directory, to start on what an earlier service left. */
  dataDir?: string;
  /** False for a service that cannot become ready. */
  waits?: boolean;
}

/** A process of a service. */
export type Part = 'supervisor' | 'gateway' | 'worker' | 'nats-server';

/** Settings that lift the limits, as the demo and the benchmarks do. */
export const noLimits = {
  TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '0',
  TIDINGS_LIMIT_WEBHOOKS_PER_HOUR: '0',
  TIDINGS_LIMIT_API_PER_MINUTE: '0',
  TIDINGS_LIMIT_API_PER_HOUR: '0',
  TIDINGS_LIMIT_API_PER_DAY: '0',
};

/** Starts a service and waits until it is ready; it stops when the test ends. */
export async function startService(t: TestContext, options: ServiceOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? join(temporaryFolder(t), 'data');
  const [port, opsPort, natsPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH ?? '',
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_PORT: String(port),
    // Without it no mail is sent. A test sets it to '' to see that.
    TIDINGS_PUBLIC_URL: `http://127.0.0.1:${port}`,
    TIDINGS_OPS_PORT: String(opsPort),
    TIDINGS_NATS_PORT: String(natsPort),
    TIDINGS_LOG_LEVEL: 'warn',
    // A disk that others keep busy can take seconds for one message.
    TIDINGS_ACK_DEADLINE_MS: '30000',
    ...noLimits,
    ...options.env,
  };
  const service = new TestService(env);
  afterwards(t, () => service.stop());
  if (options.waits !== false) await service.ready();
  return service;
}

export class TestService {
  readonly env: Record<string, string>;
  /** What the service has logged. */
  log = '';
  private readonly process: ChildProcess;
  private readonly exited: Promise<void>;
  /** When its children, which share its output, have ended too: nothing is written any more, all that was said is in the log. */
  private readonly ended: Promise<number | null>;

  constructor(env: Record<string, string>) {
    this.env = env;
    this.process = spawn(process.execPath, ['--enable-source-maps', program, 'start'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.process.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.log += chunk;
    });
    this.exited = new Promise((resolve) => this.process.once('exit', () => resolve()));
    this.ended = new Promise((resolve) => this.process.once('close', (code) => resolve(code)));
  }

  get url(): string {
    return `http://127.0.0.1:${this.env.TIDINGS_PORT}`;
  }

  get opsUrl(): string {
    return `http://127.0.0.1:${this.env.TIDINGS_OPS_PORT}`;
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

  /** Waits until /readyz says so. */
  async ready(): Promise<void> {
    await waitUntil(`the service is ready\n${this.log}`, async () => {
      if (this.process.exitCode !== null)
        throw new Error(`the service ended with ${this.process.exitCode}\n${this.log}`);
      const answer = await fetch(`${this.opsUrl}/readyz`).catch(() => undefined);
      return answer?.status === 200;
    });
  }

  /** One API call with the admin key, or with another one. */
  async api(method: string, path: string, body?: unknown, key = this.adminKey): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return read(response);
  }

  /** Posts a signed delivery; `headers` win over those that a host would send. */
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

  /** Runs a command of the command line against this service. */
  tidings(...args: string[]): string {
    return execFileSync(process.execPath, [program, ...args], { env: this.env, encoding: 'utf8', maxBuffer: 2 ** 28 });
  }

  /** The same while this process goes on, for instance as the host that the service asks; how it ended and what it said. */
  run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [program, ...args], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  }

  /** Value of a metric summed over its labels; 0 while it has none. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.opsUrl}/metrics`)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
    return values.reduce((sum, match) => sum + Number(match[1]), 0);
  }

  /** Kills processes without warning, each as soon as it runs; their ids. */
  async killParts(...parts: readonly Part[]): Promise<Record<Part, number>> {
    const pids = await waitUntil(`${parts.join(' and ')} run`, () => {
      const now = this.pids();
      return parts.every((part) => now[part] !== 0) && now;
    });
    for (const part of parts) killNow(pids[part]);
    return pids;
  }

  /** Process ids by what they run; 0, which would mean this process and its kin, for what does not run right now. */
  pids(): Record<Part, number> {
    const supervisor = this.process.pid as number;
    const found = { supervisor, gateway: 0, worker: 0, 'nats-server': 0 };
    for (const pid of readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)) {
      const command = commandOf(pid);
      if (command.includes('nats-server') && command.includes(this.dataDir)) found['nats-server'] = pid;
      else if (parentOf(pid) !== supervisor) continue;
      else if (command.includes('gateway/main')) found.gateway = pid;
      else if (command.includes('partition/main')) found.worker = pid;
    }
    return found;
  }

  /** Sends a signal to the supervisor alone. */
  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Stops the service as an operator would; its exit code. */
  stop(): Promise<number | null> {
    if (this.process.exitCode === null) this.process.kill('SIGTERM');
    return this.ended;
  }

  /** Waits until the service has ended by itself; its exit code. */
  exit(): Promise<number | null> {
    return this.ended;
  }

  /** Ends the supervisor without warning; what it started goes on for a moment. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }
}

/** Without its supervisor a part can end before its own turn. */
function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
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

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON: the test sees the text.
  }
  return { status: response.status, headers: response.headers, body };
}
