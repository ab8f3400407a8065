/**
 * The pool of render threads of one worker: fair turns, bounded queues, time limit, heap limit. What does not fit is refused, and its
 * durable ticket is tried again; the pool itself remembers nothing. A thread that had to be ended is replaced.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../../src/foundation/errors.ts';
import { renderQueue, renderSeconds } from '../../src/foundation/metrics.ts';
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
import { busy, Turns } from './turns.ts';

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
  /** Tasks of one organisation that may wait for a thread. */
  waiting: number;
}

/** Whose turn a task takes. */
export interface Turn {
  /** The organisation that the task is of: it holds one thread at most. */
  organisation: string;
  /** How long whoever asks waits, in milliseconds: nobody hears a later answer. */
  patienceMs?: number;
  /** Is carried out once the task has a thread, before it begins. */
  begin?: () => Promise<void>;
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
  private readonly turns: Turns;
  readonly threads: number;

  /**
   * @param threads 0 = half the cores, at least two, as of one alone a task that takes long would have every organisation wait
   * @param timeoutMs longest time of a task in its thread; waiting for one does not count
   */
  constructor(threads: number, timeoutMs: number, limits: Partial<PoolLimits> = {}) {
    this.threads = threads || Math.max(2, Math.floor(availableParallelism() / 2));
    this.timeoutMs = timeoutMs;
    this.limits = { ...defaultLimits, ...limits };
    this.turns = new Turns(this.threads, this.limits.waiting);
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
   * Runs a task in a thread, when it is its organisation's turn.
   * @throws ServiceError what the task found; `unavailable` when too many of the organisation wait, or when whoever asks has gone;
   * `internal` when it takes too much time or memory, which it would again
   */
  async run<Work extends PoolTask['work']>(
    task: PoolTask & { work: Work },
    { organisation, patienceMs = Number.POSITIVE_INFINITY, begin }: Turn,
  ): Promise<Answers[Work['task']]> {
    const asked = performance.now();
    await this.take(organisation, task.work.task, patienceMs);
    try {
      await begin?.();
      const left = Math.max(1, Math.ceil(asked + patienceMs - performance.now()));
      const begun = new Int32Array(new SharedArrayBuffer(4));
      const answer = await this.answer({ ...task, timeoutMs: Math.min(this.timeoutMs, left), begun });
      if (answer.ok) return answer.value as Answers[Work['task']];
      throw new ServiceError(answer.kind, answer.message, answer.details ? { details: answer.details } : {});
    } catch (error) {
      // Its own limit may be far off: it was the wait for a turn that left too little time.
      throw performance.now() - asked >= patienceMs ? busy() : error;
    } finally {
      this.turns.give(organisation);
      this.measure();
    }
  }

  /** Resolves when a thread is loaded: the first question waits for no more than its answer then. */
  async loaded(): Promise<void> {
    await this.pool.run(undefined, { name: 'loaded' });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private take(organisation: string, task: PoolTask['work']['task'], patienceMs: number): Promise<void> {
    const kind = task === 'render' || task === 'recount' ? 'effects' : 'questions';
    const taken = this.turns.take(organisation, kind, patienceMs);
    this.measure();
    return taken;
  }

  private measure(): void {
    renderQueue.set(this.turns.waiting);
  }

  private async answer(task: ThreadTask): Promise<PoolAnswer> {
    const stop = renderSeconds.startTimer({ task: task.work.task });
    const abort = new AbortController();
    // A thread that is loading, at the start or in the place of another, has not begun; on a busy machine that can take long.
    let timer = setInterval(() => {
      if (Atomics.load(task.begun, 0) === 0) return;
      clearInterval(timer);
      timer = setTimeout(() => abort.abort(), task.timeoutMs + graceMs);
    }, lookMs);
    try {
      return await this.pool.run(task, { signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) throw outOfTime(task.timeoutMs);
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
