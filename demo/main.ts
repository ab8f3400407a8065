/**
 * Runs the demo (`npm run demo`): the whole service on a temporary data directory. A bundled sample history is sent to
 * the service's public endpoint. The demo makes one range and three drafts, and publishes the customer's draft on a
 * page. Then it prints one screen with addresses and requests to try, and keeps running.
 *
 * `--full` also prints the drafts. `--once` ends the demo after the screen.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { sendDeliveries } from '../src/cli/deliveries.ts';
import { createProgress } from '../src/cli/progress.ts';
import { stopSignal } from '../src/cli/stop-signal.ts';
import { createLogger } from '../src/foundation/logger.ts';
import { type ServiceFacts, startService } from '../src/supervisor/supervisor.ts';
import { DemoClient, type Draft, type Persona, personas, type Range } from './client.ts';
import { sampleHistory, sampleRepository } from './history/index.ts';
import { invitation } from './invitation.ts';
import { choosePorts } from './ports.ts';
import { readersText } from './screen.ts';
import { renderMarkdown, terminalStyle } from './terminal/markdown.ts';

const [once, full] = ['--once', '--full'].map((option) => process.argv.includes(option));
const out = process.stdout;
const style = terminalStyle(out, process.env);
const dataDir = mkdtempSync(join(tmpdir(), 'tidings-demo-'));
const signal = stopSignal();
const settings = await demoSettings(dataDir);
const service = startService(settings, createLogger('demo', 'error'));

try {
  out.write('Starting nats-server, workers and gateway …\n');
  const facts = await Promise.race([service.ready, signal]);
  if (typeof facts === 'object') {
    await show(facts);
    if (!once) await signal;
  }
} finally {
  out.write('\nStopping …\n');
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);

async function show(facts: ServiceFacts): Promise<void> {
  await sendHistory(facts);
  const client = new DemoClient(facts.url, facts.first.adminKey);
  const { fromTag, toTag } = sampleRepository.demoRange;
  const { range, drafts } = await client.makeDrafts(sampleRepository.fullName, fromTag, toTag);
  const pageUrl = await client.publishPage(drafts.customer.id);
  if (full) for (const persona of personas) print(drafts[persona], range);
  const texts = Object.fromEntries(personas.map((persona) => [persona, drafts[persona].bodyMd])) as Record<
    Persona,
    string
  >;
  out.write(`\n${rule(`${range.fromTag} → ${range.toTag}: three of its changes, as each reader gets them`)}\n\n`);
  out.write(`${readersText(texts, sampleRepository.demoChanges, style)}\n${rule(once ? '' : 'It keeps running')}\n\n`);
  const { url, opsUrl, first } = facts;
  const { fullName } = sampleRepository;
  const ids = { repoId: range.repoId, draftId: drafts.customer.id, fullName };
  const dashboardUrl = once ? `${url}/` : await signInLink();
  const places = { url, opsUrl, dashboardUrl, pageUrl };
  const sights = { ...places, adminKey: first.adminKey, ...ids, dataDir, natsPort: settings.natsPort };
  out.write(invitation(sights, !once));
}

/** Returns a link to the dashboard that signs a browser in once, as `tidings dashboard` prints it. */
async function signInLink(): Promise<string> {
  const program = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const env = {
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_PORT: String(settings.port),
    TIDINGS_NATS_PORT: String(settings.natsPort),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'dashboard', '--json'], { env });
  return (JSON.parse(stdout) as { url: string }).url;
}

/** Returns the settings of a demo: all files in a temporary folder, no limits, and the host of the sample history. */
async function demoSettings(folder: string): Promise<Settings> {
  const limits = ['WEBHOOKS_PER_MINUTE', 'WEBHOOKS_PER_HOUR', 'API_PER_MINUTE', 'API_PER_HOUR', 'API_PER_DAY'];
  return loadSettings({
    ...(await choosePorts(process.env)),
    TIDINGS_LOG_LEVEL: 'error',
    TIDINGS_DATA_DIR: folder,
    TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin,
    ...Object.fromEntries(limits.map((limit) => [`TIDINGS_LIMIT_${limit}`, '0'])),
  });
}

async function sendHistory(facts: ServiceFacts): Promise<void> {
  const deliveries = sampleHistory();
  out.write(
    `Sending ${sampleRepository.fullName}: ${deliveries.length} signed webhooks to ${facts.url}/api/webhooks/scm\n`,
  );
  const progress = createProgress({ label: 'webhooks', total: deliveries.length, stream: out });
  const refused: number[] = [];
  await sendDeliveries(deliveries, {
    url: facts.url,
    secret: facts.first.webhookSecrets[0] as string,
    concurrency: 16,
    onAnswer: (status) => {
      if (status < 200 || status > 299) refused.push(status);
      progress.advance();
    },
  });
  progress.done();
  if (refused.length > 0) throw new Error(`${refused.length} deliveries were refused (first status: ${refused[0]})`);
}

function print(draft: Draft, range: Range): void {
  const title = `${draft.persona}: ${range.fromTag} → ${range.toTag}`;
  out.write(`\n${rule(title)}\n\n${renderMarkdown(draft.bodyMd, style)}`);
}

/** Returns a line across the screen with a title in it. */
function rule(title: string): string {
  const start = title === '' ? '' : `─── ${title} `;
  return start + '─'.repeat(Math.max(4, style.width - start.length));
}
