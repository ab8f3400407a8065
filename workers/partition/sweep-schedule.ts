/**
 * Decides when a partition is swept and up to which day, and enqueues the pieces of the sweep one after another. A
 * sweep that waits for an operator's approval is logged once and raises an alarm. `workers/fold/sweep.ts` folds the
 * pieces.
 */
import { yearBefore } from '../../src/foundation/days.ts';
import { ulid } from '../../src/foundation/ids.ts';
import { onInterval } from '../../src/foundation/intervals.ts';
import { lastSweepTime, partitionAlarms } from '../../src/foundation/metrics.ts';
import { directoryName } from '../../src/foundation/partition-names.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { askDue, sharesOf, withHostedNotes } from '../../src/journal/retention.ts';
import type { SweepBody, Wait } from '../../src/protocol/retention.ts';
import { listDirectoryRepositories } from '../../src/store/tables/directory.ts';
import { readPolicy } from '../../src/store/tables/policies.ts';
import { dueOrganizations, isSweeping, retentionStatus } from '../../src/store/tables/retention.ts';
import type { Lead } from './lead.ts';
import type { PartitionOwner } from './owner.ts';

const foldMs = 60_000;
/**
 * Maximum time from the start of the process to the first sweep, in milliseconds. If the sweep interval is shorter, the
 * interval is used. Because of this delay, the first ticks come before the first sweep. At start, the fold can also
 * catch up without being slowed down by a sweep.
 */
const firstSweepMs = 60_000;
/**
 * Time until the next attempt, in milliseconds. It is used if another partition did not answer or the fold was too far
 * behind.
 */
const retryMs = 300_000;
/** Pause between two pieces of a sweep, in milliseconds. Other records are folded during the pause. */
const pauseMs = 50;

/** Options of a sweeper. */
export interface SweeperOptions {
  lane: Lane;
  /** Only the lead of the partition sweeps it. */
  lead: Pick<Lead, 'acts' | 'stamp'>;
  /** Number of repository partitions. */
  partitions: number;
  /** Interval between two sweeps, in milliseconds. */
  sweepMs: number;
  /** Interval between two checks whether a sweep is due, in milliseconds. */
  pollMs: number;
}

export class Sweeper {
  private readonly owner: PartitionOwner;
  private readonly lead: SweeperOptions['lead'];
  private readonly lane: Lane;
  private readonly partitions: number;
  private readonly sweepMs: number;
  /** When the next sweep starts automatically, in milliseconds of `performance.now()`, which does not jump. */
  private next: number;
  private working: Promise<void> | undefined;
  private lastReported = '';
  private doubted = false;
  private stopped = false;

  private readonly end: () => void;

  constructor(owner: PartitionOwner, options: SweeperOptions) {
    this.owner = owner;
    this.lead = options.lead;
    this.lane = options.lane;
    this.partitions = options.partitions;
    this.sweepMs = options.sweepMs;
    this.next = performance.now() + Math.min(firstSweepMs, options.sweepMs);
    this.end = onInterval(options.pollMs, () => void this.poll());
  }

  /**
   * Begins a sweep and continues it until it ends or waits for approval. Sweeps run one at a time. If the sweep fails,
   * the next attempt follows within five minutes. A process that does not lead the partition does nothing.
   */
  async sweep(): Promise<void> {
    if (!this.lead.acts) return;
    this.next = performance.now() + Math.min(retryMs, this.sweepMs);
    await this.work(() => this.begin());
    this.next = performance.now() + this.sweepMs;
  }

  /**
   * Starts a sweep if the interval has passed, and reports sweeps that wait. Also continues a sweep that was
   * interrupted by a restart or approved by an operator.
   */
  private async poll(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      const { logger } = this.owner.options;
      logger.warn({ partition: this.owner.name, err: error }, 'sweep failed, and is tried again later');
    }
  }

  private async check(): Promise<void> {
    if (!this.lead.acts) return;
    const doubted = this.doubted;
    this.reportState();
    if (this.working) return;
    if (performance.now() >= this.next || (doubted && !this.doubted)) await this.sweep();
    else if (isSweeping(this.owner.partition)) await this.work(async () => {});
  }

  /** Stops after the current piece. The next owner continues the sweep. */
  async close(): Promise<void> {
    this.end();
    this.stopped = true;
    await this.working?.catch(() => {});
  }

  private work(begin: () => Promise<void>): Promise<void> {
    const working = (this.working ?? Promise.resolve()).catch(() => {}).then(() => this.run(begin));
    this.working = working;
    const done = () => {
      if (this.working === working) this.working = undefined;
    };
    working.then(done, done);
    return working;
  }

  private async run(begin: () => Promise<void>): Promise<void> {
    await begin();
    while (!this.stopped && isSweeping(this.owner.partition)) {
      await this.enqueue({ sweep: 'more' });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    this.reportState();
  }

  private async begin(): Promise<void> {
    const now = Date.now();
    // A sweep relies on the time of the ticks before it, so a tick is enqueued first.
    await this.lane.enqueue({ id: ulid(now), at: now, kind: 'tick', ...this.lead.stamp });
    if (this.owner.name === directoryName) return this.sweepOrganizations(now);
    await this.enqueue({ sweep: 'records', before: yearBefore(now), notesLosses: true });
  }

  /**
   * Asks each partition for the number of records in repositories of removed organizations. The directory does not
   * know these numbers. Then enqueues a sweep with the partitions' answers.
   */
  private async sweepOrganizations(now: number): Promise<void> {
    const { partition, options } = this.owner;
    const organizations = dueOrganizations(partition, now);
    const repositories = organizations.flatMap(({ id }) => listDirectoryRepositories(partition, id));
    const ids = repositories.map(({ id }) => id);
    const due = ids.length > 0 ? await askDue(options.journal, this.partitions, yearBefore(now), ids) : [];
    const { partitions } = this;
    const noted = withHostedNotes(due);
    // The notes of a repository that was only claimed are not kept.
    const kept = repositories.flatMap(({ id, orgId, claimed }) =>
      noted.has(id) && !claimed && readPolicy(partition, orgId).keepPublishedAfterUninstall ? [id] : [],
    );
    await this.enqueue({
      sweep: 'organisations',
      organisations: organizations,
      partitions,
      shares: sharesOf(due),
      kept,
    });
  }

  private async enqueue(body: SweepBody): Promise<void> {
    // Without the term of the lead, the fold would not drop the record.
    if (!this.lead.acts) throw new Error('another process leads the partition: it continues the sweep');
    const now = Date.now();
    const { seq } = await this.lane.enqueue({ id: ulid(now), at: now, kind: 'sweep', body, ...this.lead.stamp });
    if (!(await this.owner.reach(seq, foldMs)))
      throw new Error('the partition is far behind its journal: the sweep continues later');
  }

  private reportState(): void {
    const { partition, options, name } = this.owner;
    const { waiting, lastSweep } = retentionStatus(partition);
    lastSweepTime.set({ partition: name }, (lastSweep?.at ?? 0) / 1000);
    const isClock = waiting.some(({ cause }) => cause === 'clock');
    this.doubted = isClock;
    partitionAlarms.set({ partition: name, cause: 'clock' }, isClock ? 1 : 0);
    partitionAlarms.set({ partition: name, cause: 'erasure' }, waiting.length > (isClock ? 1 : 0) ? 1 : 0);
    const identity = JSON.stringify(waiting.map(identify));
    if (identity === this.lastReported) return;
    this.lastReported = identity;
    for (const wait of waiting) options.logger.warn({ partition: name, ...wait }, messages[wait.cause]);
  }
}

const messages: Record<Wait['cause'], string> = {
  clock:
    'the clock differs by more than a day from the last recorded time: nothing is erased until the clock is right again or an operator runs `tidings retention approve`',
  records:
    'a sweep would erase a large share of the records: nothing is erased until an operator runs `tidings retention approve`',
  organisations:
    'removed organizations have a large share of the records: these records are not erased until an operator runs `tidings retention approve`',
};

/**
 * Returns the fields that identify a pause in erasing (`wait`). If the clock is the cause, `to` is left out, because
 * `to` changes during the pause.
 */
function identify(wait: Wait): unknown {
  return wait.cause === 'clock' ? { cause: wait.cause, from: wait.from } : wait;
}
