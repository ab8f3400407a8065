/**
 * The render thread: opens partitions read-only, carries out one task at a time and returns its answer. The thread
 * writes nothing. Each task releases its read transaction when it ends, so that an idle thread does not keep old pages
 * of the store in use.
 */

import { isMainThread } from 'node:worker_threads';
import { type ErrorKind, ServiceError } from '../../src/foundation/errors.ts';
import { nameIn, unreachable } from '../../src/foundation/unreachable.ts';
import type { PoolAnswer, PoolTask, ThreadTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { Readers } from '../../src/store/readers.ts';
import { findDue } from './automation.ts';
import { changes } from './changes.ts';
import { startDeadline } from './deadline.ts';
import { countDue } from './due.ts';
import { entries } from './entries.ts';
import { Ledgers, type Summaries } from './ledgers.ts';
import { checkDrafts } from './outdated.ts';
import { preview } from './preview.ts';
import { pullNote } from './pull-note.ts';
import { previewRange } from './range-preview.ts';
import { recount } from './recount.ts';
import { render } from './render.ts';
import { previewSettings } from './settings-preview.ts';
import { countUnreleased } from './unreleased-count.ts';

if (isMainThread) throw new Error('workers/render/thread runs in a render thread only');

const readers = new Map<string, Readers>();
const ledgers = new Ledgers();

/** Carries out one task. Expected failures are returned as answers; any other error rejects the task. */
export default async function run(task: ThreadTask): Promise<PoolAnswer> {
  const beforeRead = startDeadline(task.timeoutMs);
  Atomics.store(task.begun, 0, 1);
  const open = readersOf(task.dataDir);
  const summariesOf = ledgers.begin(task.writes);
  await open.follow(task.partition);
  const partition = open.fresh(task.partition);
  if (!partition) return { ok: false, kind: 'unavailable', message: `Partition ${task.partition} is not open yet.` };
  try {
    return { ok: true, value: await runTask(partition, task, beforeRead, summariesOf(partition)) };
  } catch (error) {
    if (error instanceof ServiceError && isReturned(error.kind)) {
      return { ok: false, kind: error.kind, message: error.message, ...(error.details && { details: error.details }) };
    }
    throw error;
  } finally {
    open.release(task.partition);
  }
}

/** Does nothing. When this call returns, the pool knows that a thread has loaded. */
export function loaded(): void {}

/** Whether a failure of this kind is returned to the caller. */
function isReturned(kind: ErrorKind): kind is 'invalid' | 'notFound' | 'internal' {
  return kind === 'invalid' || kind === 'notFound' || kind === 'internal';
}

async function runTask(partition: Partition, { work }: PoolTask, beforeRead: () => void, summaries: Summaries) {
  switch (work.task) {
    case 'render':
      return render(partition, work, beforeRead);
    case 'preview':
      return preview(partition, work, beforeRead);
    case 'changes':
      return changes(partition, work, beforeRead);
    case 'rangePreview':
      return previewRange(partition, work, beforeRead, summaries);
    case 'unreleasedCount':
      return countUnreleased(partition, work, beforeRead, summaries);
    case 'entries':
      return entries(partition, work, beforeRead);
    case 'settingsPreview':
      return previewSettings(partition, work, beforeRead);
    case 'pullNote':
      return pullNote(partition, work, beforeRead);
    case 'recount':
      return recount(partition, work, beforeRead, summaries);
    case 'outdated':
      return checkDrafts(partition, work, beforeRead);
    case 'automation':
      return findDue(partition, work, beforeRead);
    case 'due':
      return countDue(partition, work);
    case 'payload': {
      // The channels are loaded only when a draft is published. They need half of a thread's time to load.
      const { payload } = await import('./payload.ts');
      return payload(partition, work, beforeRead, summaries);
    }
    default:
      return unreachable(work, `Unknown kind of task: ${nameIn(work, 'task')}.`);
  }
}

function readersOf(dataDir: string): Readers {
  const known = readers.get(dataDir);
  if (known) return known;
  const made = new Readers(dataDir);
  readers.set(dataDir, made);
  return made;
}
