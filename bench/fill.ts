/**
 * Fills the journal of a data directory with records, without starting the service. The records are sent through the
 * lanes that the gateway uses, to a nats-server that syncs every message to the disk. Nothing is folded.
 */
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { createProgress } from '../src/cli/progress.ts';
import { createLogger, type Logger } from '../src/foundation/logger.ts';
import { partitionNames } from '../src/foundation/partition-names.ts';
import { connectJournal, type Journal } from '../src/journal/connect.ts';
import { Lane, type LaneOptions, type Position } from '../src/journal/lane.ts';
import type { JournalRole } from '../src/journal/roles.ts';
import { ensureStream, streamState } from '../src/journal/topology.ts';
import { openDataDir, prepareDataDir, prepareJournalKeys } from '../src/supervisor/first-start.ts';
import { localJournal } from '../src/supervisor/nats-server.ts';
import { superviseNats } from '../src/supervisor/nats-supervision.ts';
import type { PlacedRecord, TrafficOptions } from './fill/traffic.ts';
import { freePort } from './service.ts';

/** The filled journal. */
export interface Filled {
  dataDir: string;
  /** Number of repository partitions. */
  partitions: number;
  records: number;
  /** Journal messages, and their bytes on the disk. */
  messages: number;
  bytes: number;
  /** Sequence of the last message of each stream, by partition. */
  lastSeq: Readonly<Record<string, number>>;
}

/**
 * Records per journal message. The lanes of a gateway write messages of about this size at 64 to 256 connections.
 */
const batchRecords = 32;
/** Records that wait for the journal at the same time. */
const window = 8192;

/**
 * Fills the journal of an empty data directory.
 * @param traffic makes the records for a host and a number of partitions, which are those of the default settings
 * @param expected number of records, for the progress display
 * @throws NatsServerError if nats-server cannot be started
 */
export async function fillJournal(
  dataDir: string,
  traffic: (options: TrafficOptions) => Iterable<PlacedRecord>,
  { label, expected }: { label: string; expected: number },
): Promise<Filled> {
  const settings = loadSettings({ TIDINGS_DATA_DIR: dataDir, TIDINGS_NATS_PORT: String(await freePort()) });
  const { partitions, hostOrigin: origin } = settings;
  const logger = createLogger('bench', 'error');
  openDataDir(dataDir);
  prepareDataDir(settings);
  prepareJournalKeys(dataDir);
  const nats = await superviseNats(settings, logger);
  const progress = createProgress({ label, total: expected, stream: process.stderr });
  try {
    const supervisor = await connect(settings, 'supervisor', logger);
    const names = partitionNames(partitions);
    for (const name of names) await ensureStream(supervisor, name, settings.journalMaxBytes);
    const gateway = await connect(settings, 'gateway', logger);
    const records = traffic({ origin, partitions, endsAt: Date.now() });
    const count = await enqueueAll(gateway, settings, records, (done) => progress.advance(done));
    const states = await Promise.all(names.map((name) => streamState(supervisor, name)));
    await gateway.close();
    await supervisor.close();
    return {
      dataDir,
      partitions,
      records: count,
      messages: states.reduce((sum, { lastSeq }) => sum + lastSeq, 0),
      bytes: states.reduce((sum, { bytes }) => sum + bytes, 0),
      lastSeq: Object.fromEntries(names.map((name, index) => [name, states[index]?.lastSeq ?? 0])),
    };
  } finally {
    await nats.stop();
    progress.done();
  }
}

async function enqueueAll(
  journal: Journal,
  settings: Settings,
  records: Iterable<PlacedRecord>,
  advance: (count: number) => void,
): Promise<number> {
  const options: LaneOptions = { ...settings, batchRecords, waitingRecords: window, ackDeadlineMs: 60_000 };
  const logger = createLogger('bench', 'error');
  const lanes = new Map(
    partitionNames(settings.partitions).map((name) => [name, new Lane(journal, name, options, logger)]),
  );
  let waiting: Promise<Position>[] = [];
  let count = 0;
  const settle = async () => {
    await Promise.all(waiting);
    advance(waiting.length);
    waiting = [];
  };
  for (const { partition, record } of records) {
    waiting.push((lanes.get(partition) as Lane).enqueue(record));
    count += 1;
    if (waiting.length === window) await settle();
  }
  await settle();
  for (const lane of lanes.values()) await lane.close();
  return count;
}

function connect({ dataDir, natsPort }: Settings, role: JournalRole, logger: Logger): Promise<Journal> {
  return connectJournal(localJournal(dataDir, natsPort, role), { role, name: `tidings bench ${role}` }, logger);
}
