/**
 * The pool of render threads of one worker, with fair turns, bounded queues, a time limit and a heap limit. If the
 * queue is full, a task is refused, and the outbox retries it. The pool stores nothing. A thread that had to be ended
 * is replaced.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../../src/foundation/errors.ts';
import { renderQueue, renderSeconds } from '../../src/foundation/metrics.ts';
import type { DueActs } from '../../src/protocol/automation.ts';
import type { DraftVerdict } from '../../src/protocol/outdated.ts';
import type { PullNote } from '../../src/protocol/pull-note.ts';
import type { Due } from '../../src/protocol/retention.ts';
import type { SettingsPreview } from '../../src/protocol/settings-preview.ts';
import type {
  Changes,
  Entries,
  Payload,
  PoolAnswer,
  PoolTask,
  Preview,
  RangeCount,
  RangePreview,
  Rendered,
  ThreadTask,
  UnreleasedCount,
} from '../../src/protocol/tasks.ts';
import { graceMs, outOfTime } from './deadline.ts';
import { heapLimits, usualHeapMb } from './heap.ts';
import { busy, type TurnKind, Turns } from './turns.ts';

/** The type of the answer to each task. */
interface Answers {
  render: Rendered;
  preview: Preview;
  recount: RangeCount[];
  outdated: DraftVerdict[];
  automation: DueActs;
  changes: Changes;
  rangePreview: RangePreview;
  unreleasedCount: UnreleasedCount;
  entries: Entries;
  settingsPreview: SettingsPreview;
  pullNote: PullNote;
  due: Due;
  payload: Payload;
}

/** Which tasks carry out effects, which answer a question that a client waits for, and which no one waits for. */
const kindOf: Readonly<Record<PoolTask['work']['task'], TurnKind>> = {
  render: 'effects',
  recount: 'effects',
  outdated: 'effects',
  automation: 'effects',
  preview: 'questions',
  changes: 'questions',
  rangePreview: 'questions',
  unreleasedCount: 'counts',
  entries: 'questions',
  settingsPreview: 'questions',
  pullNote: 'questions',
  due: 'questions',
  payload: 'questions',
};

/** Limits of a pool. The number of threads and the time limit are separate parameters. */
export interface PoolLimits {
  /** Heap of a thread, in MB. */
  heapMb: number;
  /** Maximum number of tasks of one organization that may wait for a thread. */
  waiting: number;
}

/** The organization that a task runs for, and how long the task may wait for a thread. */
export interface Turn {
  /** The organization of the task. Each organization holds at most one thread. */
  organization: string;
  /** How long the caller waits, in milliseconds. A later answer would be useless. */
  maxWaitMs?: number;
  /** Time limit of the task in its thread, in milliseconds, if the caller does not wait for the end of the task. */
  limitMs?: number;
  /** Called after the task has got a thread and before the task begins. */
  begin?: () => Promise<void>;
}

/**
 * Threads must be loaded by import(), never by require(). If a thread is ended during a require() of an ES module, the
 * whole process ends (fatal error of Node.js: "IsGraphAsync must be used on an instantiated module").
 */
const threadArguments = [...process.execArgv, '--no-experimental-require-module'];

/** Interval, in milliseconds, at which the pool checks whether a thread has begun its task. */
const pollMs = 250;

const defaultLimits: PoolLimits = { heapMb: usualHeapMb, waiting: 64 };

export class RenderPool {
  private readonly pool: Piscina;
  private readonly timeoutMs: number;
  private readonly limits: PoolLimits;
  private readonly turns: Turns;
  readonly threads: number;

  /**
   * @param threads number of threads; 0 = half the cores, at least two, because with a single thread one slow task
   * would delay every organization
   * @param timeoutMs maximum time of a task in its thread, in milliseconds, not including the wait for a thread
   */
  constructor(threads: number, timeoutMs: number, limits: Partial<PoolLimits> = {}) {
    this.threads = threads || Math.max(2, Math.floor(availableParallelism() / 2));
    this.timeoutMs = timeoutMs;
    this.limits = { ...defaultLimits, ...limits };
    this.turns = new Turns(this.threads, this.limits.waiting);
    this.pool = new Piscina({
      filename: fileURLToPath(new URL('./thread.js', import.meta.url)),
      // Threads beyond the first are started when tasks run at the same time. Then they stay, because ending a thread
      // is a risk (`deadline.ts`).
      minThreads: 1,
      maxThreads: this.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: 1,
      // With Atomics, no timer runs in an idle thread, so it would keep ledgers of erased repositories.
      atomics: 'disabled',
      execArgv: threadArguments,
      resourceLimits: heapLimits(this.limits.heapMb),
    });
  }

  /**
   * Runs a task in a thread, when it is its organization's turn.
   * @throws ServiceError the failure of the task; `unavailable` when too many tasks of the organization wait or the
   *   caller has stopped waiting; `internal` when the task takes too much time or memory (a retry would fail too)
   */
  async run<Work extends PoolTask['work']>(
    task: PoolTask & { work: Work },
    { organization, maxWaitMs = Number.POSITIVE_INFINITY, limitMs, begin }: Turn,
  ): Promise<Answers[Work['task']]> {
    const asked = performance.now();
    await this.take(organization, task.work.task, maxWaitMs);
    try {
      await begin?.();
      const left = limitMs ?? Math.max(1, Math.ceil(asked + maxWaitMs - performance.now()));
      const begun = new Int32Array(new SharedArrayBuffer(4));
      const answer = await this.answer({ ...task, timeoutMs: Math.min(this.timeoutMs, left), begun });
      if (answer.ok) return answer.value as Answers[Work['task']];
      throw new ServiceError(answer.kind, answer.message, answer.details ? { details: answer.details } : {});
    } catch (error) {
      // If the wait for a turn left too little time for the task, the error is temporary. The caller may try again.
      throw limitMs === undefined && performance.now() - asked >= maxWaitMs ? busy() : error;
    } finally {
      this.turns.free(organization);
      this.measure();
    }
  }

  /** Resolves when a thread is loaded. After that, a question does not have to wait for a thread to load. */
  async loaded(): Promise<void> {
    await this.pool.run(undefined, { name: 'loaded' });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private take(organization: string, task: PoolTask['work']['task'], maxWaitMs: number): Promise<void> {
    const taken = this.turns.take(organization, kindOf[task], maxWaitMs);
    this.measure();
    return taken;
  }

  private measure(): void {
    renderQueue.set(this.turns.waiting);
  }

  private async answer(task: ThreadTask): Promise<PoolAnswer> {
    const stop = renderSeconds.startTimer({ task: task.work.task });
    const abort = new AbortController();
    // The time limit starts when the thread has begun the task, not while the thread is loading. A thread is loaded
    // when the pool starts or when another thread is replaced. Loading can take long on a busy machine.
    let timer = setInterval(() => {
      if (Atomics.load(task.begun, 0) === 0) return;
      clearInterval(timer);
      timer = setTimeout(() => abort.abort(), task.timeoutMs + graceMs);
    }, pollMs);
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
    return new ServiceError('internal', `The task needs more than ${heapMb} MB of memory. Choose a smaller range.`);
  }
}
