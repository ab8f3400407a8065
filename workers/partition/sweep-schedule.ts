/**
 * Decides when a partition is swept and up to what day, and puts the pieces of it on the journal one after another. What
 * waits for an operator's word is told in the log, once, and as an alarm. Folding is `retention.ts`.
 */
import { yearBefore } from '../../src/foundation/days.ts';
import { ulid } from '../../src/foundation/ids.ts';
import { lastSweepTime, partitionAlarms } from '../../src/foundation/metrics.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { askDue, sharesOf, withHostedNotes } from '../../src/journal/retention.ts';
import { directoryName } from '../../src/journal/subjects.ts';
import type { SweepBody, Wait } from '../../src/protocol/retention.ts';
import { listDirectoryRepositories } from '../../src/store/tables/directory.ts';
import { readPolicy } from '../../src/store/tables/policies.ts';
import { dueOrganisations, isSweeping, retentionStatus } from '../../src/store/tables/retention.ts';
import type { PartitionOwner } from './owner.ts';

const foldMs = 60_000;
/** The first sweep comes this long after the start, if not sooner: after the first ticks, and not in the way of catching up. */
const firstSweepMs = 60_000;
/** Another partition could not be asked, or the fold was behind. */
const retryMs = 300_000;
/** Between two pieces other records get their turn, in milliseconds. */
const pauseMs = 50;

export class Sweeper {
  private readonly owner: PartitionOwner;
  private readonly lane: Lane;
  private readonly partitions: number;
  private readonly sweepMs: number;
  /** When the next sweep begins by itself, on a clock that does not jump. */
  private next: number;
  private working: Promise<void> | undefined;
  private told = '';
  private doubted = false;
  private stopped = false;

  /** @param options `partitions`: how many partitions of repositories there are; `sweepMs`: time between two sweeps */
  constructor(owner: PartitionOwner, options: { lane: Lane; partitions: number; sweepMs: number }) {
    this.owner = owner;
    this.lane = options.lane;
    this.partitions = options.partitions;
    this.sweepMs = options.sweepMs;
    this.next = performance.now() + Math.min(firstSweepMs, options.sweepMs);
  }

  /** Begins a sweep and sees it through, as far as it waits for nobody; one at a time. One that fails is tried again soon. */
  async sweep(): Promise<void> {
    this.next = performance.now() + Math.min(retryMs, this.sweepMs);
    await this.work(() => this.begin());
    this.next = performance.now() + this.sweepMs;
  }

  /** Sweeps when it is time, tells what waits, and goes on with what a stop or an operator's word left to do. */
  async look(): Promise<void> {
    if (!this.owner.caughtUp) return;
    const doubted = this.doubted;
    this.tell();
    if (this.working) return;
    if (performance.now() >= this.next || (doubted && !this.doubted)) await this.sweep();
    else if (isSweeping(this.owner.partition)) await this.work(async () => {});
  }

  /** Ends with the piece under way; the next owner goes on. */
  async close(): Promise<void> {
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
    this.tell();
  }

  private async begin(): Promise<void> {
    const now = Date.now();
    // A sweep goes by the time of the ticks before it.
    await this.lane.enqueue({ id: ulid(now), at: now, kind: 'tick' });
    if (this.owner.name === directoryName) return this.sweepOrganisations(now);
    await this.enqueue({ sweep: 'records', before: yearBefore(now), notesLosses: true });
  }

  /** Whether it is much has to be asked of the partitions: the directory does not know what a repository holds. */
  private async sweepOrganisations(now: number): Promise<void> {
    const { partition, options } = this.owner;
    const organisations = dueOrganisations(partition, now);
    const repositories = organisations.flatMap(({ id }) => listDirectoryRepositories(partition, id));
    const ids = repositories.map(({ id }) => id);
    const due = ids.length > 0 ? await askDue(options.journal, this.partitions, yearBefore(now), ids) : [];
    const { partitions } = this;
    const noted = withHostedNotes(due);
    // Nothing of a claim outlives its organization.
    const kept = repositories.flatMap(({ id, orgId, claimed }) =>
      noted.has(id) && !claimed && readPolicy(partition, orgId).keepPublishedAfterUninstall ? [id] : [],
    );
    await this.enqueue({ sweep: 'organisations', organisations, partitions, shares: sharesOf(due), kept });
  }

  private async enqueue(body: SweepBody): Promise<void> {
    const now = Date.now();
    const { seq } = await this.lane.enqueue({ id: ulid(now), at: now, kind: 'sweep', body });
    if (!(await this.owner.reach(seq, foldMs))) throw new Error('the fold is far behind: the sweep goes on later');
  }

  private tell(): void {
    const { partition, options, name } = this.owner;
    const { waiting, lastSweep } = retentionStatus(partition);
    lastSweepTime.set({ partition: name }, (lastSweep?.at ?? 0) / 1000);
    const isClock = waiting.some(({ cause }) => cause === 'clock');
    this.doubted = isClock;
    partitionAlarms.set({ partition: name, cause: 'clock' }, isClock ? 1 : 0);
    partitionAlarms.set({ partition: name, cause: 'erasure' }, waiting.length > (isClock ? 1 : 0) ? 1 : 0);
    const identity = JSON.stringify(waiting.map(identify));
    if (identity === this.told) return;
    this.told = identity;
    for (const wait of waiting) options.logger.warn({ partition: name, ...wait }, messages[wait.cause]);
  }
}

const messages: Record<Wait['cause'], string> = {
  clock:
    'the clock is more than a day off the last tick: nothing is erased until it comes back or somebody says `tidings retention approve`',
  records: 'a sweep would erase much: nothing is erased until somebody says `tidings retention approve`',
  organisations: 'removed organisations hold much: they are not erased until somebody says `tidings retention approve`',
};

/** What makes a wait another one; that a clock goes on does not. */
function identify(wait: Wait): unknown {
  return wait.cause === 'clock' ? { cause: wait.cause, from: wait.from } : wait;
}
