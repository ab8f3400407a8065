/**
 * Looks after one partition while it runs, by timers: clock records, sweeps, snapshots and the purge they allow, freed
 * reader slots, and whether its file is still the one that was opened.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from '../../src/foundation/ids.ts';
import {
  delayedRecords,
  foldLagRecords,
  journalBytes,
  journalRelieved,
  lastSnapshotTime,
  outboxRows,
  readerSlots,
  storeBytes,
} from '../../src/foundation/metrics.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { type StreamState, streamState } from '../../src/journal/topology.ts';
import { lastSnapshotAt, type Snapshot } from '../../src/store/snapshot.ts';
import { countDelayed } from '../../src/store/tables/delayed.ts';
import { countEffects } from '../../src/store/tables/outbox.ts';
import type { PartitionOwner } from './owner.ts';
import { snapshotAndPurge } from './snapshots.ts';
import { Sweeper } from './sweep-schedule.ts';

/** What a keeper needs besides its owner; times in milliseconds. */
export interface KeeperOptions {
  lane: Lane;
  tickMs: number;
  snapshotMs: number;
  sweepMs: number;
  /** Between two looks at the file, the stream and what a sweep left to do. */
  lookMs: number;
  /** How many partitions of repositories there are. */
  partitions: number;
}

/** While deliveries wait for their due time, time moves this often. */
const delayedTickMs = 1000;
/** A stream fuller than this share of its bound is purged before the next snapshot is due. */
const fullShare = 0.5;
/** But only when so large a share of its messages is folded: the others cannot go. */
const foldedShare = 0.25;

export class Keeper {
  private readonly owner: PartitionOwner;
  private readonly options: KeeperOptions;
  private readonly sweeper: Sweeper;
  private generation: number;
  private inode: number;
  private readonly timers: NodeJS.Timeout[] = [];
  private lastTick = 0;
  private taking: Promise<Snapshot> | undefined;
  private relieving = false;

  constructor(owner: PartitionOwner, options: KeeperOptions) {
    this.owner = owner;
    this.options = options;
    this.sweeper = new Sweeper(owner, options);
    this.generation = owner.partition.generation;
    this.inode = statSync(this.file).ino;
    this.every(Math.min(delayedTickMs, options.tickMs), () => this.tick());
    this.every(options.snapshotMs, () => this.snapshot().then(() => {}));
    this.every(options.lookMs, () => this.look());
    this.every(options.lookMs, () => this.sweeper.look());
    this.every(options.lookMs, () => this.relieve());
  }

  /** Sweeps now; resolves when all is erased that waits for no operator's word. */
  async sweep(): Promise<void> {
    if (this.owner.caughtUp) await this.sweeper.sweep();
  }

  /** Takes a snapshot now and purges what the two newest cover; one at a time. */
  snapshot(): Promise<Snapshot> {
    this.taking ??= snapshotAndPurge(this.owner, this.options.lane).finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  /** Makes room in a stream that is filling up: by two snapshots, as what the older of two does not cover stays. */
  async relieve(): Promise<void> {
    if (this.relieving) return;
    this.relieving = true;
    try {
      for (let round = 0; round < 2 && (await this.isUnderPressure()); round += 1) {
        await this.snapshot();
        journalRelieved.inc({ partition: this.owner.name });
      }
    } finally {
      this.relieving = false;
    }
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.sweeper.close();
    await this.taking?.catch(() => {});
  }

  private async isUnderPressure(): Promise<boolean> {
    const { firstSeq, lastSeq, bytes, maxBytes } = await this.stream();
    if (maxBytes <= 0 || bytes <= maxBytes * fullShare) return false;
    return this.owner.seq - firstSeq + 1 >= (lastSeq - firstSeq + 1) * foldedShare;
  }

  private async stream(): Promise<StreamState> {
    const { name, options } = this.owner;
    const state = await streamState(options.journal, name);
    journalBytes.set({ partition: name }, state.bytes);
    return state;
  }

  private get file(): string {
    return join(this.owner.partition.folder, 'data.mdb');
  }

  private every(ms: number, act: () => Promise<void>): void {
    const { logger } = this.owner.options;
    const run = () =>
      void act().catch((error: Error) => logger.warn({ partition: this.owner.name, err: error }, 'upkeep failed'));
    this.timers.push(setInterval(run, ms).unref());
  }

  private async tick(): Promise<void> {
    if (!this.owner.caughtUp) return;
    const now = Date.now();
    const waiting = countDelayed(this.owner.partition) > 0;
    if (!waiting && now - this.lastTick < this.options.tickMs) return;
    this.lastTick = now;
    await this.options.lane.enqueue({ id: ulid(now), at: now, kind: 'tick' });
  }

  /** Writes to a deleted file still "succeed"; only its number tells that it is gone. */
  private async look(): Promise<void> {
    const partition = this.owner.name;
    const { onLost } = this.owner.options;
    const file = statSync(this.file, { throwIfNoEntry: false });
    if (this.generation !== this.owner.partition.generation) {
      this.generation = this.owner.partition.generation;
      this.inode = file?.ino ?? 0;
    }
    if (file?.ino !== this.inode)
      return onLost(this.owner, new Error(`The file of partition ${partition} was replaced.`));
    storeBytes.set({ partition }, file.size);
    lastSnapshotTime.set({ partition }, lastSnapshotAt(this.owner.options.dataDir, partition) / 1000);
    this.owner.partition.root.readerCheck();
    readerSlots.set({ partition }, this.owner.partition.root.readerList().split('\n').length - 2);
    const stream = await this.stream();
    delayedRecords.set({ partition }, countDelayed(this.owner.partition));
    outboxRows.set({ partition }, countEffects(this.owner.partition));
    foldLagRecords.set({ partition }, Math.max(0, stream.lastSeq - this.owner.seq));
  }
}
