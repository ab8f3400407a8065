/**
 * Starts the measured service with its own supervisor, on a new data directory and free ports. The service's limits are
 * removed, and all its other settings are the defaults.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadSettings, settingsToEnv } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { startProgram } from './program.ts';
import type { BenchContext } from './scenario.ts';
import type { StartedService } from './service-program.ts';

/** A service that is ready. */
export interface BenchService extends StartedService {
  settings: Settings;
  secret: string;
  /** Returns the sum of a metric over all processes and all series whose line contains `label`. */
  metric(name: string, label?: string): Promise<number>;
}

/** The settings that the bench changes from the defaults. */
export const liftedLimits = {
  TIDINGS_LIMIT_API_PER_MINUTE: '0',
  TIDINGS_LIMIT_API_PER_HOUR: '0',
  TIDINGS_LIMIT_API_PER_DAY: '0',
  TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '0',
  TIDINGS_LIMIT_WEBHOOKS_PER_HOUR: '0',
};

const secret = 'a-secret-for-the-bench';

/**
 * Starts a service. At the end of the scenario, the service is stopped and its data is removed.
 * @param hostOrigin web address of the host whose deliveries the service gets
 */
export async function startBenchService(context: BenchContext, hostOrigin: string): Promise<BenchService> {
  const dataDir = mkdtempSync(join(context.folder, 'tidings-bench-'));
  const env = {
    ...liftedLimits,
    TIDINGS_PORT: '0',
    TIDINGS_OPS_PORT: '0',
    TIDINGS_NATS_PORT: String(await freePort()),
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_HOST_ORIGIN: hostOrigin,
    TIDINGS_WEBHOOK_SECRETS: secret,
    TIDINGS_LOG_LEVEL: 'warn',
  };
  const program = startProgram(new URL('./service-program.js', import.meta.url), { ...withoutSettings(), ...env });
  context.defer(async () => {
    await program.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const started = await program.ask<StartedService>({ type: 'start' });
  const metric = (name: string, label = '') => readMetric(started.opsUrl, name, label);
  return { ...started, settings: loadSettings(env), secret, metric };
}

/**
 * Returns the environment of the bench without variables that begin with TIDINGS_. The person who runs the bench may
 * have set these variables for another service.
 */
function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TIDINGS_')));
}

/** Returns the environment for a process that needs the service's settings. */
export function environmentOf(service: BenchService): NodeJS.ProcessEnv {
  return { ...withoutSettings(), ...settingsToEnv(service.settings) };
}

/**
 * All deliveries count as folded when the number of folded records stays the same in this many consecutive checks.
 * Comparing folded records with queued deliveries is not enough, because one delivery can become several records.
 */
const checksWithoutMore = 3;

/**
 * Waits until every queued delivery is folded.
 * @throws Error when that takes longer than a minute
 */
export async function allFolded(service: BenchService): Promise<void> {
  const deadline = performance.now() + 60_000;
  let before = -1;
  for (let checks = 0; checks < checksWithoutMore; await pause(100)) {
    const queued = await service.metric('tidings_webhooks_received_total', 'outcome="queued"');
    const folded = await service.metric('tidings_fold_records_total', 'kind="event"');
    checks = folded >= queued && folded === before ? checks + 1 : 0;
    before = folded;
    if (performance.now() > deadline) throw new Error(`${folded} of ${queued} deliveries were folded within a minute`);
  }
}

async function readMetric(opsUrl: string, name: string, label: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const wanted = lines.filter((line) => line.includes(label));
  return wanted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
