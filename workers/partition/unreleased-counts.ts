/**
 * Answers how many unreleased changes the repositories of a partition have. A count is remembered until a record of its
 * repository is folded, so a list that is read again costs no computation. Then a new count is made, and the outdated one
 * is the answer until the new one is ready, for a minute at most. Only repositories that someone asks about are counted.
 * Organizations take turns, so that none of them waits for all repositories of another.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { UnreleasedCount, UnreleasedCounts } from '../../src/protocol/tasks.ts';
import type { TouchedRepositories } from './touched.ts';

/** Maximum number of remembered counts per partition. The count that was not asked for the longest is forgotten first. */
const maxKnown = 2000;
/** Maximum number of repositories of a partition that wait to be counted. Further ones are counted when asked again. */
const maxWaiting = 2000;
/** Maximum number of repositories of one organization that wait to be counted. */
export const maxWaitingOfOne = 200;
/** Number of organizations that have a repository counted at the same time. Each has one repository counted at a time. */
const concurrent = 2;
/** How long a repository that cannot be counted is not tried again, in milliseconds. */
const failedMs = 60_000;
/** A repository that nobody has asked for again in this time is not counted, in milliseconds. */
const abandonedMs = 30_000;
/** How long an outdated count is an answer while the new count is made, in milliseconds. */
const outdatedMs = 60_000;

/** The count of one repository that is under way or waits for its turn. */
interface Job {
  repoId: string;
  organization: string;
  askedAt: number;
  hasBegun: boolean;
  /** When the repository first changed after the job had begun; null if the result must not be remembered at all. */
  outdatedAt: number | null | undefined;
  ended: Promise<UnreleasedCount | undefined>;
  end: (count: UnreleasedCount | undefined) => void;
}

/** A remembered count. */
interface Known {
  count: UnreleasedCount;
  /** When the repository first changed after the count; undefined if the count is current. */
  outdatedAt: number | undefined;
}

/** Why a repository is not counted for a while. */
interface Failure {
  until: number;
  /** Whether the count takes too much time or memory, which a change of the repository does not mend. */
  isCostly: boolean;
}

export interface UnreleasedCounterOptions {
  /** Counts a repository in a render thread. */
  count: (repoId: string) => Promise<UnreleasedCount>;
  /** Returns the organization of a repository. */
  organizationOf: (repoId: string) => string;
  /** Whether the fold announces all records. While a backlog is folded in a thread, it does not. */
  isReady: () => boolean;
  now?: () => number;
}

export class UnreleasedCounter {
  private readonly options: UnreleasedCounterOptions;
  /** In the order in which they were asked for, the newest last. */
  private readonly known = new Map<string, Known>();
  private readonly failed = new Map<string, Failure>();
  /** Jobs whose result is still current when they end. */
  private readonly jobs = new Map<string, Job>();
  /** Jobs that wait, by organization, in the order of the organizations' next turns. */
  private readonly queues = new Map<string, Job[]>();
  /** The job of each organization that is under way. */
  private readonly running = new Map<string, Job>();

  constructor(options: UnreleasedCounterOptions) {
    this.options = options;
  }

  /** Whether nothing is remembered or being counted, so that no change needs to be reported. */
  get isEmpty(): boolean {
    return this.known.size + this.jobs.size + this.running.size + this.failed.size === 0;
  }

  /**
   * Returns the counts of repositories. Waits up to `waitMs` milliseconds for those that must be counted first. The
   * counting of the others continues, so they are ready for a later question. Until then, the outdated count is returned
   * if the repository changed less than a minute ago.
   */
  async of(repoIds: readonly string[], waitMs: number): Promise<UnreleasedCounts> {
    if (!this.options.isReady()) return {};
    const found: Record<string, UnreleasedCount> = {};
    const pending = repoIds.flatMap((repoId) => {
      const known = this.recall(repoId);
      if (known && known.outdatedAt === undefined) {
        found[repoId] = known.count;
        return [];
      }
      return this.jobFor(repoId) ?? [];
    });
    if (pending.length > 0) await this.collect(pending, found, waitMs);
    for (const repoId of repoIds) {
      const known = found[repoId] ? undefined : this.known.get(repoId);
      if (known && (known.outdatedAt ?? this.now()) > this.now() - outdatedMs) found[repoId] = answerOf(known);
    }
    return { ...found };
  }

  /**
   * Notes that repositories have changed, so that their counts are outdated. Call it when a commit has ended and before
   * the commit is announced.
   * @param touched undefined if it is not known which repositories have changed. Then all counts are forgotten, because
   *   a repository may have been erased.
   */
  forget(touched: TouchedRepositories | undefined): void {
    if (touched === undefined || touched.isAny) {
      this.known.clear();
      this.failed.clear();
      for (const job of this.running.values()) this.drop(job, null);
      return;
    }
    for (const repoId of touched.ids) {
      const known = this.known.get(repoId);
      if (known) known.outdatedAt ??= this.now();
      if (this.failed.get(repoId)?.isCostly === false) this.failed.delete(repoId);
      const job = this.jobs.get(repoId);
      if (job?.hasBegun) this.drop(job, this.now());
    }
  }

  /** Collects the results of jobs that end in time. */
  private async collect(jobs: readonly Job[], found: Record<string, UnreleasedCount>, waitMs: number): Promise<void> {
    const note = async ({ repoId, ended }: Job): Promise<void> => {
      const count = await ended;
      if (count) found[repoId] = count;
    };
    const timeout = new AbortController();
    const waited = pause(waitMs, undefined, { signal: timeout.signal }).catch(() => {});
    await Promise.race([Promise.all(jobs.map(note)), waited]);
    timeout.abort();
  }

  /** Ensures that the result of a job that is under way does not count as current. */
  private drop(job: Job, outdatedAt: number | null): void {
    job.outdatedAt = outdatedAt;
    if (this.jobs.get(job.repoId) === job) this.jobs.delete(job.repoId);
  }

  private recall(repoId: string): Known | undefined {
    const known = this.known.get(repoId);
    if (!known) return undefined;
    this.known.delete(repoId);
    this.known.set(repoId, known);
    return known;
  }

  /** Returns the job that counts a repository; undefined if too many wait, or if counting it failed a moment ago. */
  private jobFor(repoId: string): Job | undefined {
    const current = this.jobs.get(repoId);
    if (current) {
      current.askedAt = this.now();
      return current;
    }
    if (this.jobs.size >= maxWaiting || this.hasFailed(repoId)) return undefined;
    const organization = this.options.organizationOf(repoId);
    const queue = this.queues.get(organization) ?? [];
    if (queue.length >= maxWaitingOfOne) return undefined;
    const { promise: ended, resolve: end } = deferred<UnreleasedCount | undefined>();
    const begun = { hasBegun: false, outdatedAt: undefined };
    const job: Job = { repoId, organization, askedAt: this.now(), ...begun, ended, end };
    this.jobs.set(repoId, job);
    this.queues.set(organization, queue);
    queue.push(job);
    this.begin();
    return job;
  }

  private hasFailed(repoId: string): boolean {
    const failure = this.failed.get(repoId);
    if (failure === undefined) return false;
    if (failure.until > this.now()) return true;
    this.failed.delete(repoId);
    return false;
  }

  private begin(): void {
    for (const organization of this.queues.keys()) {
      if (this.running.size >= concurrent) return;
      const job = this.running.has(organization) ? undefined : this.nextOf(organization);
      if (!job) continue;
      this.running.set(organization, job);
      job.hasBegun = true;
      void this.run(job);
    }
  }

  /** Takes the next job of an organization, and moves the organization to the end of the order. */
  private nextOf(organization: string): Job | undefined {
    const queue = this.queues.get(organization) ?? [];
    this.queues.delete(organization);
    for (let job = queue.shift(); job; job = queue.shift()) {
      if (job.askedAt <= this.now() - abandonedMs) {
        this.jobs.delete(job.repoId);
        job.end(undefined);
        continue;
      }
      if (queue.length > 0) this.queues.set(organization, queue);
      return job;
    }
    return undefined;
  }

  /** Counts a repository. If a record of the repository was folded meanwhile, the count is outdated at once. */
  private async run(job: Job): Promise<void> {
    const { repoId, organization } = job;
    let count: UnreleasedCount | undefined;
    let failure: unknown;
    try {
      count = await this.options.count(repoId);
    } catch (error) {
      failure = error;
    }
    if (this.jobs.get(repoId) === job) this.jobs.delete(repoId);
    if (count) this.remember(job, count);
    else this.noteFailure(job, failure);
    this.running.delete(organization);
    this.begin();
    job.end(count);
  }

  private remember({ repoId, outdatedAt }: Job, count: UnreleasedCount): void {
    if (outdatedAt === undefined || (outdatedAt !== null && this.isNewer(repoId, outdatedAt)))
      keep(this.known, repoId, { count, outdatedAt });
  }

  /** Whether a count that is outdated since `outdatedAt` shows a newer state than the remembered one. */
  private isNewer(repoId: string, outdatedAt: number): boolean {
    const known = this.known.get(repoId);
    return known === undefined || (known.outdatedAt !== undefined && known.outdatedAt <= outdatedAt);
  }

  private noteFailure({ repoId, outdatedAt }: Job, error: unknown): void {
    const kind = error instanceof ServiceError ? error.kind : 'internal';
    if (kind === 'unavailable') return;
    // Other errors stay: the repository has no event yet, or its count takes too much time or memory.
    const isCostly = kind !== 'notFound';
    if (isCostly || outdatedAt === undefined) keep(this.failed, repoId, { until: this.now() + failedMs, isCostly });
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

function answerOf({ count, outdatedAt }: Known): UnreleasedCount {
  return outdatedAt === undefined ? count : { ...count, unreleased: { ...count.unreleased, outdated: true } };
}
