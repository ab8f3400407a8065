/**
 * Starts the measured service with its own supervisor, on a new data directory and free ports. The service's limits are
 * removed, and all its other settings are the defaults.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { startProgram } from './program.ts';
import type { BenchContext } from './scenario.ts';
import type { StartedService } from './service-program.ts';

/** A service that is ready. */
export interface BenchService extends StartedService {
  settings: Settings;
  /** The settings as they were given to the service. */
  env: Record<string, string>;
  secret: string;
  /** Returns the metrics of all processes. */
  metrics(): Promise<Metrics>;
  /** Stops the service. Its data remains until the scenario ends. */
  stop(): Promise<void>;
}

/** The promise of the service's 202 reply. */
export const serviceDurability = 'fsync before each reply';

/** The metrics of a service at one moment, as text in the format of Prometheus. */
export class Metrics {
  private readonly lines: readonly string[];

  constructor(text: string) {
    this.lines = text.split('\n');
  }

  /** Returns the sum of a metric over all series whose line contains `label`. */
  sum(name: string, label = ''): number {
    return this.series(name)
      .filter((line) => line.includes(label))
      .reduce((sum, line) => sum + valueIn(line), 0);
  }

  /** Returns the cumulative counts of a histogram by the upper bounds of its buckets, smallest bound first. */
  buckets(name: string): [bound: number, count: number][] {
    const counts = new Map<number, number>();
    for (const line of this.series(`${name}_bucket`)) {
      const bound = Number(/le="([^"]+)"/.exec(line)?.[1]?.replace('+Inf', 'Infinity'));
      counts.set(bound, (counts.get(bound) ?? 0) + valueIn(line));
    }
    return [...counts].sort(([a], [b]) => a - b);
  }

  private series(name: string): string[] {
    return this.lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  }
}

/** The settings that the bench changes from the defaults. */
export const liftedLimits = {
  TIDINGS_LIMIT_API_PER_MINUTE: '0',
  TIDINGS_LIMIT_API_PER_HOUR: '0',
  TIDINGS_LIMIT_API_PER_DAY: '0',
  TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '0',
  TIDINGS_LIMIT_WEBHOOKS_PER_HOUR: '0',
};

/** The webhook secret of every service. */
export const secret = 'a-secret-for-the-bench';

/**
 * Starts a service. At the end of the scenario, the service is stopped and its data is removed.
 * @param hostOrigin web address of the host whose deliveries the service gets
 * @param more `env`: further settings; `dataDir`: a data directory that exists already, and that the caller removes
 */
export async function startBenchService(
  context: BenchContext,
  hostOrigin: string,
  more: { env?: Record<string, string>; dataDir?: string } = {},
): Promise<BenchService> {
  const dataDir = more.dataDir ?? mkdtempSync(join(context.folder, 'tidings-bench-'));
  const env = {
    ...liftedLimits,
    TIDINGS_PORT: '0',
    TIDINGS_OPS_PORT: '0',
    TIDINGS_NATS_PORT: String(await freePort()),
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_HOST_ORIGIN: hostOrigin,
    TIDINGS_WEBHOOK_SECRETS: secret,
    TIDINGS_LOG_LEVEL: 'warn',
    ...more.env,
  };
  const program = startProgram(serviceProgram(context), { ...withoutSettings(), ...env });
  context.defer(async () => {
    await program.stop();
    if (more.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  });
  const started = await program.ask<StartedService>({ type: 'start' });
  return {
    ...started,
    pids: { ...shortNames(started.pids), supervisor: program.pid },
    settings: loadSettings(env),
    env,
    secret,
    metrics: async () => new Metrics(await (await fetch(`${started.opsUrl}/metrics`)).text()),
    stop: program.stop,
  };
}

/** Removes the list of partitions from the names of workers: `worker 0 (directory p00)` becomes `worker 0`. */
function shortNames(pids: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name.replace(/ \(.*\)$/, ''), pid]));
}

/** Returns the program that runs the service: of this checkout, or of the one that `--service` names. */
function serviceProgram({ serviceFolder }: BenchContext): URL {
  if (serviceFolder === undefined) return new URL('./service-program.js', import.meta.url);
  return pathToFileURL(join(resolve(serviceFolder), 'dist/bench/service-program.js'));
}

/**
 * Returns the environment of the bench without variables that begin with TIDINGS_. The person who runs the bench may
 * have set these variables for another service.
 */
export function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TIDINGS_')));
}

const foldedMs = 120_000;
/** Interval between two checks. Each check costs all processes together about 2 ms of processor time. */
const checkMs = 100;
/**
 * All deliveries count as folded when the number of folded records stays the same in this many consecutive checks.
 * Comparing folded records with queued deliveries is not enough, because one delivery can become several records.
 */
const checksWithoutMore = 2;

/**
 * Waits until every queued delivery is folded.
 * @throws Error when that takes longer than two minutes
 */
export async function allFolded(service: BenchService): Promise<void> {
  const deadline = performance.now() + foldedMs;
  let before = -1;
  for (let checks = 0; checks < checksWithoutMore; await pause(checkMs)) {
    const metrics = await service.metrics();
    const queued = metrics.sum('tidings_webhooks_received_total', 'outcome="queued"');
    const folded = metrics.sum('tidings_fold_records_total', 'kind="event"');
    checks = folded >= queued && folded === before ? checks + 1 : 0;
    before = folded;
    if (performance.now() > deadline) throw new Error(`${folded} of ${queued} deliveries were folded in two minutes`);
  }
}

function valueIn(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** Returns a port of the loopback address that is free at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
