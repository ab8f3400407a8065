/**
 * Runs the journal alone: the supervised nats-server with its streams, and the lanes that write to them. There is no
 * HTTP server and no fold. The first message starts the server. Each later message enqueues records for some seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { loadSettings } from '../config/load.ts';
import { partitionOf, slotOfId, ulid } from '../src/foundation/ids.ts';
import { createLogger } from '../src/foundation/logger.ts';
import { partitionName, partitionNames } from '../src/foundation/partition-names.ts';
import { toEvents } from '../src/intake/events.ts';
import { connectJournal } from '../src/journal/connect.ts';
import { Lane } from '../src/journal/lane.ts';
import { ensureStream } from '../src/journal/topology.ts';
import type { EventRecord } from '../src/protocol/journal.ts';
import { prepareJournalKeys } from '../src/supervisor/first-start.ts';
import { localJournal } from '../src/supervisor/nats-server.ts';
import { type SupervisedNats, superviseNats } from '../src/supervisor/nats-supervision.ts';
import { deliveryBody, repositoryCount } from './deliveries.ts';
import type { LoadResult } from './load.ts';
import { answerMessages } from './program.ts';

/** A message to this program. */
export type JournalMessage = { type: 'start' } | { type: 'run'; connections: number; seconds: number };

const settings = loadSettings();
const logger = createLogger('bench', settings.logLevel);
const origin = 'https://github.com';
let nats: SupervisedNats | undefined;
let writers: { lane: Lane; record: EventRecord }[] = [];

answerMessages(
  async (message: JournalMessage) => (message.type === 'start' ? start() : run(message)),
  async () => nats?.stop(),
);

async function start(): Promise<{ natsServer: number }> {
  prepareJournalKeys(settings.dataDir);
  nats = await superviseNats(settings, logger);
  const connect = (role: 'supervisor' | 'gateway') =>
    connectJournal(localJournal(settings.dataDir, settings.natsPort, role), { role, name: 'bench' }, logger);
  const supervisor = await connect('supervisor');
  for (const name of partitionNames(settings.partitions)) {
    await ensureStream(supervisor, name, settings.journalMaxBytes);
  }
  const gateway = await connect('gateway');
  const lanes = new Map(
    partitionNames(settings.partitions).map((name) => [name, new Lane(gateway, name, settings, logger)]),
  );
  writers = Array.from({ length: repositoryCount }, (_, repository) => {
    const record = recordOf(repository);
    const slot = slotOfId(record.repository.id) as number;
    return { lane: lanes.get(partitionName(partitionOf(slot, settings.partitions))) as Lane, record };
  });
  return { natsServer: nats.pid() };
}

/** Makes the record that the service would enqueue for a delivery of a repository. */
function recordOf(repository: number): EventRecord {
  const now = Date.now();
  const minimised = toEvents('pull_request', JSON.parse(deliveryBody(repository, 0)), origin, now);
  const [body] = minimised?.bodies ?? [];
  if (!minimised || !body) throw new Error('The delivery gave no record');
  return {
    id: ulid(now),
    at: now,
    kind: 'event',
    delivery: ulid(now),
    source: 'pull_request',
    part: 0,
    signedBy: null,
    repository: minimised.repository,
    body,
  };
}

/** Enqueues records in loops, one loop per connection. Each loop waits until its record is on disk. */
async function run({ connections, seconds }: { connections: number; seconds: number }): Promise<LoadResult> {
  const latencies: number[] = [];
  let ended = false;
  const started = performance.now();
  const loop = async (index: number) => {
    const { lane, record } = writers[index % writers.length] as (typeof writers)[number];
    while (!ended) {
      const at = performance.now();
      await lane.enqueue({ ...record, id: ulid(Date.now()), delivery: ulid(Date.now()) });
      latencies.push(performance.now() - at);
    }
  };
  const loops = Array.from({ length: connections }, (_, index) => loop(index));
  await pause(seconds * 1000);
  ended = true;
  await Promise.all(loops);
  const none = { statuses: {}, latencies: new Float64Array() };
  return {
    seconds: (performance.now() - started) / 1000,
    statuses: { 202: latencies.length },
    latencies: Float64Array.from(latencies),
    errors: 0,
    mismatches: 0,
    acknowledged: new Uint32Array(),
    forged: new Uint32Array(),
    forgedReplies: none,
    readReplies: none,
  };
}
