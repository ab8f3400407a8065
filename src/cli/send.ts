/**
 * `tidings send FILE`: signs the deliveries of a file and posts them to the service, with a progress bar and a summary.
 */
import { existsSync, readFileSync } from 'node:fs';
import { loadSettings } from '../../config/load.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { webhookSecretFile } from '../supervisor/first-start.ts';
import { readDeliveries, sendDeliveries } from './deliveries.ts';
import { printLines } from './print.ts';
import { createProgress } from './progress.ts';
import type { sendEntry } from './table/operation.ts';
import { type Run, UsageError } from './usage.ts';

export const runSend: Run<typeof sendEntry> = async (values, [file = '']) => {
  const concurrency = Number(values.concurrency ?? 16);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new UsageError('--concurrency: expected a positive integer');
  const settings = loadSettings();
  const url = (values.url ?? publicUrlOf(settings)).replace(/\/$/, '');
  return send(file, url, values.secret ?? findSecret(settings), concurrency);
};

/** Returns the secret that the service of this data directory verifies signatures with. */
function findSecret(settings: Settings): string {
  const [current] = settings.webhookSecrets;
  if (current !== undefined) return current;
  const file = webhookSecretFile(settings.dataDir);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new UsageError(`No webhook secret found: expected --secret, TIDINGS_WEBHOOK_SECRETS or the file ${file}`);
}

async function send(file: string, url: string, secret: string, concurrency: number): Promise<number> {
  const deliveries = await readDeliveries(file);
  const progress = createProgress({ label: 'sending', total: deliveries.length, stream: process.stderr });
  const statuses = new Map<number, number>();
  const started = performance.now();
  await sendDeliveries(deliveries, {
    url,
    secret,
    concurrency,
    onAnswer: (status) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      progress.advance();
    },
  });
  progress.done();
  const seconds = (performance.now() - started) / 1000;
  printLines(summary(deliveries.length, seconds, statuses));
  return [...statuses.keys()].every((status) => status >= 200 && status < 300) ? 0 : 1;
}

function summary(count: number, seconds: number, statuses: ReadonlyMap<number, number>): string[] {
  const lines = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `  ${status === 0 ? 'no answer' : status}  ${times}`);
  const rate = Math.round(count / Math.max(seconds, 0.001));
  return [`${count} deliveries in ${seconds.toFixed(1)} s (${rate}/s)`, ...lines];
}
