/**
 * The render thread: opens partitions read-only, makes a view, calls `notes/`, answers. Nothing is written here; a task
 * lets go of its read transaction when it ends, so that an idle thread pins no pages.
 */
import { isMainThread } from 'node:worker_threads';
import { ServiceError } from '../../src/errors.ts';
import type { PoolAnswer, PoolTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { Readers } from '../../src/store/readers.ts';
import { countDue } from './due.ts';
import { preview } from './preview.ts';
import { recount } from './recount.ts';
import { render } from './render.ts';

if (isMainThread) throw new Error('workers/render/thread runs in a render thread only');

const readers = new Map<string, Readers>();

/** Carries out one task. Expected failures are answers; anything else rejects the task. */
export default async function run(task: PoolTask): Promise<PoolAnswer> {
  const open = readersOf(task.dataDir);
  await open.follow(task.partition);
  const partition = open.fresh(task.partition);
  if (!partition) throw new Error(`partition ${task.partition} is not open yet`);
  try {
    return { ok: true, value: carryOut(partition, task) };
  } catch (error) {
    if (error instanceof ServiceError && (error.kind === 'invalid' || error.kind === 'notFound')) {
      return { ok: false, kind: error.kind, message: error.message, ...(error.details && { details: error.details }) };
    }
    throw error;
  } finally {
    open.release(task.partition);
  }
}

function carryOut(partition: Partition, { work }: PoolTask) {
  switch (work.task) {
    case 'render':
      return render(partition, work);
    case 'preview':
      return preview(partition, work.repoId, work.bounds);
    case 'recount':
      return recount(partition, work.repoId);
    case 'due':
      return countDue(partition, work);
  }
}

function readersOf(dataDir: string): Readers {
  const known = readers.get(dataDir);
  if (known) return known;
  const made = new Readers(dataDir);
  readers.set(dataDir, made);
  return made;
}
