/**
 * The pool of render threads of one worker: bounded queue, time limit, heap limit. What does not fit is refused, and its
 * durable ticket is tried again; the pool itself remembers nothing.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../../src/errors.ts';
import { renderQueue, renderSeconds } from '../../src/metrics.ts';
import type { Due } from '../../src/protocol/retention.ts';
import type { PoolAnswer, PoolTask, Preview, RangeCount, Rendered } from '../../src/protocol/tasks.ts';

const heapMb = 512;

/** What each task answers. */
interface Answers {
  render: Rendered;
  preview: Preview;
  recount: RangeCount[];
  due: Due;
}

export class RenderPool {
  private readonly pool: Piscina;
  private readonly timeoutMs: number;
  readonly threads: number;

  /** @param threads 0 = half the cores, at least one */
  constructor(threads: number, timeoutMs: number) {
    this.threads = threads || Math.max(1, Math.floor(availableParallelism() / 2));
    this.timeoutMs = timeoutMs;
    this.pool = new Piscina({
      filename: fileURLToPath(new URL('./thread.js', import.meta.url)),
      minThreads: this.threads,
      maxThreads: this.threads,
      maxQueue: Math.max(16, this.threads ** 2),
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
  }

  /**
   * Runs a task in a thread.
   * @throws ServiceError what the task found, `unavailable` when the queue is full or the time is up
   */
  async run<Work extends PoolTask['work']>(task: PoolTask & { work: Work }): Promise<Answers[Work['task']]> {
    const stop = renderSeconds.startTimer({ task: task.work.task });
    renderQueue.set(this.pool.queueSize);
    const answer = await this.answer(task);
    stop();
    if (answer.ok) return answer.value as Answers[Work['task']];
    throw new ServiceError(answer.kind, answer.message, answer.details ? { details: answer.details } : {});
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private async answer(task: PoolTask): Promise<PoolAnswer> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), this.timeoutMs);
    try {
      return await this.pool.run(task, { signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) {
        throw new ServiceError('internal', `The render took longer than ${this.timeoutMs} ms.`);
      }
      if (/queue is at limit/i.test((error as Error).message)) {
        throw new ServiceError('unavailable', 'All render threads are busy.', { retryAfter: 1 });
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
