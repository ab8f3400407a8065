/**
 * Maintains the store of one partition at intervals: snapshots, purges after snapshots, and the release of stale reader
 * slots. It also checks that the store's file is still the one that was opened.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { onInterval } from '../../src/foundation/intervals.ts';
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

/** Options of a keeper, which maintains one partition. Times are in milliseconds. */
export interface KeeperOptions {
  lane: Lane;
  snapshotMs: number;
  /** Interval between two checks of the file and the stream. */
  pollMs: number;
}

/** If a stream uses more than this share of its maximum size, it is purged before the next snapshot is due. */
const fullShare = 0.5;
/**
 * Minimum share of a stream's messages that must be folded before the stream is purged early (see `fullShare`). Only
 * folded messages can be removed.
 */
const foldedShare = 0.25;

export class Keeper {
  private readonly owner: PartitionOwner;
  private readonly options: KeeperOptions;
  private generation: number;
  private inode: number;
  private readonly ends: (() => void)[] = [];
  private taking: Promise<Snapshot> | undefined;
  private relieving = false;

  constructor(owner: PartitionOwner, options: KeeperOptions) {
    this.owner = owner;
    this.options = options;
    this.generation = owner.partition.generation;
    this.inode = statSync(this.file).ino;
    this.every(options.snapshotMs, () => this.snapshot().then(() => {}));
    this.every(options.pollMs, () => this.poll());
  }

  /**
   * Takes a snapshot now. Then purges the messages that the two newest snapshots both contain. Concurrent calls share
   * one snapshot.
   */
  snapshot(): Promise<Snapshot> {
    this.taking ??= snapshotAndPurge(this.owner, this.options.lane).finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  /**
   * Makes room in a stream that is filling up. Two snapshots are taken, because messages are purged only up to the
   * older of the two newest snapshots.
   * @param known the state of the stream; it is read if it is not given
   */
  async relieve(known?: StreamState): Promise<void> {
    if (this.relieving) return;
    this.relieving = true;
    try {
      let state = known ?? (await this.stream());
      for (let round = 0; round < 2 && this.isUnderPressure(state); round += 1) {
        await this.snapshot();
        journalRelieved.inc({ partition: this.owner.name });
        state = await this.stream();
      }
    } finally {
      this.relieving = false;
    }
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.taking?.catch(() => {});
  }

  private isUnderPressure({ firstSeq, lastSeq, bytes, maxBytes }: StreamState): boolean {
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
      void act().catch((error: Error) =>
        logger.warn({ partition: this.owner.name, err: error }, 'partition maintenance failed'),
      );
    this.ends.push(onInterval(ms, run));
  }

  /**
   * Checks the store's file, updates the metrics and relieves a stream that is filling up. Writes to a deleted file
   * still succeed, so only the inode number shows that the file was replaced.
   */
  private async poll(): Promise<void> {
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
    await this.relieve(stream);
  }
}
