/**
 * Writes numbered records to the streams of several partitions, through a real lane per partition, while a test harms the
 * servers. Remembers each acknowledgement, and the longest time without one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Journal } from '../../src/journal/connect.ts';
import { Lane, type Position } from '../../src/journal/lane.ts';
import { quiet } from './journal.ts';
import { smallRecord } from './partition-stream.ts';
import { waitUntil } from './wait-until.ts';

/** Number of concurrent callers of a lane, and the time that each waits between two records, in milliseconds. */
const [callers, thinkMs] = [16, 50];
const recordBytes = 600;
/** Longer than any election, so that no record is refused. */
const ackDeadlineMs = 60_000;

/** The records of one lane. */
export class LaneLoad {
  readonly partition: string;
  /** The position of each acknowledged record. */
  readonly acked = new Map<string, Position>();
  /** Ids of records whose outcome is unknown. */
  readonly refused: string[] = [];
  private readonly lane: Lane;
  private readonly writers: Promise<void>[];
  private going = true;
  private sent = 0;
  private lastAck = performance.now();
  private longest = 0;

  /** Begins to write. The stream of the partition must exist. */
  constructor(journal: Journal, partition: string) {
    this.partition = partition;
    const limits = { batchRecords: 64, batchBytes: 1_048_576, waitingRecords: 10_000, waitingBytes: 67_108_864 };
    this.lane = new Lane(journal, partition, { ...limits, ackDeadlineMs }, quiet);
    this.writers = Array.from({ length: callers }, () => this.write());
  }

  /** Waits until `more` additional records are acknowledged. */
  async progress(more: number): Promise<void> {
    const goal = this.acked.size + more;
    await waitUntil(`${this.partition} acknowledges ${more} more records`, () => this.acked.size >= goal);
  }

  /** Returns the longest time without an acknowledgement since the last call, in milliseconds. */
  takeLongestGap(): number {
    const gap = Math.max(this.longest, performance.now() - this.lastAck);
    this.longest = 0;
    return gap;
  }

  /** Stops writing and waits for the outcome of each record. */
  async finish(): Promise<void> {
    this.going = false;
    await Promise.all(this.writers);
    await this.lane.close();
  }

  private async write(): Promise<void> {
    while (this.going) {
      const id = `${this.partition}-${this.sent++}`;
      await this.lane.enqueue(smallRecord(id, recordBytes)).then(
        (position) => this.acknowledge(id, position),
        () => void this.refused.push(id),
      );
      // After a failed test, this timer must not keep the process alive.
      await pause(thinkMs, undefined, { ref: false });
    }
  }

  private acknowledge(id: string, position: Position): void {
    const now = performance.now();
    this.acked.set(id, position);
    this.longest = Math.max(this.longest, now - this.lastAck);
    this.lastAck = now;
  }
}
