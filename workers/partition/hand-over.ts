/**
 * Hands the lead of partitions over to other nodes: all of them when this process stops or while the clock of this node
 * is wrong, and one at a time while this process leads more partitions than others (`docs/architecture.md` decision 52).
 */
import { onInterval } from '../../src/foundation/intervals.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { answerAsCandidate, type Candidate, findCandidates } from '../../src/journal/candidates.ts';
import { clockOffset, maxClockOffset, serverTime } from '../../src/journal/clock.ts';
import type { Journal } from '../../src/journal/connect.ts';
import type { Lead } from './lead.ts';

/** One partition of this process. */
export interface Handed {
  readonly name: PartitionName;
  readonly lead: Lead;
  readonly owner: { readonly seq: number; readonly caughtUp: boolean };
  /** Ends the work of the lead. Nothing that was begun is left when it resolves. */
  endLeading(): Promise<void>;
  /** Begins the work of the lead again, if this process still leads. */
  resumeLeading(): void;
}

/** Interval between two checks whether another process should lead partitions of this one, in milliseconds. */
const checkMs = 60_000;
/** How long a process that was told to hand over is no candidate, in milliseconds. An operator stops it meanwhile. */
const awayMs = 600_000;
/** A process further behind than this many messages would delay effects, so it does not get the lead. */
const maxBehind = 1000;

/** Hands over the partitions of one worker process of a cluster. */
export class HandOver {
  private readonly journal: Journal;
  private readonly handed = new Map<PartitionName, Handed>();
  private readonly ends: (() => void)[] = [];
  private readonly logger: Pick<Logger, 'warn'>;
  private readonly compare: () => Promise<number>;
  private awayUntil = Number.NEGATIVE_INFINITY;
  private stopped = false;
  /** By how many seconds the clock of this node was ahead at the last comparison. */
  private offset = 0;

  /** @param compare returns by how many seconds the clock of this node is ahead */
  constructor(
    journal: Journal,
    logger: Pick<Logger, 'warn'>,
    compare: () => Promise<number> = () => clockOffset(() => serverTime(journal)),
  ) {
    this.journal = journal;
    this.logger = logger;
    this.compare = compare;
    void this.compareClock();
    this.ends.push(onInterval(checkMs, () => void this.check()));
  }

  /** Adds a partition: this process becomes a candidate for its lead. */
  add(one: Handed): void {
    this.handed.set(one.name, one);
    const answers = answerAsCandidate(this.journal, one.name, () => this.candidateFor(one));
    this.ends.push(() => answers.unsubscribe());
  }

  /** Hands over the lead of a partition, if another process can lead it. Returns whether it was handed over. */
  async handOver(name: PartitionName): Promise<boolean> {
    const one = this.handed.get(name);
    if (one?.lead.term === undefined) return false;
    const heir = heirOf(await findCandidates(this.journal, name), one);
    if (!heir) return false;
    return this.give(one, heir);
  }

  /**
   * Hands a partition over because an operator asks for it. This process takes over no partition for ten minutes.
   * @returns whether this process led the partition, and whether another process leads it now
   */
  async leave(name: PartitionName): Promise<{ led: boolean; handedOver: boolean }> {
    this.awayUntil = performance.now() + awayMs;
    const led = this.handed.get(name)?.lead.term !== undefined;
    return { led, handedOver: led && (await this.handOver(name)) };
  }

  /** Stops being a candidate. Partitions that this process leads can still be handed over. */
  stop(): void {
    this.stopped = true;
    for (const end of this.ends) end();
  }

  /** Compares the clock, and then hands over what another process should lead. */
  async check(): Promise<void> {
    await this.compareClock();
    if (!this.isClockWrong) return this.balance();
    const { offset } = this;
    for (const { name } of [...this.handed.values()].filter(isLed)) {
      if (this.stopped || !(await this.handOver(name))) continue;
      this.logger.warn({ partition: name, offsetSeconds: offset }, 'partition was handed over: the clock is wrong');
    }
  }

  /** Hands one partition over if another process leads at least two partitions less than this process. */
  async balance(): Promise<void> {
    const leads = this.leads();
    for (const one of this.handed.values()) {
      if (this.stopped || !isLed(one) || leads < 2) continue;
      const heir = heirOf(await findCandidates(this.journal, one.name), one);
      if (heir && heir.leads + 2 <= leads && (await this.give(one, heir))) return;
    }
  }

  private async give(one: Handed, heir: Candidate): Promise<boolean> {
    one.lead.pause();
    await one.endLeading();
    const isCeded = await one.lead.cede(heir);
    if (!isCeded && !this.stopped) one.resumeLeading();
    return isCeded;
  }

  /** If the server does not answer, the last comparison counts. The supervisor reports that the clock is off. */
  private async compareClock(): Promise<void> {
    this.offset = await this.compare().catch(() => this.offset);
  }

  private get isClockWrong(): boolean {
    return Math.abs(this.offset) > maxClockOffset;
  }

  private leads(): number {
    return [...this.handed.values()].filter(isLed).length;
  }

  private candidateFor({ lead, owner }: Handed): Candidate | undefined {
    if (this.stopped || this.isClockWrong || performance.now() < this.awayUntil) return undefined;
    if (!lead.isCandidate || !owner.caughtUp) return undefined;
    return { node: this.journal.node, life: lead.life, seq: owner.seq, leads: this.leads() };
  }
}

/** Whether this process leads a partition that it still serves. */
function isLed({ lead }: Handed): boolean {
  return lead.term !== undefined && !lead.isClosed;
}

/** Returns the candidate with the fewest leads that is not far behind. */
function heirOf(candidates: readonly Candidate[], { owner }: Handed): Candidate | undefined {
  return candidates
    .filter(({ seq }) => seq >= owner.seq - maxBehind)
    .sort((a, b) => a.leads - b.leads || b.seq - a.seq)[0];
}
