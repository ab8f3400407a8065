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
import { reaches, type StreamState, streamState } from '../../src/journal/topology.ts';
import { lastSnapshotAt, listSnapshots, type Snapshot } from '../../src/store/snapshot.ts';
import { countDelayed } from '../../src/store/tables/delayed.ts';
import { readStreamIdentity } from '../../src/store/tables/meta.ts';
import { countEffects } from '../../src/store/tables/outbox.ts';
import {
  type Company,
  followCluster,
  isOver,
  pressedShare,
  purgeToFloor,
  snapshotInCluster,
} from './cluster-snapshots.ts';
import type { PartitionOwner } from './owner.ts';
import { snapshotAndPurge } from './snapshots.ts';

/** Options of a keeper, which maintains one partition. Times are in milliseconds. */
export interface KeeperOptions {
  lane: Lane;
  snapshotMs: number;
  /** Interval between two checks of the file and the stream. */
  pollMs: number;
  /** The other nodes; undefined on one machine. */
  company?: Company | undefined;
}

/**
 * Minimum share of a stream's messages that must be folded before the stream is purged early (see `pressedShare`). Only
 * folded messages can be removed.
 */
const foldedShare = 0.25;
/** Pause after a step that waits for other nodes has failed, in milliseconds. */
const failedMs = 60_000;

export class Keeper {
  private readonly owner: PartitionOwner;
  private readonly options: KeeperOptions;
  private generation: number;
  private inode: number;
  private readonly ends: (() => void)[] = [];
  private taking: Promise<Snapshot> | undefined;
  private relieving = false;
  private following = false;
  private failedAt = Number.NEGATIVE_INFINITY;

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
    const { lane, company } = this.options;
    const take = () => (company ? snapshotInCluster(this.owner, lane, company) : snapshotAndPurge(this.owner, lane));
    this.taking ??= take().finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  /**
   * Lets other nodes begin with a snapshot of this node. Takes one if there is none that the journal continues: each
   * snapshot copies the whole store.
   */
  async offer(): Promise<Snapshot> {
    const { name, options, partition } = this.owner;
    const newest = listSnapshots(options.dataDir, name).at(-1);
    const isOfStream = newest?.epoch === readStreamIdentity(partition)?.epoch;
    return newest && isOfStream && reaches(newest.seq, await this.stream()) ? newest : this.snapshot();
  }

  /**
   * Makes room in a stream that is filling up. Two snapshots are taken, because messages are purged only up to the
   * older of the two newest snapshots. On a cluster, every node does this: the stream can be purged as soon as all have
   * taken their snapshots.
   * @param known the state of the stream; it is read if it is not given
   */
  async relieve(known?: StreamState): Promise<void> {
    if (this.relieving) return;
    this.relieving = true;
    try {
      let state = known ?? (await this.stream());
      const { company } = this.options;
      for (let round = 0; round < 2 && this.isUnderPressure(state); round += 1) {
        if (company) await purgeToFloor(this.owner, company);
        if (company && !(await this.holdsBack(company, await this.stream()))) return;
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

  private isUnderPressure(state: StreamState): boolean {
    return isOver(state, pressedShare) && this.isConsiderable(this.owner.seq - state.firstSeq + 1, state);
  }

  /** Whether a number of messages is a considerable part of a stream. */
  private isConsiderable(messages: number, { firstSeq, lastSeq }: StreamState): boolean {
    return messages >= (lastSeq - firstSeq + 1) * foldedShare;
  }

  /** Whether a stream is still under pressure, and new snapshots of this node would allow to purge more of it. */
  private async holdsBack({ peers }: Company, state: StreamState): Promise<boolean> {
    const held = this.owner.seq - Math.max(await peers.holdsOf(this.owner), state.firstSeq - 1);
    return this.isUnderPressure(state) && this.isConsiderable(held, state);
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
    await this.follow();
  }

  /** Continues what waits for other nodes. A snapshot that failed is not taken again at once. */
  private async follow(): Promise<void> {
    const { company } = this.options;
    if (!company || this.following || performance.now() < this.failedAt + failedMs) return;
    this.following = true;
    try {
      await followCluster(this.owner, company, () => this.snapshot());
    } catch (error) {
      this.failedAt = performance.now();
      throw error;
    } finally {
      this.following = false;
    }
  }
}
