/**
 * The supervised nats-server: where its program is, the configuration it runs with, its start on loopback, and the adoption
 * of one that an earlier supervisor left behind (`docs/architecture.md` decisions 8 and 28).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { argumentsOf, ownProcesses, variableOf } from '../foundation/processes.ts';
import type { NatsSettings } from '../journal/credentials.ts';
import { certificateFile, certificateKeyFile, type NatsUser, seedFile } from '../journal/keys.ts';
import type { JournalRole } from '../journal/roles.ts';
import { natsConfig, natsConfigFile, writtenNatsConfig } from './nats-config.ts';

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
  users: readonly NatsUser[];
  /** Bytes its streams may take together. */
  maxStore: number;
}

/** No usable nats-server program. */
export class NatsServerError extends Error {}

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

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

/** How a role reaches the server: with its own key, over TLS, and no other certificate than the server's is accepted. */
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
 * Starts the server, or adopts one that answers on the port and was started with this data directory and configuration. A
 * server with another configuration, such as that of an earlier version, is ended first.
 * @throws NatsServerError when there is no program, or another program has the port
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
  if (!program) throw new NatsServerError('There is no nats-server. Run: npm run setup');
  const config = natsConfig(dataDir, natsServerVersion(program), users);
  if (answering && earlier.length === 1 && writtenNatsConfig(dataDir) === config) return adopt(answering);
  // They listen on another port or not yet, or are out of date: two servers must never share a store.
  for (const each of earlier) await end(each);
  const folder = join(dataDir, 'nats');
  mkdirSync(folder, { recursive: true });
  const file = natsConfigFile(dataDir);
  writeFileSync(file, config, { mode: 0o600 });
  const child = spawn(program, ['-c', file], {
    env: environment(options, folder),
    stdio: 'ignore',
    // Its own process group: a terminal's Ctrl-C must not stop it before what is in flight is stored.
    detached: true,
  });
  writeFileSync(pidFile(dataDir), `${child.pid ?? 0} ${port}\n`);
  return toServer(child);
}

function environment({ dataDir, port, maxStore }: NatsServerOptions, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? '',
    TIDINGS_NATS_LISTEN: `127.0.0.1:${port}`,
    TIDINGS_NATS_CERT: JSON.stringify(certificateFile(dataDir)),
    TIDINGS_NATS_KEY: JSON.stringify(certificateKeyFile(dataDir)),
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

/** A server of this data directory that an earlier start left behind. */
interface Earlier {
  pid: number;
  port: number;
  /** Whether it lives; after a reboot its number can be any program's. */
  runs(): boolean;
}

/**
 * The servers of this data directory that run. They are found by their command lines: a start that ended at the wrong moment, or
 * had no space left, has not written the file with the number.
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

/** The server whose number an earlier start has written, where the system shows no command lines to search. */
function writtenServer(dataDir: string): Earlier[] {
  const file = pidFile(dataDir);
  const [pid = 0, port = 0] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
  const runs = () => pid > 1 && commandOf(pid).includes(natsConfigFile(dataDir));
  return runs() ? [{ pid, port, runs }] : [];
}

/** The end of a server that is not our child can only be seen by looking. */
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

/** Ends a server that is not our child, after five seconds the hard way. */
async function end({ pid, runs }: Earlier): Promise<void> {
  for (let waited = 0; runs(); waited += 50) {
    if (waited % 5000 === 0) process.kill(pid, waited === 0 ? 'SIGTERM' : 'SIGKILL');
    await pause(50);
  }
}

/** Command line of a process; empty when there is none (any more). */
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
