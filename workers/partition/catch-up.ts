/**
 * Folds the backlog of one partition in a thread of its own. After a start with a long journal, a worker catches up with
 * all its partitions at the same time, and its main thread stays free. The thread ends when it has caught up.
 */
import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/schema.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { addCounts, type ThreadCount } from '../../src/foundation/thread-counts.ts';
import type { NatsSettings } from '../../src/journal/credentials.ts';

/** The backlog that a thread folds. */
export interface Backlog {
  name: PartitionName;
  generation: number;
  /** Identifies the owner of the partition. The thread stops when the partition has another owner. */
  ownerId: string;
  /** Sequence number of the last message that is folded. */
  after: number;
  /** Sequence number of the last message of the backlog. */
  goal: number;
}

/** What the thread needs to start. */
export interface CatchUpTask extends Backlog {
  settings: NatsSettings & Pick<Settings, 'dataDir' | 'logLevel'>;
}

/** A report of the thread after each commit: the last folded message, and the time of its last record. */
export interface FoldedReport {
  seq: number;
  at: number;
  foldSeconds: number;
  counts: readonly ThreadCount[];
}

/** A running catch-up. */
export interface CatchUp {
  /** Resolves when the thread has ended, whether or not it has reached its goal. */
  readonly ended: Promise<void>;
  /** Ends the thread after the batch that it is folding. */
  stop(): void;
}

/**
 * Starts the thread. If the thread fails, the failure is logged. The partition's owner then continues from the cursor
 * and meets the cause of the failure itself.
 * @param onFolded called after each commit
 */
export function startCatchUp(task: CatchUpTask, logger: Logger, onFolded: (report: FoldedReport) => void): CatchUp {
  const thread = new Worker(new URL('./catch-up-thread.js', import.meta.url), { workerData: task });
  thread.on('message', (report: FoldedReport) => {
    addCounts(report.counts);
    onFolded(report);
  });
  thread.on('error', (error) => logger.warn({ partition: task.name, err: error }, 'catch-up thread failed'));
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => resolve());
  });
  return { ended, stop: () => thread.postMessage('stop') };
}
