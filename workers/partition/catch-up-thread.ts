/**
 * The thread that folds the backlog of one partition (`catch-up.ts`). While it runs, nothing else folds the partition.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../src/foundation/logger.ts';
import { takeCounts } from '../../src/foundation/thread-counts.ts';
import { connectJournal } from '../../src/journal/connect.ts';
import { Follower, type JournalMessage } from '../../src/journal/follow.ts';
import { openGeneration } from '../../src/store/partition.ts';
import type { CatchUpTask, FoldedReport } from './catch-up.ts';
import { foldOwned } from './ownership.ts';

/** A batch of the catch-up has at least this many bytes, unless it is the last one. */
const batchBytes = 8_388_608;

const task = workerData as CatchUpTask;
const logger = createLogger('worker', task.settings.logLevel);
const port = parentPort;
if (!port) throw new Error('workers/partition/catch-up-thread runs in a thread only');

// Nothing is written before the journal is connected, so the thread can end at any time.
let stop = (): void => process.exit(0);
port.on('message', () => stop());
const journal = await connectJournal(
  task.settings,
  { role: 'worker', name: `tidings worker ${task.name} catching up` },
  logger,
);
const partition = openGeneration(task.settings.dataDir, task.name, task.generation);
try {
  await catchUp();
} finally {
  await partition.root.flushed;
  await partition.close();
  await journal.close();
}
port.close();

async function catchUp(): Promise<void> {
  const follower = new Follower(journal, task.name, task.after, logger);
  stop = () => follower.stop();
  let gathered: JournalMessage[] = [];
  let bytes = 0;
  for await (const batch of follower.batches()) {
    gathered.push(...batch);
    bytes += batch.reduce((sum, message) => sum + message.bytes.length, 0);
    const isLast = (batch.at(-1)?.seq ?? 0) >= task.goal;
    if (bytes < batchBytes && !isLast) continue;
    await fold(gathered);
    if (isLast) return;
    gathered = [];
    bytes = 0;
  }
}

async function fold(batch: readonly JournalMessage[]): Promise<void> {
  const started = performance.now();
  const { seq, at } = await foldOwned(partition, task.ownerId, batch, logger);
  const foldSeconds = (performance.now() - started) / 1000;
  port?.postMessage({ seq, at, foldSeconds, counts: await takeCounts() } satisfies FoldedReport);
}
