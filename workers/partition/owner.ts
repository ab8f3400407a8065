/**
 * Owns one partition: takes its lock, opens its store, folds its stream into the store with one transaction per batch,
 * and announces its progress. At start, the owner first folds all messages that the stream already contains. During
 * that time, the owner starts no effects and announces nothing (`docs/architecture.md` decision 18).
 */

import { setTimeout as pause } from 'node:timers/promises';
import { ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import {
  flushedSeconds,
  foldLagSeconds,
  foldSeconds,
  partitionAlarms,
  replicaDiverged,
} from '../../src/foundation/metrics.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { Sequence } from '../../src/foundation/sequence.ts';
import { UnknownKindError } from '../../src/foundation/unreachable.ts';
import { publishChanges } from '../../src/journal/changes.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { Follower, JournalCutError, JournalHoleError, type JournalMessage } from '../../src/journal/follow.ts';
import { publishFolded } from '../../src/journal/signal.ts';
import type { NamedDigest } from '../../src/journal/snapshots.ts';
import { existingStream, streamState } from '../../src/journal/topology.ts';
import { Changes } from '../../src/store/changes.ts';
import { switchGeneration } from '../../src/store/generation.ts';
import { type PartitionLock, takeLock } from '../../src/store/lock.ts';
import { openGeneration, type Partition } from '../../src/store/partition.ts';
import { copyPartition } from '../../src/store/renewal.ts';
import { type Snapshot, takeSnapshot } from '../../src/store/snapshot.ts';
import { readDigest } from '../../src/store/tables/lead.ts';
import { readCounter, readCursor, writeOwner } from '../../src/store/tables/meta.ts';
import { countErasures, writeTrace } from '../../src/store/tables/retention.ts';
import type { WriteLog } from '../../src/store/write-log.ts';
import { NewerFoldError, requireKnownVersion } from '../fold/lead.ts';
import type { FoldedBatch, NamedByLead } from './batch.ts';
import type { Backlog, CatchUp, FoldedReport } from './catch-up.ts';
import { Digests } from './digests.ts';
import { checkEpoch } from './epoch.ts';
import { foldOwned, NotOwnerError } from './ownership.ts';
import { DivergedError } from './repair.ts';
import { openOrRestore, type RestoreSource } from './restore.ts';
import { TouchedRepositories } from './touched.ts';

/** Answers about repositories of a partition. */
export interface RememberedAnswers {
  readonly isEmpty: boolean;
  /** @param touched undefined if it is not known which repositories have changed */
  forget(touched: TouchedRepositories | undefined): void;
}

/** Options of an owner of a partition. */
export interface OwnerOptions {
  dataDir: string;
  name: PartitionName;
  journal: Journal;
  logger: Logger;
  /** Folds a long backlog in a thread of its own. If the option is absent, the owner folds every backlog itself. */
  catchUp?: (backlog: Backlog, onFolded: (report: FoldedReport) => void) => CatchUp;
  /** Answers about repositories that are remembered until a record concerns their repository. */
  answers?: RememberedAnswers;
  /** The other nodes of a cluster, from which a lost partition is fetched. */
  source?: RestoreSource | undefined;
  /** Records which rows are written, for what render threads have computed from earlier rows. */
  writes?: WriteLog;
  /**
   * Called after each commit, once the fold has caught up.
   * @param heardTerm term of the last claim or tick of a lead in the commit, if there was one
   */
  onCommitted: (owner: PartitionOwner, heardTerm?: number) => void;
  /** Called after each commit with a tick that names a digest, once the fold has caught up. */
  onNamed?: (named: NamedByLead) => void;
  /**
   * Called when the partition cannot continue: another process owns the partition, its journal has a hole or needs a
   * newer version of Tidings, its state differs from that of other nodes, or its store fails.
   */
  onLost: (owner: PartitionOwner, error: Error) => void;
}

/**
 * Shortest and longest pause after a commit that no client waits for, in milliseconds. During the pause more events
 * arrive, so there are fewer and larger commits, and the journal can use the disk. The pause grows by one millisecond
 * for `recordsPerMs` records of the commit. So only a flood of events waits for the longest pause.
 */
const [gatherMs, maxGatherMs, recordsPerMs] = [15, 45, 6];
/**
 * Number of messages from which a backlog is folded in a thread of its own. A shorter backlog is folded before a thread
 * has started.
 */
export const longBacklog = 2000;
/** Maximum delay before a commit is announced, in milliseconds. Only commits that no client waits for are delayed. */
const announceMs = 50;

export class PartitionOwner {
  readonly name: PartitionName;
  readonly options: OwnerOptions;
  private readonly id = ulid();
  private lock: PartitionLock | undefined;
  private opened: Partition | undefined;
  private follower: Follower | undefined;
  private catchingUp: CatchUp | undefined;
  private stopped = false;
  private following: Promise<void> | undefined;
  /**
   * Last sequence of the stream at start. A server can report an old one, so the goal decides only what costs time: the
   * thread for a long backlog, and announcements. Effects start when the own claim is folded (`lead.ts`).
   */
  private goal = 0;
  private folded = 0;
  /** Number of the newest effect that `onCommitted` was called for. */
  private effects = 0;
  private announcing: NodeJS.Timeout | undefined;
  /** Whether the state must not be served, because it differs from that of other nodes. */
  private isWithdrawn = false;
  private readonly digests = new Digests();
  /**
   * What was committed since the last announcement. The first announcement reports that changes may be missing: a
   * former owner can have committed changes that it did not announce.
   */
  private readonly changes = new Changes(true);
  /** The steps that fold into the store or replace it. */
  private readonly folds = new Sequence();
  /** The steps that copy the store or open it again. LMDB would crash if a store were closed during its copy. */
  private readonly copies = new Sequence();

  private constructor(options: OwnerOptions) {
    this.name = options.name;
    this.options = options;
  }

  /**
   * Takes the ownership of a partition and begins to fold.
   * @throws PartitionLockedError when another process owns the partition
   */
  static async open(options: OwnerOptions): Promise<PartitionOwner> {
    const owner = new PartitionOwner(options);
    owner.lock = await takeLock(options.dataDir, options.name);
    try {
      await owner.takeOver();
    } catch (error) {
      await owner.close();
      throw error;
    }
    owner.start();
    return owner;
  }

  private async takeOver(): Promise<void> {
    const { dataDir, name, journal, logger, source } = this.options;
    replicaDiverged.set({ partition: name }, 0);
    const found = await existingStream(journal, name);
    this.opened = await openOrRestore(dataDir, name, found, logger, source);
    // The stream goes on while a snapshot is fetched.
    const stream = source ? await existingStream(journal, name) : found;
    const { partition } = this;
    requireKnownVersion(partition);
    await partition.write(() => writeOwner(partition, this.id));
    await checkEpoch(partition, journal, stream, logger);
    this.options.writes?.follow(partition);
    this.standAtCursor();
    this.goal = stream.lastSeq;
  }

  /** Takes over the position of the store and the digest of its state. */
  private standAtCursor(): void {
    this.folded = readCursor(this.partition).seq;
    const digest = readDigest(this.partition);
    if (digest !== undefined) this.digests.note(this.folded, digest);
  }

  /** The digest of the state; undefined before fold version 1. */
  get digest(): NamedDigest | undefined {
    return this.digests.newest;
  }

  /** The own digests at the last positions that ticks have named, oldest first. */
  get named(): readonly NamedDigest[] {
    return this.digests.named;
  }

  /** Tells the processes that serve the partition whether they may go on. */
  withdraw(isWithdrawn: boolean): void {
    if (isWithdrawn === this.isWithdrawn) return;
    this.isWithdrawn = isWithdrawn;
    this.announce();
  }

  /** Stops the partition for good, because this process must not continue it. */
  giveUp(error: Error): void {
    if (this.stopped) return;
    this.stopped = true;
    this.catchingUp?.stop();
    this.follower?.stop();
    this.report(error);
  }

  /** The open store. */
  get partition(): Partition {
    if (!this.opened) throw new Error(`partition ${this.name} is not open`);
    return this.opened;
  }

  /** Whether all messages that the stream contained at start are folded. */
  get caughtUp(): boolean {
    return this.folded >= this.goal && !this.catchingUp;
  }

  /** Sequence number of the last message that is folded and committed. */
  get seq(): number {
    return this.folded;
  }

  /** Announces the last folded sequence number, and what has changed since the last announcement. */
  announce(): void {
    clearTimeout(this.announcing);
    this.announcing = undefined;
    const { name, folded } = this;
    const { journal } = this.options;
    const asOf = this.follower?.asOf(folded);
    const more = { ...(asOf !== undefined && { asOf }), ...(this.isWithdrawn && { withdrawn: true as const }) };
    publishFolded(journal, { partition: name, generation: this.partition.generation, seq: folded, ...more });
    const changes = this.caughtUp ? this.changes.take() : undefined;
    if (changes) publishChanges(journal, name, changes);
  }

  /** Folds up to the end of the stream, for at most `ms` milliseconds. */
  async drain(ms: number): Promise<void> {
    await this.reach((await streamState(this.options.journal, this.name)).lastSeq, ms);
  }

  /**
   * Waits for at most `ms` milliseconds until the message with sequence number `seq` is folded. Returns whether it is
   * folded.
   */
  async reach(seq: number, ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (this.folded < seq && performance.now() < deadline) await pause(5);
    return this.folded >= seq;
  }

  /**
   * Copies the store into a new generation between two batches and continues with the copy. Nothing is folded
   * meanwhile. Readers continue with the old generation until the new one is announced. A caller must read `partition`
   * again after an `await`, because the store that it read before may have been closed.
   */
  renew(): Promise<void> {
    return this.folds.run(async () => {
      const { dataDir, name, logger } = this.options;
      const started = performance.now();
      await this.partition.root.flushed;
      const generation = await copyPartition(dataDir, this.partition);
      await this.moveTo(generation);
      logger.info({ partition: name, generation, ms: Math.round(performance.now() - started) }, 'partition renewed');
      this.announce();
    });
  }

  /**
   * Switches to a new generation of the store. After the switch nothing may use the old store. A record that is folded
   * into the old store would be lost.
   */
  private async moveTo(generation: number): Promise<void> {
    const { dataDir, name, onLost } = this.options;
    const old = this.partition;
    // The main thread must open the new generation before any other thread does. A process has one LMDB environment per
    // file, and the first opening sets its options.
    const renewed = openGeneration(dataDir, name, generation);
    try {
      switchGeneration(dataDir, name, generation);
      this.opened = renewed;
      this.options.writes?.follow(renewed);
      await old.close();
      await renewed.write(() => writeTrace(renewed, 'renewed', countErasures(renewed)));
    } catch (error) {
      onLost(this, error as Error);
      throw error;
    }
  }

  /** Takes a snapshot. The store is not closed meanwhile. */
  snapshot(): Promise<Snapshot> {
    return this.copies.run(() => takeSnapshot(this.options.dataDir, this.partition));
  }

  /** Stops folding, waits until everything is on disk, closes the store and releases the lock. */
  async close(): Promise<void> {
    this.stopped = true;
    this.catchingUp?.stop();
    this.follower?.stop();
    await this.following;
    await this.folds.ended();
    await this.copies.ended();
    clearTimeout(this.announcing);
    await this.opened?.root.flushed;
    await this.opened?.close();
    this.opened = undefined;
    await this.lock?.release();
  }

  private start(): void {
    const { journal } = this.options;
    // Announcements that were sent while the connection was broken may be lost.
    journal.onReconnect(() => {
      this.changes.reset();
      if (!this.stopped && this.caughtUp) this.announce();
    });
    this.following = this.run().catch((error: Error) => this.report(error));
  }

  /** Reports an error after which the partition does not continue. */
  private report(error: Error): void {
    const { logger, onLost } = this.options;
    const cause = causeOf(error);
    partitionAlarms.set({ partition: this.name, cause }, 1);
    logger.fatal({ partition: this.name, cause, err: error }, 'partition stopped');
    onLost(this, error);
  }

  private async run(): Promise<void> {
    const { catchUp } = this.options;
    if (catchUp && this.goal - this.folded >= longBacklog) await this.folds.run(() => this.foldBacklog(catchUp));
    if (this.caughtUp) {
      this.announce();
      this.options.onCommitted(this);
    }
    await this.follow();
  }

  /** Folds the backlog in a thread of its own. If the thread ends early, the rest is folded as usual. */
  private async foldBacklog(catchUp: NonNullable<OwnerOptions['catchUp']>): Promise<void> {
    if (this.stopped) return;
    const { name, id: ownerId, folded: after, goal } = this;
    const { generation } = this.partition;
    this.catchingUp = catchUp({ name, generation, ownerId, after, goal }, (report) => {
      foldSeconds.observe(report.foldSeconds);
      this.folded = report.seq;
      this.measure(report.at);
    });
    await this.catchingUp.ended;
    await this.reopen();
    this.standAtCursor();
    this.catchingUp = undefined;
  }

  /**
   * Opens the store again, so that the process has none of its pages in memory. The fold of a long backlog has mapped
   * the whole store, and LMDB never unmaps pages of an open store.
   */
  private async reopen(): Promise<void> {
    const { name, partition } = this;
    await this.copies.run(async () => {
      await partition.root.flushed;
      await partition.close();
      this.opened = openGeneration(this.options.dataDir, name, partition.generation);
      this.options.writes?.follow(this.opened);
    });
  }

  private async follow(): Promise<void> {
    if (this.stopped) return;
    const follower = new Follower(this.options.journal, this.name, this.folded, this.options.logger);
    this.follower = follower;
    for await (const batch of follower.batches()) {
      const folded = await this.folds.run(() => this.commit(batch));
      if (this.caughtUp && !follower.isBehind && !folded.isAwaited) await pause(gatherFor(folded));
    }
  }

  private async commit(batch: readonly JournalMessage[]): Promise<FoldedBatch> {
    const { partition, caughtUp: wasCaughtUp } = this;
    const started = performance.now();
    const { logger, answers, writes } = this.options;
    const touched = answers?.isEmpty === false ? new TouchedRepositories() : undefined;
    writes?.begin(batch.at(-1)?.seq ?? 0);
    const folding = foldOwned(partition, this.id, batch, logger, {
      collects: this.caughtUp,
      touched,
      digests: this.digests,
    });
    const folded = await folding.finally(() => writes?.end());
    // Answers that were asked for since the beginning of the commit may show the state before it.
    answers?.forget(touched);
    foldSeconds.observe((performance.now() - started) / 1000);
    void partition.root.flushed.then(() => flushedSeconds.observe((performance.now() - started) / 1000));
    this.folded = folded.seq;
    if (folded.changes) this.changes.add(folded.changes);
    this.measure(folded.at);
    if (this.caughtUp) this.signalCommit(folded);
    // A tick of the backlog can be of a lead whose state was wrong, and which was replaced since.
    if (wasCaughtUp && folded.named) this.options.onNamed?.(folded.named);
    return folded;
  }

  /**
   * Announces a commit. If a client possibly waits for the commit, it is announced immediately. A commit that contains
   * only events and pages of a backfill is announced later, because no client waits for such records. During a flood of
   * events, one announcement per commit would cost more than the fold itself.
   */
  private signalCommit({ isAwaited, heardTerm }: FoldedBatch): void {
    if (isAwaited) this.announce();
    else this.announcing ??= setTimeout(() => this.announce(), announceMs);
    const effects = readCounter(this.partition, 'outbox');
    if (isAwaited || effects !== this.effects) this.options.onCommitted(this, heardTerm);
    this.effects = effects;
  }

  /** Measures how long ago the last folded record was enqueued. */
  private measure(at: number): void {
    foldLagSeconds.set({ partition: this.name }, Math.max(0, (Date.now() - at) / 1000));
  }
}

/** Returns the pause after the commit of a batch, in milliseconds. */
function gatherFor({ records }: FoldedBatch): number {
  return Math.min(gatherMs + records / recordsPerMs, maxGatherMs);
}

/** Returns the alarm's cause for an error after which a partition cannot continue. */
export function causeOf(error: Error): 'hole' | 'lock' | 'store' | 'version' | 'diverged' {
  if (error instanceof JournalHoleError || error instanceof JournalCutError) return 'hole';
  if (error instanceof NewerFoldError || error instanceof UnknownKindError) return 'version';
  if (error instanceof DivergedError) return 'diverged';
  return error instanceof NotOwnerError ? 'lock' : 'store';
}
