/**
 * Commits records to one partition's stream in batches. Each batch is one journal message, and one batch is in flight
 * at a time. Records that arrive in the meantime wait for the next batch (`docs/architecture.md` decision 2).
 *
 * The lane sends a batch again until the outcome of the batch is known, and only then sends the next batch. The number
 * and total size of waiting records are limited. If a record passes its deadline, the caller gets an error, but the
 * record may still be stored. If the caller sends the record again, the fold recognizes the second record as a
 * duplicate.
 */
import { ErrorCode, NatsError } from 'nats';
import { ServiceError } from '../foundation/errors.ts';
import { ulid } from '../foundation/ids.ts';
import type { Logger } from '../foundation/logger.ts';
import { batchRecords, enqueues, enqueuesWaiting, pubAckSeconds } from '../foundation/metrics.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import type { JournalRecord } from '../protocol/journal.ts';
import { packBatch, packRecord } from './codec.ts';
import type { Journal } from './connect.ts';
import { recordsSubject, streamOf } from './subjects.ts';

/** The position of a record: the journal sequence of the message that contains it, and its index in this message. */
export interface Position {
  seq: number;
  index: number;
}

/** Limits of a lane. Sizes are in bytes, times in milliseconds. */
export interface LaneOptions {
  batchRecords: number;
  batchBytes: number;
  waitingRecords: number;
  waitingBytes: number;
  ackDeadlineMs: number;
}

/** Maximum size of a packed record (`docs/architecture.md` decision 7). */
export const maxRecordBytes = 2_097_152;

interface Waiting {
  bytes: Uint8Array;
  deadline: number;
  resolve: (position: Position) => void;
  reject: (error: Error) => void;
}

/**
 * This value replaces the deadline of a record when its caller is answered. It prevents a second answer to the caller.
 */
const answered = Number.POSITIVE_INFINITY;
const attemptMs = 1000;
const sweepMs = 50;
/**
 * Additional time to wait for records, in milliseconds. It applies when the lane has fewer records than the last batch
 * contained.
 */
const lingerMs = 1;

export class Lane {
  readonly partition: PartitionName;
  private readonly journal: Journal;
  private readonly options: LaneOptions;
  private readonly logger: Logger;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private inFlight: Waiting[] = [];
  private pumping: Promise<void> | undefined;
  private closed = false;
  private retryNow: () => void = () => {};
  /** Runs only while records wait, so that an idle lane never wakes its process. */
  private sweeper: NodeJS.Timeout | undefined;

  constructor(journal: Journal, partition: PartitionName, options: LaneOptions, logger: Logger) {
    this.journal = journal;
    this.partition = partition;
    this.options = options;
    this.logger = logger;
    // If a request is lost in a broken connection, the request fails only at its timeout. So the lane sends the request
    // again immediately after a reconnect. This is safe, because the server drops a second message with the same
    // message id.
    journal.onReconnect(() => this.retryNow());
  }

  /**
   * Writes a record to the journal.
   * @returns the position of the record, once the server has stored it on disk
   * @throws ServiceError `tooLarge` if the packed record is larger than 2 MiB, or `unavailable` if the lane is full or
   *   closed or the outcome is unknown
   */
  enqueue(record: JournalRecord): Promise<Position> {
    const bytes = packRecord(record);
    if (bytes.length > maxRecordBytes) {
      return Promise.reject(
        new ServiceError('tooLarge', `The record has ${bytes.length} bytes; the maximum is ${maxRecordBytes} bytes.`),
      );
    }
    if (this.closed || this.isFull(bytes.length)) {
      enqueues.inc({ partition: this.partition, outcome: 'busy' });
      return Promise.reject(busy());
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ bytes, deadline: performance.now() + this.options.ackDeadlineMs, resolve, reject });
      this.waitingBytes += bytes.length;
      this.pumping ??= this.pump();
    });
  }

  /**
   * Stops accepting records. Then waits until each accepted record is stored, is refused, or has passed its deadline.
   */
  async close(): Promise<void> {
    this.closed = true;
    await this.pumping;
  }

  private isFull(bytes: number): boolean {
    return this.waiting.length >= this.options.waitingRecords || this.waitingBytes + bytes > this.options.waitingBytes;
  }

  private async pump(): Promise<void> {
    let lastSize = 0;
    this.sweeper = setInterval(() => this.expire(), sweepMs).unref();
    while (this.waiting.length > 0) {
      await this.gather(lastSize);
      this.inFlight = this.takeBatch();
      if (this.inFlight.length === 0) break;
      lastSize = this.inFlight.length;
      enqueuesWaiting.set({ partition: this.partition }, this.waiting.length + this.inFlight.length);
      await this.send(this.inFlight);
      this.inFlight = [];
    }
    clearInterval(this.sweeper);
    enqueuesWaiting.set({ partition: this.partition }, 0);
    this.pumping = undefined;
  }

  /**
   * Waits briefly, so that records that arrive at about the same time share the next message. A message with fifty
   * records costs the same as a message with one record. First, this function waits for the end of the current turn of
   * the event loop. If the lane then has fewer records than the last batch contained, this function waits `lingerMs`
   * longer. The callers of the last batch will probably send again in this time.
   */
  private async gather(lastSize: number): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (lastSize > 1 && this.waiting.length < lastSize) await new Promise((resolve) => setTimeout(resolve, lingerMs));
  }

  private takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const entry of this.waiting) {
      if (count >= this.options.batchRecords || (count > 0 && bytes + entry.bytes.length > this.options.batchBytes))
        break;
      bytes += entry.bytes.length;
      count += 1;
    }
    const batch = count === this.waiting.length ? this.waiting : this.waiting.slice(0, count);
    this.waiting = count === this.waiting.length ? [] : this.waiting.slice(count);
    this.waitingBytes -= bytes;
    return batch;
  }

  private async send(batch: Waiting[]): Promise<void> {
    const payload = packBatch(batch.map((entry) => entry.bytes));
    const started = performance.now();
    const id = ulid();
    batchRecords.observe(batch.length);
    for (let attempt = 0; ; attempt++) {
      try {
        const seq = await this.publish(payload, id);
        pubAckSeconds.observe((performance.now() - started) / 1000);
        enqueues.inc({ partition: this.partition, outcome: 'stored' }, batch.length);
        for (const [index, entry] of batch.entries()) entry.resolve({ seq, index });
        return;
      } catch (error) {
        if (isRefusal(error) || this.journal.connection.isClosed()) return this.refuse(batch, error as Error);
        // All callers of the batch have already been informed that the outcome is unknown. So a closing lane does not
        // wait for the outcome.
        if (this.closed && batch.every((entry) => entry.deadline === answered)) return;
        enqueues.inc({ partition: this.partition, outcome: 'retried' }, batch.length);
        if (attempt === 0) this.logger.warn({ partition: this.partition, err: error }, 'enqueue is retried');
        await pause(attempt);
      }
    }
  }

  private publish(payload: Uint8Array, id: string): Promise<number> {
    const message = { subject: recordsSubject(this.partition), stream: streamOf(this.partition), id, payload };
    return new Promise((resolve, reject) => {
      this.retryNow = () => reject(new Error('the connection was restored'));
      this.journal.publisher.publish(message, attemptMs).then(resolve, reject);
    });
  }

  private refuse(batch: Waiting[], error: Error): void {
    enqueues.inc({ partition: this.partition, outcome: 'refused' }, batch.length);
    this.logger.error({ partition: this.partition, err: error, records: batch.length }, 'journal refused a batch');
    for (const entry of batch) entry.reject(busy());
  }

  /**
   * Sends an error to the callers of records that have passed their deadline. A record that is in flight may still be
   * stored. A record that is not in flight yet is removed from the lane.
   */
  private expire(): void {
    const now = performance.now();
    for (const entry of this.inFlight) if (entry.deadline <= now) this.reject(entry);
    let count = 0;
    while (count < this.waiting.length && (this.waiting[count] as Waiting).deadline <= now) count += 1;
    for (const entry of this.waiting.splice(0, count)) {
      this.waitingBytes -= entry.bytes.length;
      this.reject(entry);
    }
  }

  private reject(entry: Waiting): void {
    if (entry.deadline === answered) return;
    entry.deadline = answered;
    enqueues.inc({ partition: this.partition, outcome: 'expired' });
    entry.reject(busy());
  }
}

/** Whether an error means that the server itself rejected the batch, so that the batch is certainly not stored. */
function isRefusal(error: unknown): boolean {
  return error instanceof NatsError && (error.api_error !== undefined || error.code === ErrorCode.MaxPayloadExceeded);
}

function busy(): ServiceError {
  return new ServiceError('unavailable', 'The journal cannot accept more records right now. Send the request again.', {
    retryAfter: 1,
  });
}

function pause(attempt: number): Promise<void> {
  const ms = Math.min(50 * 2 ** Math.min(attempt, 4), 500) * (0.5 + Math.random());
  return new Promise((resolve) => setTimeout(resolve, ms));
}
