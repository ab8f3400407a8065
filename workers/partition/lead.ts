/**
 * Decides whether this process leads a partition. Only the lead carries out effects and drives the partition's clock.
 * The lead is elected by claims in the partition's own stream, so the journal orders each claim before or after the
 * records of other leads (`docs/architecture.md` decisions 33 and 34).
 */

import { ulid } from '../../src/foundation/ids.ts';
import { onInterval } from '../../src/foundation/intervals.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { leadChanges, partitionLead } from '../../src/foundation/metrics.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { NamedDigest } from '../../src/journal/snapshots.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readFoldVersion, readLead } from '../../src/store/tables/lead.ts';
import { foldVersion } from '../fold/lead.ts';
import { Silence } from './silence.ts';

/** What a candidate for the lead of a partition needs. Times are in milliseconds. */
export interface LeadOptions {
  /** Name of this node. */
  node: string;
  lane: Pick<Lane, 'enqueue'>;
  logger: Logger;
  /** The owner of the partition on this node. */
  owner: {
    readonly name: PartitionName;
    readonly partition: Partition;
    readonly seq: number;
    readonly caughtUp: boolean;
    readonly digest: NamedDigest | undefined;
  };
  /**
   * How long the lead may be silent before another node claims the partition. Undefined on one machine: no other process
   * can lead there, so this process claims the partition at once and its lead never expires.
   */
  leaseMs?: number | undefined;
  /** Called when this process becomes the lead. */
  onGained: () => void;
  /** Called when another process has become the lead, or this one may not do the work of the lead any more. */
  onLost: () => void;
  /** Monotonic clock in milliseconds. Clocks of two machines are never compared. */
  now?: () => number;
}

/** Interval between checks whether the partition must be claimed, in milliseconds. */
const checkMs = 500;
/** The version of fold rules that every release for several machines knows. A higher one is raised by a person. */
const firstVersion = 1;
/** The lead stops beginning things this long before other nodes may claim the partition, in milliseconds. */
const marginMs = 3000;
/** Pause after a claim that the journal did not accept, in milliseconds. A full stream accepts none until it is purged. */
const refusedMs = 5000;

export class Lead {
  /** Id of this candidate. It is of the process, so that no process takes the claim of its predecessor for its own. */
  readonly life = ulid();
  private readonly options: LeadOptions;
  private readonly now: () => number;
  private held: number | undefined;
  /** When the newest folded claim or tick of this process was sent. */
  private provenAt = Number.NEGATIVE_INFINITY;
  /** Claims and ticks of this process that the journal has accepted, and that are not folded yet. */
  private underWay: { seq: number; sentAt: number }[] = [];
  private sending = false;
  /** When this process may claim the partition again, after a claim that the journal did not accept. */
  private claimAt = Number.NEGATIVE_INFINITY;
  /** Set while the lead is handed over: this process begins nothing more. */
  private paused = false;
  /** Set while it is not known whether the state of this node is right: this process begins and claims nothing. */
  private doubted = false;
  /** Set when the doubt has lasted for too long: this process does not do the work of the lead either. */
  private suspended = false;
  private closed = false;
  private end: (() => void) | undefined;
  /** The silence of the current lead. Undefined on one machine, where no lead is waited for. */
  private readonly silence: Silence | undefined;

  constructor(options: LeadOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
    if (options.leaseMs !== undefined) this.silence = new Silence(options.leaseMs, this.now);
  }

  /** Begins to claim the partition as soon as this process may lead it. */
  start(): void {
    this.end = onInterval(checkMs, () => void this.check());
    void this.check();
  }

  /** The term under which this process leads; undefined while it does not lead. */
  get term(): number | undefined {
    return this.held;
  }

  /** What a record that begins something contains about the lead. The fold drops the record if another process leads. */
  get stamp(): { term?: number } {
    return this.held === undefined ? {} : { term: this.held };
  }

  /**
   * Whether this process may begin something that only the lead may begin. This check saves work. The fence is the term:
   * the fold drops records of a lead that was replaced.
   */
  get acts(): boolean {
    return this.holds && !this.paused && !this.doubted;
  }

  /**
   * Whether this process may complete what it has begun as the lead. While the lead is handed over, it may begin nothing
   * more, but the hand-over waits for what it has begun.
   */
  get holds(): boolean {
    const { leaseMs } = this.options;
    return this.held !== undefined && (leaseMs === undefined || this.now() < this.provenAt + leaseMs - marginMs);
  }

  /** Whether this process claims the partition no more, because it stops or the partition cannot continue. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Whether the lead can be handed to this process. */
  get isCandidate(): boolean {
    return !this.closed && !this.doubted && this.held === undefined;
  }

  /** Begins nothing and claims nothing until `trust` is called, because the state of this node may be wrong. */
  doubt(): void {
    this.doubted = true;
  }

  /** Ends the work of the lead until `trust` is called. Another node claims the partition when its lead is silent. */
  suspend(): void {
    this.doubted = true;
    this.suspended = true;
    if (this.held !== undefined) this.lose('partition is led no more by this process: its state may be wrong');
  }

  /** Ends the doubt. If no other node has claimed the partition meanwhile, this process leads again. */
  trust(): void {
    this.doubted = false;
    this.suspended = false;
    // The store is closed for a moment after a long backlog. The next commit then comes to the same result.
    if (this.options.owner.caughtUp) this.folded();
  }

  /**
   * Must be called after each commit.
   * @param heardTerm term of the last claim or tick that was folded, if there was one
   */
  folded(heardTerm?: number): void {
    const { partition, seq } = this.options.owner;
    const lead = readLead(partition);
    if (heardTerm !== undefined && heardTerm === lead?.term) this.silence?.restart();
    for (const { seq: sent, sentAt } of this.underWay) if (sent <= seq) this.provenAt = Math.max(this.provenAt, sentAt);
    this.underWay = this.underWay.filter(({ seq: sent }) => sent > seq);
    // A claim that is folded while the process stops must not begin the work of the lead again.
    if (this.closed) return;
    if (lead?.life === this.life && !this.suspended) this.gain(lead.term);
    else if (this.held !== undefined) this.lose('partition is led by another process now');
    // On one machine, a claim that came after others in the backlog is repeated without delay.
    if (this.held === undefined && this.options.leaseMs === undefined && this.end) void this.check();
  }

  /** Enqueues a tick, which proves that this process lives. Other nodes compare their state with the digest in it. */
  async tick(): Promise<void> {
    const { owner, leaseMs } = this.options;
    if (this.paused || this.doubted) return;
    // A process whose fold does not move must not keep the lead. So it sends no tick before the last one is folded.
    if (leaseMs !== undefined && this.underWay.length > 0 && !this.acts) return;
    const digest = leaseMs === undefined ? undefined : owner.digest;
    await this.send((at) => ({
      ...{ id: ulid(at), at, kind: 'tick' },
      ...this.stamp,
      ...(digest && { digest }),
    }));
  }

  /** Begins nothing more, until `cede` has ended. */
  pause(): void {
    this.paused = true;
  }

  /**
   * Makes another process the lead: claims the next term for it. All work of this lead must have ended.
   * @returns false if the journal did not accept the claim. This process then leads on.
   */
  async cede({ node, life }: { node: string; life: string }): Promise<boolean> {
    const { held } = this;
    try {
      if (held === undefined) return false;
      await this.send((at) => ({ id: ulid(at), at, kind: 'claim', term: held + 1, life, node }));
      return true;
    } catch (error) {
      const { logger, owner } = this.options;
      logger.warn({ partition: owner.name, err: error }, 'partition could not be handed over');
      return false;
    } finally {
      this.paused = false;
    }
  }

  /** Stops claiming the partition. If this process leads, it stays the lead in the journal until another one claims. */
  close(): void {
    this.closed = true;
    this.silence?.close();
    this.end?.();
    partitionLead.set({ partition: this.options.owner.name }, 0);
  }

  /** Claims the partition if no one leads it. A claim that is under way must be folded before the next one. */
  private async check(): Promise<void> {
    const { node, owner, logger } = this.options;
    if (
      this.held !== undefined ||
      this.doubted ||
      this.sending ||
      this.underWay.length > 0 ||
      this.now() < this.claimAt
    )
      return;
    // A node that folds its backlog has not heard the ticks that follow it.
    if (this.silence && !owner.caughtUp) return this.silence.restart();
    this.sending = true;
    try {
      // The store is closed for a moment after a long backlog.
      const lead = readLead(owner.partition);
      // A former process of this node has ended, because its lock on the store is free.
      const isOfOther = lead !== undefined && lead.node !== node;
      if (isOfOther && this.silence?.isOverdue === false) return;
      const term = (lead?.term ?? 0) + 1;
      await this.send((at) => ({ id: ulid(at), at, kind: 'claim', term, life: this.life, node }));
    } catch (error) {
      this.claimAt = this.now() + refusedMs;
      logger.warn({ partition: owner.name, err: error }, 'partition cannot be claimed yet');
    } finally {
      this.sending = false;
    }
  }

  private async send(record: (at: number) => JournalRecord): Promise<void> {
    const sentAt = this.now();
    const { seq } = await this.options.lane.enqueue(record(Date.now()));
    this.underWay.push({ seq, sentAt });
    // The fold can be ahead of the acknowledgement.
    if (seq <= this.options.owner.seq) this.folded();
  }

  private gain(term: number): void {
    if (this.held === term) return;
    const { owner, logger } = this.options;
    this.held = term;
    leadChanges.inc({ partition: owner.name, change: 'gained' });
    partitionLead.set({ partition: owner.name }, 1);
    logger.info({ partition: owner.name, term }, 'partition is led by this process');
    const version = this.options.leaseMs === undefined ? foldVersion : firstVersion;
    if (readFoldVersion(owner.partition) < version) this.raise(version);
    this.options.onGained();
    // Another process has sent the claim of a lead that was handed over, so it proves nothing. The first tick does.
    if (!this.acts)
      this.tick().catch((error: Error) => logger.warn({ partition: owner.name, err: error }, 'tick failed'));
  }

  private lose(why: string): void {
    const { owner, logger } = this.options;
    logger.warn({ partition: owner.name, term: this.held }, why);
    this.held = undefined;
    // A hand-over that failed half-way must not hold back the next lead of this process.
    this.paused = false;
    this.silence?.restart();
    leadChanges.inc({ partition: owner.name, change: 'lost' });
    partitionLead.set({ partition: owner.name }, 0);
    this.options.onLost();
  }

  /** Raises the fold version to one that no other node can be left behind by. */
  private raise(version: number): void {
    const { lane, owner, logger } = this.options;
    const at = Date.now();
    lane.enqueue({ id: ulid(at), at, kind: 'foldVersion', version }).catch((error: Error) => {
      logger.warn({ partition: owner.name, err: error }, 'fold version could not be raised; the next lead raises it');
    });
  }
}
