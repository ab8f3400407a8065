/**
 * The pool of render threads of one worker: bounded queue, time limit, heap limit. What does not fit is refused, and its
 * durable ticket is tried again; the pool itself remembers nothing. A thread that had to be ended is replaced.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../../src/errors.ts';
import { renderQueue, renderSeconds } from '../../src/metrics.ts';
import type { Due } from '../../src/protocol/retention.ts';
import type {
  Changes,
  Payload,
  PoolAnswer,
  PoolTask,
  Preview,
  RangeCount,
  Rendered,
  ThreadTask,
} from '../../src/protocol/tasks.ts';
import { graceMs, outOfTime } from './deadline.ts';
import { heapLimits, usualHeapMb } from './heap.ts';

/** What each task answers. */
interface Answers {
  render: Rendered;
  preview: Preview;
  recount: RangeCount[];
  changes: Changes;
  due: Due;
  payload: Payload;
}

/** Bounds of a pool besides its threads and its time limit. */
export interface PoolLimits {
  /** Heap of a thread, in MB. */
  heapMb: number;
  /** Most tasks that wait for a thread. */
  waiting: number;
}

/**
 * Threads are loaded by import(), never by require(): a thread ended in the middle of a require() of an ES module takes the
 * whole process with it (a fatal error of Node.js: "IsGraphAsync must be used on an instantiated module").
 */
const threadArguments = [...process.execArgv, '--no-experimental-require-module'];

/** How often it is looked whether a thread has begun with its task. */
const lookMs = 250;

const defaultLimits: PoolLimits = { heapMb: usualHeapMb, waiting: 64 };

export class RenderPool {
  private readonly pool: Piscina;
  private readonly timeoutMs: number;
  private readonly limits: PoolLimits;
  /** Wake those that wait for a thread; somebody waits for the answer to a question, nobody for an effect. */
  private readonly questions: (() => void)[] = [];
  private readonly effects: (() => void)[] = [];
  private running = 0;
  readonly threads: number;

  /**
   * @param threads 0 = half the cores, at least one
   * @param timeoutMs longest time of a task in its thread; waiting for one does not count
   */
  constructor(threads: number, timeoutMs: number, limits: Partial<PoolLimits> = {}) {
    this.threads = threads || Math.max(1, Math.floor(availableParallelism() / 2));
    this.timeoutMs = timeoutMs;
    this.limits = { ...defaultLimits, ...limits };
    this.pool = new Piscina({
      filename: fileURLToPath(new URL('./thread.js', import.meta.url)),
      minThreads: this.threads,
      maxThreads: this.threads,
      concurrentTasksPerWorker: 1,
      execArgv: threadArguments,
      resourceLimits: heapLimits(this.limits.heapMb),
    });
  }

  /**
   * Runs a task in a thread.
   * @throws ServiceError what the task found; `unavailable` when too many wait; `internal` when it takes too much time or
   * memory, which it would again
   */
  async run<Work extends PoolTask['work']>(task: PoolTask & { work: Work }): Promise<Answers[Work['task']]> {
    await this.takeThread(task.work.task);
    try {
      const begun = new Int32Array(new SharedArrayBuffer(4));
      const answer = await this.answer({ ...task, timeoutMs: this.timeoutMs, begun });
      if (answer.ok) return answer.value as Answers[Work['task']];
      throw new ServiceError(answer.kind, answer.message, answer.details ? { details: answer.details } : {});
    } finally {
      this.giveThread();
    }
  }

  /** Resolves when a thread is loaded: the first question waits for no more than its answer then. */
  async loaded(): Promise<void> {
    await this.pool.run(undefined, { name: 'loaded' });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private async takeThread(task: PoolTask['work']['task']): Promise<void> {
    if (this.running < this.threads) {
      this.running += 1;
      return;
    }
    if (this.questions.length + this.effects.length >= this.limits.waiting) {
      throw new ServiceError('unavailable', 'All render threads are busy.', { retryAfter: 1 });
    }
    const waiting = task === 'render' || task === 'recount' ? this.effects : this.questions;
    const taken = new Promise<void>((resolve) => waiting.push(resolve));
    this.measure();
    await taken;
  }

  /** Hands the thread to whoever is next; `running` stays as it is then. */
  private giveThread(): void {
    const next = this.questions.shift() ?? this.effects.shift();
    if (next) next();
    else this.running -= 1;
    this.measure();
  }

  private measure(): void {
    renderQueue.set(this.questions.length + this.effects.length);
  }

  private async answer(task: ThreadTask): Promise<PoolAnswer> {
    const stop = renderSeconds.startTimer({ task: task.work.task });
    const abort = new AbortController();
    // A thread that is loading, at the start or in the place of another, has not begun; on a busy machine that can take long.
    let timer = setInterval(() => {
      if (Atomics.load(task.begun, 0) === 0) return;
      clearInterval(timer);
      timer = setTimeout(() => abort.abort(), this.timeoutMs + graceMs);
    }, lookMs);
    try {
      return await this.pool.run(task, { signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) throw outOfTime(this.timeoutMs);
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') throw this.outOfMemory();
      throw error;
    } finally {
      clearInterval(timer);
      stop();
    }
  }

  private outOfMemory(): ServiceError {
    const { heapMb } = this.limits;
    return new ServiceError('internal', `It takes more than ${heapMb} MB of memory. Take a smaller range.`);
  }
}
