/**
 * The owner of one partition: takes its lock, opens it, folds its stream into it, one transaction a batch, and says so.
 * What leaves the partition is held back until the fold has passed the stream's end as seen at start (`docs/architecture.md`
 * decision 18).
 */

import { setTimeout as pause } from 'node:timers/promises';
import { ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import {
  flushedSeconds,
  foldLagSeconds,
  foldSeconds,
  partitionAlarms,
  recordsDeadLettered,
} from '../../src/foundation/metrics.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { Follower, JournalCutError, JournalHoleError } from '../../src/journal/follow.ts';
import { publishFolded } from '../../src/journal/signal.ts';
import type { PartitionName } from '../../src/journal/subjects.ts';
import { existingStream, streamState } from '../../src/journal/topology.ts';
import { switchGeneration } from '../../src/store/generation.ts';
import { type PartitionLock, takeLock } from '../../src/store/lock.ts';
import { openGeneration, type Partition } from '../../src/store/partition.ts';
import { copyPartition } from '../../src/store/renewal.ts';
import { readCounter, readCursor, readOwner, writeOwner } from '../../src/store/tables/meta.ts';
import { countErasures, writeTrace } from '../../src/store/tables/retention.ts';
import { foldBatch, isAwaited, type Message, unpackMessage } from './batch.ts';
import { checkEpoch } from './epoch.ts';
import { openOrRestore } from './restore.ts';

/** What an owner needs from its worker. */
export interface OwnerOptions {
  dataDir: string;
  name: PartitionName;
  journal: Journal;
  logger: Logger;
  /** Called after each commit once the fold has caught up; effects may leave from then on. */
  onCommitted: (owner: PartitionOwner) => void;
  /** Called when the partition cannot go on: it is not ours any more, has a hole, or its store fails. */
  onLost: (owner: PartitionOwner, error: Error) => void;
}

/** After a commit of events the next one waits this long, in milliseconds: fewer, fuller commits leave the disk to the journal. */
const gatherMs = 20;
/** Longest time that a commit of events goes untold, in milliseconds. */
const announceMs = 50;

/** Another process wrote to the partition: this one must not. */
export class NotOwnerError extends Error {}

export class PartitionOwner {
  readonly name: PartitionName;
  readonly options: OwnerOptions;
  private readonly id = ulid();
  private lock: PartitionLock | undefined;
  private opened: Partition | undefined;
  private follower: Follower | undefined;
  private following: Promise<void> | undefined;
  private goal = 0;
  private folded = 0;
  /** Number of the newest effect that the outbox was told of. */
  private effects = 0;
  private announcing: NodeJS.Timeout | undefined;
  /** Ends when nobody works on the store: a batch is folded, or the store is replaced. */
  private busy: Promise<unknown> = Promise.resolve();

  private constructor(options: OwnerOptions) {
    this.name = options.name;
    this.options = options;
  }

  /**
   * Takes a partition over and begins to fold.
   * @throws PartitionLockedError when another process owns it
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
    const { dataDir, name, journal, logger } = this.options;
    const stream = await existingStream(journal, name);
    this.opened = await openOrRestore(dataDir, name, stream, logger);
    const { partition } = this;
    await partition.write(() => writeOwner(partition, this.id));
    await checkEpoch(partition, journal, stream, logger);
    this.folded = readCursor(partition).seq;
    this.goal = stream.lastSeq;
  }

  /** The open store. */
  get partition(): Partition {
    if (!this.opened) throw new Error(`partition ${this.name} is not open`);
    return this.opened;
  }

  /** Whether the fold has passed what the stream held at start. */
  get caughtUp(): boolean {
    return this.folded >= this.goal;
  }

  /** Sequence of the last message folded and committed. */
  get seq(): number {
    return this.folded;
  }

  /** Says again how far the fold is; a gateway that starts later learns of it this way. */
  announce(): void {
    clearTimeout(this.announcing);
    this.announcing = undefined;
    const { name, folded } = this;
    publishFolded(this.options.journal, { partition: name, generation: this.partition.generation, seq: folded });
  }

  /** Folds to the end of the stream, at most for `ms`. */
  async drain(ms: number): Promise<void> {
    await this.reach((await streamState(this.options.journal, this.name)).lastSeq, ms);
  }

  /** Waits until sequence `seq` is folded, at most for `ms`; whether it is. */
  async reach(seq: number, ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (this.folded < seq && performance.now() < deadline) await pause(5);
    return this.folded >= seq;
  }

  /**
   * Copies the store into a new generation and goes on with that, between two batches. Nothing is folded meanwhile; readers
   * go on with the old one until they hear of the new. What has the old `partition` in hand over an await must not use it
   * any more.
   */
  renew(): Promise<void> {
    return this.alone(async () => {
      const { dataDir, name, logger } = this.options;
      const started = performance.now();
      await this.partition.root.flushed;
      const generation = await copyPartition(dataDir, this.partition);
      await this.moveTo(generation);
      logger.info({ partition: name, generation, ms: Math.round(performance.now() - started) }, 'partition renewed');
      this.announce();
    });
  }

  /** From the switch on the old store is nobody's: to fold another record into it would lose it. */
  private async moveTo(generation: number): Promise<void> {
    const { dataDir, name, onLost } = this.options;
    const old = this.partition;
    // Opened before anybody else can: a process has one environment of a file, as it was first opened.
    const renewed = openGeneration(dataDir, name, generation);
    try {
      switchGeneration(dataDir, name, generation);
      this.opened = renewed;
      await old.close();
      await renewed.write(() => writeTrace(renewed, 'renewed', countErasures(renewed)));
    } catch (error) {
      onLost(this, error as Error);
      throw error;
    }
  }

  private alone<T>(step: () => Promise<T>): Promise<T> {
    const done = this.busy.then(step);
    this.busy = done.catch(() => {});
    return done;
  }

  /** Stops folding, waits until everything is on disk, closes the store and gives the lock back. */
  async close(): Promise<void> {
    this.follower?.stop();
    await this.following;
    await this.busy;
    clearTimeout(this.announcing);
    await this.opened?.root.flushed;
    await this.opened?.close();
    this.opened = undefined;
    await this.lock?.release();
  }

  private start(): void {
    const { journal, logger, onLost, onCommitted } = this.options;
    this.follower = new Follower(journal, this.name, this.folded, logger);
    this.following = this.follow(this.follower).catch((error: Error) => {
      const cause = causeOf(error);
      partitionAlarms.set({ partition: this.name, cause }, 1);
      logger.fatal({ partition: this.name, cause, err: error }, 'partition stopped');
      onLost(this, error);
    });
    if (this.caughtUp) {
      this.announce();
      onCommitted(this);
    }
  }

  private async follow(follower: Follower): Promise<void> {
    for await (const batch of follower.batches()) {
      const unfolded = batch.map(({ seq, bytes }) => unpackMessage(seq, bytes, (error) => this.unreadable(seq, error)));
      await this.alone(() => this.commit(unfolded));
      if (this.caughtUp && !isAwaited(unfolded)) await pause(gatherMs);
    }
  }

  private unreadable(seq: number, error: unknown): void {
    const partition = this.name;
    this.options.logger.error({ partition, seq, err: error }, 'journal message is passed over');
    recordsDeadLettered.inc({ partition });
  }

  private async commit(batch: readonly Message[]): Promise<void> {
    const { partition } = this;
    const started = performance.now();
    await foldBatch(partition, batch, () => this.assertOwned((batch[0] as Message).seq - 1));
    foldSeconds.observe((performance.now() - started) / 1000);
    void partition.root.flushed.then(() => flushedSeconds.observe((performance.now() - started) / 1000));
    const last = batch[batch.length - 1] as Message;
    this.folded = last.seq;
    this.measure(last);
    if (this.caughtUp) this.tell(batch);
  }

  /**
   * Says what a commit changed for others. Whoever waits for an answer is told at once; events are nobody's answer, and in
   * a flood of them a signal for each commit would cost more than the fold.
   */
  private tell(batch: readonly Message[]): void {
    const awaited = isAwaited(batch);
    if (awaited) this.announce();
    else this.announcing ??= setTimeout(() => this.announce(), announceMs);
    const effects = readCounter(this.partition, 'outbox');
    if (awaited || effects !== this.effects) this.options.onCommitted(this);
    this.effects = effects;
  }

  private assertOwned(expected: number): void {
    const owner = readOwner(this.partition);
    const { seq } = readCursor(this.partition);
    if (owner === this.id && seq === expected) return;
    throw new NotOwnerError(
      `Partition ${this.name} was written by another process: owner ${owner} at ${seq}, expected ${this.id} at ${expected}.`,
    );
  }

  private measure(last: Message): void {
    const partition = this.name;
    const at = last.records[last.records.length - 1]?.at ?? 0;
    foldLagSeconds.set({ partition }, Math.max(0, (Date.now() - at) / 1000));
  }
}

function causeOf(error: Error): 'hole' | 'lock' | 'store' {
  if (error instanceof JournalHoleError || error instanceof JournalCutError) return 'hole';
  return error instanceof NotOwnerError ? 'lock' : 'store';
}
