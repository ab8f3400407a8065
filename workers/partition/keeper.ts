/**
 * Looks after one partition while it runs: clock records, snapshots and the purge they allow, freed reader slots, and
 * whether its file is still the one that was opened.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from '../../src/ids.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { purgeStream, streamState } from '../../src/journal/topology.ts';
import { delayedRecords, foldLagRecords, outboxRows, readerSlots, storeBytes } from '../../src/metrics.ts';
import { countDelayed } from '../../src/store/delayed.ts';
import { countEffects } from '../../src/store/outbox.ts';
import { listSnapshots, type Snapshot, takeSnapshot } from '../../src/store/snapshot.ts';
import type { PartitionOwner } from './owner.ts';

/** What a keeper needs besides its owner; times in milliseconds. */
export interface KeeperOptions {
  lane: Lane;
  tickMs: number;
  snapshotMs: number;
}

/** While deliveries wait for their due time, time moves this often. */
const delayedTickMs = 1000;
const lookMs = 5000;

export class Keeper {
  private readonly owner: PartitionOwner;
  private readonly options: KeeperOptions;
  private readonly inode: number;
  private readonly timers: NodeJS.Timeout[] = [];
  private lastTick = 0;
  private taking: Promise<Snapshot> | undefined;

  constructor(owner: PartitionOwner, options: KeeperOptions) {
    this.owner = owner;
    this.options = options;
    this.inode = statSync(this.file).ino;
    this.every(Math.min(delayedTickMs, options.tickMs), () => this.tick());
    this.every(options.snapshotMs, () => this.snapshot().then(() => {}));
    this.every(lookMs, () => this.look());
  }

  /** Takes a snapshot now and purges what the two newest cover; one at a time. */
  snapshot(): Promise<Snapshot> {
    this.taking ??= this.takeAndPurge().finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.taking?.catch(() => {});
  }

  private get file(): string {
    return join(this.owner.partition.folder, 'data.mdb');
  }

  private every(ms: number, act: () => Promise<void>): void {
    const { logger } = this.owner.options;
    const run = () =>
      void act().catch((error: Error) => logger.warn({ partition: this.owner.name, err: error }, 'upkeep failed'));
    const timer = setInterval(run, ms);
    timer.unref();
    this.timers.push(timer);
  }

  private async tick(): Promise<void> {
    if (!this.owner.caughtUp) return;
    const now = Date.now();
    const waiting = countDelayed(this.owner.partition) > 0;
    if (!waiting && now - this.lastTick < this.options.tickMs) return;
    this.lastTick = now;
    await this.options.lane.enqueue({ id: ulid(now), at: now, kind: 'tick' });
  }

  private async takeAndPurge(): Promise<Snapshot> {
    const { journal, logger, dataDir } = this.owner.options;
    const snapshot = await takeSnapshot(dataDir, this.owner.partition);
    const [older, newer] = listSnapshots(dataDir, this.owner.name).slice(-2);
    // A snapshot of an earlier epoch covers nothing of this stream: its sequence means another record.
    if (older && newer && older.epoch === newer.epoch) await purgeStream(journal, this.owner.name, older.seq);
    logger.info({ partition: this.owner.name, seq: snapshot.seq }, 'snapshot taken');
    return snapshot;
  }

  /** Writes to a deleted file still "succeed"; only its number tells that it is gone. */
  private async look(): Promise<void> {
    const partition = this.owner.name;
    const { journal, onLost } = this.owner.options;
    const file = statSync(this.file, { throwIfNoEntry: false });
    if (file?.ino !== this.inode)
      return onLost(this.owner, new Error(`The file of partition ${partition} was replaced.`));
    storeBytes.set({ partition }, file.size);
    this.owner.partition.root.readerCheck();
    readerSlots.set({ partition }, this.owner.partition.root.readerList().split('\n').length - 2);
    const stream = await streamState(journal, partition);
    delayedRecords.set({ partition }, countDelayed(this.owner.partition));
    outboxRows.set({ partition }, countEffects(this.owner.partition));
    foldLagRecords.set({ partition }, Math.max(0, stream.lastSeq - this.owner.seq));
  }
}
