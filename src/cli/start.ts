/** `tidings start`: runs the service until a signal stops it. Logs the addresses and files of the service. */
import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/schema.ts';
import { createLogger, type Logger } from '../foundation/logger.ts';
import { version } from '../foundation/version.ts';
import { adminKeyFile } from '../supervisor/first-start.ts';
import { type ServiceFacts, startService } from '../supervisor/supervisor.ts';
import { faultsOfHosts } from './doctor-hosts.ts';
import { checkPublicUrl } from './doctor-public-url.ts';
import { stopSignal } from './stop-signal.ts';
import type { startEntry } from './table/operation.ts';
import type { Run } from './usage.ts';

export const runStart: Run<typeof startEntry> = async () => {
  const settings = loadSettings();
  const logger = createLogger('supervisor', settings.logLevel);
  logger.info({ version, node: process.versions.node }, 'starting');
  const signal = stopSignal();
  const stopped = new AbortController();
  void warnOfSettings(settings, logger, stopped.signal);
  const service = startService(settings, logger);
  try {
    const facts = await Promise.race([service.ready, signal]);
    if (typeof facts === 'object') announce(facts, settings, logger);
    logger.info({ signal: await signal }, 'stopping');
  } finally {
    stopped.abort();
    await service.stop();
  }
  logger.info('stopped');
  return 0;
};

/**
 * Logs what `tidings doctor` would report about the public URL and about hosts with credentials. This runs once per
 * start, in the background.
 */
async function warnOfSettings(settings: Settings, logger: Logger, signal: AbortSignal): Promise<void> {
  const publicUrl = checkPublicUrl(settings);
  if (publicUrl.verdict !== 'ok') logger.info(publicUrl.text);
  const faults = await faultsOfHosts(settings, signal);
  if (!signal.aborted) for (const { text } of faults) logger.warn(`${text}. See: tidings doctor`);
}

function announce(facts: ServiceFacts, settings: Settings, logger: Logger): void {
  const { url, opsUrl, durability, first } = facts;
  for (const file of first.made) logger.info({ file }, 'created at first start');
  const adminKey = adminKeyFile(settings.dataDir);
  logger.info({ url, webhooks: `${url}/api/webhooks/scm`, opsUrl, durability, adminKey }, 'tidings is ready');
}
