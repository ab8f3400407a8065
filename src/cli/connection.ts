/**
 * How a command talks to the running service of this data directory: over the journal, like the gateway does.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/schema.ts';
import type { ApiContext } from '../api/context.ts';
import { natsTokenFile, openSealer } from '../first-start.ts';
import { connectJournal } from '../journal/connect.ts';
import { Lane } from '../journal/lane.ts';
import { FoldedSignals } from '../journal/signal.ts';
import type { PartitionName } from '../journal/subjects.ts';
import { createLogger } from '../logger.ts';
import { localNatsUrl } from '../nats-server.ts';
import { Readers } from '../store/readers.ts';

/** The journal address of the service, as its supervisor uses it; undefined when it was never started here. */
export function serviceNatsUrl(settings: Settings): string | undefined {
  if (settings.natsUrl !== '') return settings.natsUrl;
  const file = natsTokenFile(settings.dataDir);
  return existsSync(file) ? localNatsUrl(settings.natsPort, readFileSync(file, 'utf8').trim()) : undefined;
}

/**
 * Runs a step with a connection to the running service.
 * @throws Error saying that the service does not run
 */
export async function withService<T>(step: (context: ApiContext) => Promise<T>): Promise<T> {
  const loaded = loadSettings();
  const natsUrl = serviceNatsUrl(loaded);
  if (!natsUrl || !(await answers(natsUrl))) throw new Error(notRunning(loaded));
  const settings = { ...loaded, natsUrl };
  const logger = createLogger('cli', 'error');
  const journal = await connectJournal(natsUrl, 'tidings command line', logger);
  const lanes = new Map<PartitionName, Lane>();
  const laneOf = (name: PartitionName): Lane => {
    const lane = lanes.get(name) ?? new Lane(journal, name, settings, logger);
    lanes.set(name, lane);
    return lane;
  };
  const context: ApiContext = {
    settings,
    journal,
    readers: new Readers(settings.dataDir),
    signals: new FoldedSignals(journal),
    laneOf,
    // Opened by those commands only that seal something.
    get sealer() {
      return openSealer(loaded);
    },
  };
  try {
    return await step(context);
  } finally {
    for (const lane of lanes.values()) await lane.close();
    context.signals.close();
    await context.readers.close();
    await journal.close();
  }
}

/** Whether anything listens at a journal address. */
export function answers(natsUrl: string): Promise<boolean> {
  const { hostname, port } = new URL(natsUrl);
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port || 4222), timeout: 2000 });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}

function notRunning(settings: Settings): string {
  return `The service of ${settings.dataDir} does not run. Start it with: npm start (TIDINGS_DATA_DIR and TIDINGS_NATS_PORT must be those it runs with)`;
}
