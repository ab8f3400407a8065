/**
 * Starts nats-servers of the version that clusters need, without TLS and users: one alone, or three that form a cluster.
 * They have the configuration of the supervised server, so they also call fsync before each acknowledgement.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './scenario.ts';
import { freePort, withoutSettings } from './service.ts';

/** Running servers. */
export interface NatsServers {
  /** Addresses for clients. */
  urls: string[];
  /** Process ids by name. */
  pids: Record<string, number>;
}

interface Server {
  name: string;
  port: number;
  routePort: number;
  monitorPort: number;
  folder: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const readyMs = 30_000;
const checkMs = 50;

/** Returns the nats-server for clusters, or one line with the reason why there is none. */
export async function clusterServer(): Promise<{ path: string; version: string } | { missing: string }> {
  const { CLUSTER_ADVICE, findClusterServer } = await import(
    new URL('../../scripts/setup/cluster-nats.mjs', import.meta.url).href
  );
  return findClusterServer(root) ?? { missing: `there is no nats-server 2.12 or later: ${CLUSTER_ADVICE}` };
}

/** Starts servers and waits until they accept streams. They end, and their data is removed, when the scenario ends. */
export async function startNatsServers(context: BenchContext, program: string, count: 1 | 3): Promise<NatsServers> {
  const folder = mkdtempSync(join(context.folder, 'tidings-bench-nats-'));
  const servers: Server[] = [];
  for (let i = 0; i < count; i += 1) {
    const [port, routePort, monitorPort] = [await freePort(), await freePort(), await freePort()];
    servers.push({ name: `n${i}`, port, routePort, monitorPort, folder: join(folder, `n${i}`) });
  }
  context.defer(() => rmSync(folder, { recursive: true, force: true }));
  const pids: Record<string, number> = {};
  for (const server of servers) {
    const child = start(program, server, servers);
    context.defer(() => ended(child));
    pids[count === 1 ? 'nats-server' : `nats-server ${server.name}`] = child.pid ?? 0;
  }
  for (const server of servers) await ready(server, count);
  return { urls: servers.map(({ port }) => `nats://127.0.0.1:${port}`), pids };
}

function start(program: string, server: Server, all: readonly Server[]): ChildProcess {
  mkdirSync(server.folder);
  const file = join(server.folder, 'server.conf');
  writeFileSync(file, configOf(server, all));
  // The supervised server has as many threads.
  const threads = String(Math.max(1, Math.floor(availableParallelism() / 2)));
  return spawn(program, ['-c', file], { stdio: 'ignore', env: { ...withoutSettings(), GOMAXPROCS: threads } });
}

function configOf({ name, port, routePort, monitorPort, folder }: Server, all: readonly Server[]): string {
  const values: Record<string, string> = {
    LISTEN: `"127.0.0.1:${port}"`,
    LOG: JSON.stringify(join(folder, 'server.log')),
    STORE: JSON.stringify(join(folder, 'jetstream')),
    MAX_STORE: '1TB',
  };
  const fixed = readFileSync(join(root, 'config/nats-server.conf'), 'utf8')
    .replace(/^server_name: .*$/m, `server_name: ${name}`)
    .replace(/^tls \{[^}]*\}$/m, '')
    .replace(/\$TIDINGS_NATS_(\w+)/g, (_, variable: string) => values[variable] as string);
  const routes = all.map((each) => `"nats://127.0.0.1:${each.routePort}"`).join(', ');
  const cluster = `cluster { name: bench, listen: "127.0.0.1:${routePort}", routes: [${routes}] }\n`;
  return `${fixed}\nhttp: "127.0.0.1:${monitorPort}"\n${all.length > 1 ? cluster : ''}`;
}

/**
 * Waits until a server is healthy and knows the leader of its cluster.
 * @throws Error when that takes longer than half a minute
 */
async function ready({ name, monitorPort, folder }: Server, count: number): Promise<void> {
  const deadline = performance.now() + readyMs;
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${monitorPort}${path}`)).json();
  const isReady = async (): Promise<boolean> => {
    const { status } = (await ask('/healthz')) as { status?: string };
    const { meta_cluster: meta } = (await ask('/jsz')) as { meta_cluster?: { leader?: string; cluster_size?: number } };
    return status === 'ok' && (count === 1 || (meta?.cluster_size === count && (meta.leader ?? '') !== ''));
  };
  while (!(await isReady().catch(() => false))) {
    if (performance.now() > deadline)
      throw new Error(`${name} is not ready: ${readFileSync(join(folder, 'server.log'), 'utf8')}`);
    await pause(checkMs);
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
