/**
 * Answers how many unreleased changes the repositories of a partition have. A count is remembered until a record of its
 * repository is folded, so a list that is read again costs no computation. Only repositories that someone asks about are
 * counted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { UnreleasedCount, UnreleasedCounts } from '../../src/protocol/tasks.ts';
import type { TouchedRepositories } from './touched.ts';

/** Maximum number of remembered counts per partition. The count that was not asked for the longest is forgotten first. */
const maxKnown = 2000;
/** Maximum number of repositories per partition that wait to be counted. Further ones are counted when asked again. */
const maxWaiting = 500;
/** Number of repositories that are counted at the same time. */
const concurrent = 2;
/** How long a repository that cannot be counted is not tried again, in milliseconds. */
const failedMs = 60_000;

/** The count of one repository that is under way or waits for its turn. */
interface Job {
  repoId: string;
  hasBegun: boolean;
  ended: Promise<UnreleasedCount | undefined>;
  end: (count: UnreleasedCount | undefined) => void;
}

export interface UnreleasedCounterOptions {
  /** Counts a repository in a render thread. */
  count: (repoId: string) => Promise<UnreleasedCount>;
  /** Whether the fold announces all records. While a backlog is folded in a thread, it does not. */
  isReady: () => boolean;
  now?: () => number;
}

export class UnreleasedCounter {
  private readonly options: UnreleasedCounterOptions;
  /** In the order in which they were asked for, the newest last. */
  private readonly known = new Map<string, UnreleasedCount>();
  private readonly failed = new Map<string, number>();
  /** Jobs whose result is still current when they end. */
  private readonly jobs = new Map<string, Job>();
  private readonly waiting: Job[] = [];
  private running = 0;

  constructor(options: UnreleasedCounterOptions) {
    this.options = options;
  }

  /** Whether nothing is remembered or being counted, so that no change needs to be reported. */
  get isEmpty(): boolean {
    return this.known.size + this.jobs.size + this.failed.size === 0;
  }

  /**
   * Returns the counts of repositories. Waits up to `waitMs` milliseconds for those that must be counted first. The
   * counting of the others continues, so they are ready for a later question.
   */
  async of(repoIds: readonly string[], waitMs: number): Promise<UnreleasedCounts> {
    if (!this.options.isReady()) return {};
    const found: Record<string, UnreleasedCount> = {};
    const pending = repoIds.flatMap((repoId) => {
      const known = this.recall(repoId);
      if (known) found[repoId] = known;
      const job = known ? undefined : this.jobFor(repoId);
      return job ? [job] : [];
    });
    if (pending.length === 0) return found;
    const note = async ({ repoId, ended }: Job): Promise<void> => {
      const count = await ended;
      if (count) found[repoId] = count;
    };
    const timeout = new AbortController();
    const waited = pause(waitMs, undefined, { signal: timeout.signal }).catch(() => {});
    await Promise.race([Promise.all(pending.map(note)), waited]);
    timeout.abort();
    return { ...found };
  }

  /**
   * Forgets the counts of repositories that have changed. Call it when a commit has ended and before the commit is
   * announced.
   * @param touched undefined if it is not known which repositories have changed
   */
  forget(touched: TouchedRepositories | undefined): void {
    if (touched === undefined || touched.isAny) {
      this.known.clear();
      this.failed.clear();
      for (const repoId of this.jobs.keys()) this.drop(repoId);
      return;
    }
    for (const repoId of touched.ids) {
      this.known.delete(repoId);
      this.failed.delete(repoId);
      this.drop(repoId);
    }
  }

  /** Ensures that the result of a job is not remembered, unless the job has yet to read the repository. */
  private drop(repoId: string): void {
    if (this.jobs.get(repoId)?.hasBegun) this.jobs.delete(repoId);
  }

  private recall(repoId: string): UnreleasedCount | undefined {
    const count = this.known.get(repoId);
    if (!count) return undefined;
    this.known.delete(repoId);
    this.known.set(repoId, count);
    return count;
  }

  /** Returns the job that counts a repository; undefined if too many wait, or if counting it failed a moment ago. */
  private jobFor(repoId: string): Job | undefined {
    const current = this.jobs.get(repoId);
    if (current) return current;
    if (this.waiting.length >= maxWaiting || this.hasFailed(repoId)) return undefined;
    const { promise: ended, resolve: end } = deferred<UnreleasedCount | undefined>();
    const job: Job = { repoId, hasBegun: false, ended, end };
    this.jobs.set(repoId, job);
    this.waiting.push(job);
    this.begin();
    return job;
  }

  private hasFailed(repoId: string): boolean {
    const until = this.failed.get(repoId);
    if (until === undefined) return false;
    if (until > this.now()) return true;
    this.failed.delete(repoId);
    return false;
  }

  private begin(): void {
    while (this.running < concurrent) {
      const job = this.waiting.shift();
      if (!job) return;
      this.running += 1;
      job.hasBegun = true;
      void this.run(job);
    }
  }

  /** Counts a repository. If a record of the repository was folded meanwhile, the count is not remembered. */
  private async run(job: Job): Promise<void> {
    const { repoId } = job;
    let count: UnreleasedCount | undefined;
    let isBusy = false;
    try {
      count = await this.options.count(repoId);
    } catch (error) {
      // Other errors stay: the repository has no event yet, or its count takes too much time or memory.
      isBusy = error instanceof ServiceError && error.kind === 'unavailable';
    }
    if (this.jobs.get(repoId) === job) {
      this.jobs.delete(repoId);
      if (count) keep(this.known, repoId, count);
      else if (!isBusy) keep(this.failed, repoId, this.now() + failedMs);
    }
    this.running -= 1;
    this.begin();
    job.end(count);
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }
}

/** Adds a value to a map, and removes the oldest one beyond the maximum. */
function keep<Value>(map: Map<string, Value>, repoId: string, value: Value): void {
  map.set(repoId, value);
  if (map.size <= maxKnown) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/** Makes a promise that is resolved from outside. */
function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
