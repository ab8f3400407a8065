/**
 * Starts the supervised nats-server on loopback: finds the program, writes the configuration, and starts the program.
 * If an earlier supervisor left a server running, this server is adopted and no server is started
 * (`docs/architecture.md` decisions 8 and 28).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { availableParallelism } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { argumentsOf, ownProcesses, variableOf } from '../foundation/processes.ts';
import type { NatsSettings } from '../journal/credentials.ts';
import { certificateFile, certificateKeyFile, type NatsUser, seedFile } from '../journal/keys.ts';
import type { JournalRole } from '../journal/roles.ts';
import { natsConfig, natsConfigFile, writtenNatsConfig } from './nats-config.ts';

/** A nats-server that this supervisor started or adopted. `exited` resolves when the process has ended. */
export interface NatsServer {
  readonly pid: number;
  readonly adopted: boolean;
  readonly exited: Promise<void>;
}

/** Options of a server. */
export interface NatsServerOptions {
  dataDir: string;
  port: number;
  users: readonly NatsUser[];
  /** Maximum size of all streams of the server together, in bytes. */
  maxStore: number;
}

/** Thrown when a nats-server cannot be started or used. */
export class NatsServerError extends Error {}

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Returns the path of the program `nats-server`: the one that `npm run setup` unpacked, else the first one on the PATH;
 * undefined if none exists.
 */
export function findNatsServer(path = process.env.PATH ?? ''): string | undefined {
  const folders = [join(projectRoot, '.tools/nats-server/usr/sbin'), ...path.split(delimiter)];
  return findProgram('nats-server', folders);
}

/** Returns the path of a program in the first of the folders that has it; undefined if none has it. */
export function findProgram(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Returns the version of a nats-server program, such as 2.10.27. */
export function natsServerVersion(program: string): string {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return /v?(\d+\.\d+\.\d+\S*)/.exec(text)?.[1] ?? '0.0.0';
}

/**
 * Returns the settings for the connection of a role to the supervised server. The role uses its own key. The TLS
 * connection accepts only the certificate of this server.
 */
export function localJournal(dataDir: string, port: number, role: JournalRole): NatsSettings {
  return {
    natsUrl: `tls://127.0.0.1:${port}`,
    natsCredentials: seedFile(dataDir, role),
    natsTlsCa: certificateFile(dataDir),
    natsTlsCert: '',
    natsTlsKey: '',
    natsTlsFirst: /^ *handshake_first: true$/m.test(writtenNatsConfig(dataDir)),
  };
}

/**
 * Starts the server, or adopts a server that an earlier start left running. An earlier server is adopted if it is the
 * only one with this data directory, answers on the port, and has the same configuration. Otherwise all earlier servers
 * are ended, and a new server is started. Example: the earlier server has the configuration of an earlier version of
 * Tidings.
 * @throws NatsServerError if the program is missing, or if another program uses the port
 */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const { dataDir, port, users } = options;
  const earlier = findEarlier(dataDir);
  const taken = await answers(port);
  const answering = taken ? earlier.find((each) => each.port === port) : undefined;
  if (taken && !answering) {
    throw new NatsServerError(`Port ${port} is taken by another program. Set TIDINGS_NATS_PORT to a free one.`);
  }
  const program = findNatsServer();
  if (!program) throw new NatsServerError('nats-server was not found. Run: npm run setup');
  const config = natsConfig(dataDir, natsServerVersion(program), users);
  if (answering && earlier.length === 1 && writtenNatsConfig(dataDir) === config) return adopt(answering);
  // Two servers must never share a store, so all earlier servers of this data directory are ended. An earlier server
  // may listen on another port, not listen yet, or have an old configuration.
  for (const each of earlier) await end(each);
  const folder = join(dataDir, 'nats');
  mkdirSync(folder, { recursive: true });
  const file = natsConfigFile(dataDir);
  writeFileSync(file, config, { mode: 0o600 });
  const child = spawn(program, ['-c', file], {
    env: environment(options, folder),
    stdio: 'ignore',
    // The server gets its own process group, so that Ctrl-C in a terminal does not stop the server. The server must run
    // until it has stored all records that are still being sent to it.
    detached: true,
  });
  writeFileSync(pidFile(dataDir), `${child.pid ?? 0} ${port}\n`);
  return toServer(child);
}

/**
 * Maximum number of threads that run code of the server at the same time. The server needs a fifth of a core at the
 * highest load of a gateway. With a thread per core, it wakes an idle thread for each step of a message, and a delivery
 * costs a fifth more of the server's processor time.
 */
const serverThreads = Math.max(1, Math.floor(availableParallelism() / 2));

function environment({ dataDir, port, maxStore }: NatsServerOptions, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? '',
    TIDINGS_NATS_LISTEN: `127.0.0.1:${port}`,
    TIDINGS_NATS_CERT: JSON.stringify(certificateFile(dataDir)),
    TIDINGS_NATS_KEY: JSON.stringify(certificateKeyFile(dataDir)),
    TIDINGS_NATS_STORE: JSON.stringify(join(folder, 'jetstream')),
    TIDINGS_NATS_MAX_STORE: String(maxStore),
    TIDINGS_NATS_LOG: JSON.stringify(join(folder, 'server.log')),
    GOMAXPROCS: String(serverThreads),
  };
}

function toServer(child: ChildProcess): NatsServer {
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return { pid: child.pid ?? 0, adopted: false, exited };
}

/** A server of this data directory that an earlier start left running. */
interface Earlier {
  pid: number;
  port: number;
  /** Whether the server is still running. After a reboot, its process id can belong to another program. */
  runs(): boolean;
}

/**
 * Finds the running servers of this data directory by their command lines. The pid file is not enough. The file is
 * missing if an earlier start was interrupted before the file was written, or if the disk was full.
 */
function findEarlier(dataDir: string): Earlier[] {
  if (process.platform !== 'linux') return writtenServer(dataDir);
  const runs = (pid: number) => isServerOf(dataDir, argumentsOf(pid));
  return ownProcesses()
    .filter(runs)
    .map((pid) => ({ pid, port: portOf(variableOf(pid, 'TIDINGS_NATS_LISTEN')), runs: () => runs(pid) }));
}

function isServerOf(dataDir: string, [program = '', option, file = '']: readonly string[]): boolean {
  if (basename(program) !== 'nats-server' || option !== '-c') return false;
  const own = natsConfigFile(dataDir);
  return file === own || (existsSync(file) && existsSync(own) && realpathSync(file) === realpathSync(own));
}

function portOf(address = ''): number {
  return Number(address.split(':').at(-1));
}

/** Finds the server by the pid file of an earlier start, on systems other than Linux. */
function writtenServer(dataDir: string): Earlier[] {
  const file = pidFile(dataDir);
  const [pid = 0, port = 0] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
  const runs = () => pid > 1 && commandOf(pid).includes(natsConfigFile(dataDir));
  return runs() ? [{ pid, port, runs }] : [];
}

/**
 * Watches a server that is not a child of this process. This process gets no signal when the server ends, so the server
 * is checked every 200 ms.
 */
function adopt({ pid, runs }: Earlier): NatsServer {
  const exited = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (runs()) return;
      clearInterval(timer);
      resolve();
    }, 200);
  });
  return { pid, adopted: true, exited };
}

/** Ends a server that is not a child of this process: SIGTERM first, then SIGKILL every five seconds until it ends. */
async function end({ pid, runs }: Earlier): Promise<void> {
  for (let waited = 0; runs(); waited += 50) {
    if (waited % 5000 === 0) process.kill(pid, waited === 0 ? 'SIGTERM' : 'SIGKILL');
    await pause(50);
  }
}

/** Returns the command line of a process; an empty text if the process does not exist. */
function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
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
