/**
 * Starts the programs that the service is compared with: the peer (Fastify, BullMQ and Redis), the floor (bare
 * uWebSockets.js), and git-cliff. The packages of other projects are not a dependency of Tidings: `bench/peers/` has its
 * own package.json and is installed when a scenario first needs it.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../src/supervisor/nats-server.ts';
import type { JournalMessage } from './journal-program.ts';
import type { LoadResult } from './load.ts';
import { startProgram } from './program.ts';
import type { Target } from './rounds.ts';
import type { BenchContext } from './scenario.ts';
import { freePort, serviceDurability, withoutSettings } from './service.ts';

const folder = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const installMs = 300_000;
const emptyMs = 120_000;
const checkMs = 100;
const run = promisify(execFile);

/** A result, or one line with the reason why a program is missing. */
export type Peer<T> = T | { missing: string };

/** The peer that receives webhooks, with the number of deliveries that its worker has stored. */
export interface WebhookPeer extends Target {
  stored(): Promise<number>;
}

/** Returns git-cliff's native program. The script in its npm package would start a Node process for each run. */
export async function gitCliff(): Promise<Peer<{ path: string }>> {
  const name = `git-cliff-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const fault = await installPeers(`${name}/bin/git-cliff`);
  if (fault !== undefined) return { missing: fault };
  const path = find(`${name}/bin/git-cliff`);
  return path ? { path } : { missing: `git-cliff has no program for ${process.platform} on ${process.arch}` };
}

/** Starts the peer that receives webhooks. It is stopped and its data is removed when the scenario ends. */
export async function startWebhookPeer(context: BenchContext, secret: string): Promise<Peer<WebhookPeer>> {
  const redis = findOnPath('redis-server');
  if (!redis) return { missing: 'redis-server is not installed (Debian and Ubuntu: the package redis-server)' };
  const fault = await installPeers('bullmq');
  if (fault !== undefined) return { missing: fault };
  const data = mkdtempSync(join(context.folder, 'tidings-bench-peer-'));
  const program = startProgram(new URL('../../bench/peers/server.mjs', import.meta.url));
  context.defer(async () => {
    await program.stop();
    rmSync(data, { recursive: true, force: true });
  });
  const message = { type: 'start', redis, redisPort: await freePort(), folder: data, secret };
  const { port, pids } = await program.ask<{ port: number; pids: Record<string, number> }>(message);
  const progress = () => program.ask<{ unfinished: number; failed: number; stored: number }>({ type: 'progress' });
  return {
    name: 'peer',
    durability: 'append-only file, fsync once per second',
    url: `http://127.0.0.1:${port}`,
    pids,
    settle: async () => {
      const deadline = performance.now() + emptyMs;
      for (;;) {
        const { unfinished, failed } = await progress();
        if (failed > 0) throw new Error(`${failed} jobs of the peer failed`);
        if (unfinished === 0) return;
        if (performance.now() > deadline) throw new Error(`${unfinished} jobs of the peer are left after two minutes`);
        await pause(checkMs);
      }
    },
    stored: async () => (await progress()).stored,
  };
}

/** Starts the floor of the scenarios that send webhooks. */
export async function startWebhookFloor(context: BenchContext, secret: string): Promise<Target> {
  return startFloor(context, 'webhooks', { secret });
}

/** Starts the floor of the scenarios that read: a server that replies with `body` to each request. */
export async function startReadFloor(context: BenchContext, body: Uint8Array): Promise<Target> {
  return startFloor(context, 'bytes', { body });
}

async function startFloor(context: BenchContext, name: string, message: object): Promise<Target> {
  const program = startProgram(new URL(`./floors/${name}.js`, import.meta.url));
  context.defer(program.stop);
  const { port } = await program.ask<{ port: number }>(message);
  return {
    name: 'floor',
    durability: 'none',
    url: `http://127.0.0.1:${port}`,
    pids: { floor: program.pid },
    settle: async () => {},
  };
}

/**
 * Starts the journal alone. Its runs do not use the load program: the program that enqueues the records is itself the
 * generator.
 */
export async function startJournal(
  context: BenchContext,
): Promise<Target & { run(connections: number, seconds: number): Promise<LoadResult> }> {
  const data = mkdtempSync(join(context.folder, 'tidings-bench-journal-'));
  const env = { TIDINGS_DATA_DIR: data, TIDINGS_NATS_PORT: String(await freePort()), TIDINGS_LOG_LEVEL: 'warn' };
  const program = startProgram(new URL('./journal-program.js', import.meta.url), { ...withoutSettings(), ...env });
  context.defer(async () => {
    await program.stop();
    rmSync(data, { recursive: true, force: true });
  });
  const { natsServer } = await program.ask<{ natsServer: number }>({ type: 'start' } satisfies JournalMessage);
  return {
    name: 'nats',
    durability: serviceDurability,
    url: '',
    pids: { 'nats-server': natsServer, load: program.pid },
    settle: async () => {},
    run: (connections, seconds) =>
      program.ask<LoadResult>({ type: 'run', connections, seconds } satisfies JournalMessage),
  };
}

/** Returns the versions of the peers' packages that are installed. */
export function peerVersions(): Record<string, string> {
  const { dependencies } = require('../../bench/peers/package.json') as { dependencies: Record<string, string> };
  return dependencies;
}

/** Returns the path of a program in one of the folders of PATH. */
export function findOnPath(name: string, path = process.env.PATH ?? ''): string | undefined {
  return findProgram(name, path.split(delimiter));
}

const require = createRequire(import.meta.url);

/** Installs the peers' packages unless `wanted` is there. Returns the reason if that fails. */
async function installPeers(wanted: string): Promise<string | undefined> {
  if (find(wanted)) return undefined;
  try {
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, timeout: installMs });
    return undefined;
  } catch (error) {
    return `the packages of bench/peers could not be installed: ${String((error as Error).message).split('\n')[0]}`;
  }
}

function find(name: string): string | undefined {
  try {
    return createRequire(`${folder}package.json`).resolve(name);
  } catch {
    return undefined;
  }
}
