/**
 * The supervised nats-server: where its program is, the configuration it runs with, its start on loopback, and the adoption
 * of one that an earlier supervisor left behind (`docs/architecture.md` decisions 8 and 28).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atLeast } from './journal/topology.ts';

/** A nats-server that this supervisor runs or found running. `exited` resolves when it is gone. */
export interface NatsServer {
  readonly pid: number;
  readonly adopted: boolean;
  readonly exited: Promise<void>;
}

/** What a server is started with. */
export interface NatsServerOptions {
  dataDir: string;
  port: number;
  token: string;
  /** Bytes its streams may take together. */
  maxStore: number;
}

/** No usable nats-server program. */
export class NatsServerError extends Error {}

const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** The program: the one that set-up unpacked, else the first on the PATH; undefined when there is none. */
export function findNatsServer(path = process.env.PATH ?? ''): string | undefined {
  const folders = [join(projectRoot, '.tools/nats-server/usr/sbin'), ...path.split(delimiter)];
  return folders.map((folder) => join(folder, 'nats-server')).find(isExecutable);
}

/** Version of a program, like 2.10.27. */
export function natsServerVersion(program: string): string {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return /v?(\d+\.\d+\.\d+\S*)/.exec(text)?.[1] ?? '0.0.0';
}

/** The address children connect to. */
export function localNatsUrl(port: number, token: string): string {
  return `nats://${token}@127.0.0.1:${port}`;
}

/**
 * Starts the server, or adopts one that answers on the port and was started with this data directory.
 * @throws NatsServerError when there is no program, or another program has the port
 */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const { dataDir, port } = options;
  if (await answers(port)) return adopt(dataDir, port);
  const program = findNatsServer();
  if (!program) throw new NatsServerError('There is no nats-server. Run: npm run setup');
  const folder = join(dataDir, 'nats');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'server.conf');
  writeFileSync(config, configFor(natsServerVersion(program)), { mode: 0o600 });
  const child = spawn(program, ['-c', config], {
    env: environment(options, folder),
    stdio: 'ignore',
    // Its own process group: a terminal's Ctrl-C must not stop it before what is in flight is stored.
    detached: true,
  });
  writeFileSync(pidFile(dataDir), `${child.pid}\n`);
  return toServer(child);
}

/** The configuration, without the option that older servers refuse. */
function configFor(version: string): string {
  const text = readFileSync(join(projectRoot, 'config/nats-server.conf'), 'utf8');
  return atLeast(version, [2, 10, 0]) ? text : text.replace(/^ *sync_interval:.*\n/m, '');
}

function environment({ port, token, maxStore }: NatsServerOptions, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? '',
    TIDINGS_NATS_LISTEN: `127.0.0.1:${port}`,
    TIDINGS_NATS_TOKEN: token,
    TIDINGS_NATS_STORE: JSON.stringify(join(folder, 'jetstream')),
    TIDINGS_NATS_MAX_STORE: String(maxStore),
    TIDINGS_NATS_LOG: JSON.stringify(join(folder, 'server.log')),
  };
}

function toServer(child: ChildProcess): NatsServer {
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return { pid: child.pid ?? 0, adopted: false, exited };
}

/** A server with our process id file is ours; its end can only be seen by looking. */
function adopt(dataDir: string, port: number): NatsServer {
  const file = pidFile(dataDir);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (!isAlive(pid)) {
    throw new NatsServerError(`Port ${port} is taken by another program. Set TIDINGS_NATS_PORT to a free one.`);
  }
  const exited = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (isAlive(pid)) return;
      clearInterval(timer);
      resolve();
    }, 200);
  });
  return { pid, adopted: true, exited };
}

function isAlive(pid: number): boolean {
  if (pid <= 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'nats-server.pid');
}
