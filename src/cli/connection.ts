/**
 * Connects a command to the running service of this data directory. The command connects to the journal, as the gateway
 * does.
 */
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { loadSettings } from '../../config/load.ts';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import type { Settings } from '../../config/schema.ts';
import type { ApiContext } from '../api/context.ts';
import { type AuditLine, type Auditor, type AuditTask, audit } from '../foundation/audit.ts';
import { createLogger } from '../foundation/logger.ts';
import { directoryName, type PartitionName } from '../foundation/partition-names.ts';
import { connectJournal, type Journal, type JournalClient } from '../journal/connect.ts';
import type { NatsSettings } from '../journal/credentials.ts';
import { seedFile } from '../journal/keys.ts';
import { Lane } from '../journal/lane.ts';
import { ask } from '../journal/query.ts';
import { FoldedSignals } from '../journal/signal.ts';
import { Readers } from '../store/readers.ts';
import { ReadyResponses } from '../store/ready-responses.ts';
import { openSealer } from '../supervisor/first-start.ts';
import { localJournal } from '../supervisor/nats-server.ts';

/**
 * Returns the settings of a connection to the service's journal; undefined if the service was never started with this
 * data directory.
 */
export function serviceJournal(settings: Settings): NatsSettings | undefined {
  if (settings.natsUrl !== '') return settings;
  const { dataDir, natsPort } = settings;
  return existsSync(seedFile(dataDir, 'cli')) ? localJournal(dataDir, natsPort, 'cli') : undefined;
}

const client: JournalClient = { role: 'cli', name: 'tidings command line', waits: false };

/**
 * Runs a step with a connection to the running service.
 * @throws Error when the service is not running
 */
export async function withService<T>(step: (context: ApiContext) => Promise<T>): Promise<T> {
  const loaded = loadSettings();
  const server = serviceJournal(loaded);
  if (!server || !(await serversOf(server)).some(({ answers }) => answers)) throw new Error(notRunning(loaded));
  const settings = { ...loaded, ...server };
  const logger = createLogger('cli', 'error');
  const journal = await connectJournal(server, client, logger);
  const lanes = new Map<PartitionName, Lane>();
  const laneOf = (name: PartitionName): Lane => {
    const lane = lanes.get(name) ?? new Lane(journal, name, settings, logger);
    lanes.set(name, lane);
    return lane;
  };
  const readers = new Readers(settings.dataDir);
  const context: ApiContext = {
    settings,
    journal,
    readers,
    responses: new ReadyResponses(readers),
    signals: new FoldedSignals(journal),
    laneOf,
    // This is a getter, so that the sealing key is read only for commands that seal something.
    get sealer() {
      return openSealer(loaded);
    },
    auditor: auditorOf(journal),
  };
  try {
    return await step(context);
  } finally {
    for (const lane of lanes.values()) await lane.close();
    context.signals.close();
    await readers.close();
    await journal.close();
  }
}

/**
 * Returns an auditor that sends the audit lines of a command to the service. The service logs them. If the service does
 * not answer, the auditor writes the lines to standard error.
 */
function auditorOf(journal: Journal): Auditor {
  const write = async (line: AuditLine): Promise<void> => {
    const task: AuditTask = { task: 'audit', line };
    await ask(journal, directoryName, task).catch(() => audit(createLogger('cli', 'info'), line));
  };
  return { by: 'command line', write };
}

/** A server of the journal, as `host:port`, and whether it accepts connections. */
export interface JournalServer {
  server: string;
  answers: boolean;
}

/** Finds out which servers of the journal accept connections. */
export function serversOf({ natsUrl }: NatsSettings): Promise<JournalServer[]> {
  const { servers } = natsAddressesOf(natsUrl);
  return Promise.all(servers.map(async (server) => ({ server, answers: await answers(server) })));
}

function answers(server: string): Promise<boolean> {
  const { hostname, port } = new URL(`nats://${server}`);
  return new Promise((resolve) => {
    // A socket takes an IPv6 address without the brackets of an address.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const socket = createConnection({ host, port: Number(port), timeout: 2000 });
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
  return `The service with the data directory ${settings.dataDir} is not running. Start it with: npm start. If you have already started it, set TIDINGS_DATA_DIR and TIDINGS_NATS_PORT to the values that the service uses`;
}
