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
import type { PartitionName } from '../foundation/partition-names.ts';
import type { JournalRecord } from '../protocol/journal.ts';
import { Batch } from './batch.ts';
import { packRecord } from './codec.ts';
import type { Journal } from './connect.ts';
import { onElected } from './elections.ts';
import type { Stored } from './publisher.ts';
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

/** A record of a group: its packed size in bytes, and its caller. */
interface Waiting {
  bytes: number;
  deadline: number;
  resolve: (position: Position) => void;
  reject: (error: Error) => void;
}

/** The records of one journal message. */
interface Group {
  entries: Waiting[];
  batch: Batch;
}

/**
 * This value replaces the deadline of a record when its caller is answered. It prevents a second answer to the caller.
 */
const answered = Number.POSITIVE_INFINITY;
const attemptMs = 1000;
const sweepMs = 50;
/**
 * Number of replies "in process" after which a batch gets a new message id. With the pauses between the attempts, this
 * takes about four seconds: most delays of a cluster are shorter, and a write to a cluster may take nine.
 */
const maxInProcess = 10;
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
  private readonly meters: Journal['meters'];
  /** The groups that wait, oldest first. Only the last group accepts records. */
  private groups: Group[] = [];
  private waitingRecords = 0;
  private waitingBytes = 0;
  private inFlight: Waiting[] = [];
  /** Sequence of the last batch that is known to be stored; 0 if none is known. */
  private lastSeq = 0;
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
    this.meters = journal.meters;
    // If a request is lost in a broken connection, the request fails only at its timeout. So the lane sends the request
    // again immediately after a reconnect. This is safe, because the server drops a second message with the same
    // message id.
    journal.onReconnect(() => this.retryNow());
    // A request to a leader that is gone is lost too.
    onElected(journal, partition, () => this.retryNow());
  }

  /**
   * Writes a record to the journal.
   * @returns the position of the record, once the server has stored it on disk
   * @throws ServiceError `tooLarge` if the packed record is larger than 2 MiB, or `unavailable` if the lane is full or
   *   closed or the outcome is unknown
   */
  enqueue(record: JournalRecord): Promise<Position> {
    const packed = packRecord(record);
    const bytes = packed.length;
    if (bytes > maxRecordBytes) {
      return Promise.reject(
        new ServiceError('tooLarge', `The record has ${bytes} bytes; the maximum is ${maxRecordBytes} bytes.`),
      );
    }
    if (this.closed || this.isFull(bytes)) {
      this.meters?.enqueues.inc({ partition: this.partition, outcome: 'busy' });
      return Promise.reject(busy());
    }
    return new Promise((resolve, reject) => {
      const { batch, entries } = this.groupFor(bytes);
      batch.add(packed);
      entries.push({ bytes, deadline: performance.now() + this.options.ackDeadlineMs, resolve, reject });
      this.waitingRecords += 1;
      this.waitingBytes += bytes;
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
    return this.waitingRecords >= this.options.waitingRecords || this.waitingBytes + bytes > this.options.waitingBytes;
  }

  /** Returns the last group, or a new one if a record of `bytes` bytes does not fit there. */
  private groupFor(bytes: number): Group {
    const last = this.groups.at(-1);
    const { batchRecords, batchBytes } = this.options;
    if (last && last.entries.length < batchRecords && last.batch.bytes + bytes <= batchBytes) return last;
    const group = { entries: [], batch: new Batch() };
    this.groups.push(group);
    return group;
  }

  private async pump(): Promise<void> {
    let lastSize = 0;
    this.sweeper = setInterval(() => this.expire(), sweepMs).unref();
    while (this.groups.length > 0) {
      await this.gather(lastSize);
      const group = this.groups.shift();
      if (!group) break;
      this.inFlight = group.entries;
      lastSize = group.entries.length;
      this.meters?.enqueuesWaiting.set({ partition: this.partition }, this.waitingRecords);
      this.subtract(group.entries);
      await this.send(group);
      this.inFlight = [];
    }
    clearInterval(this.sweeper);
    this.meters?.enqueuesWaiting.set({ partition: this.partition }, 0);
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
    if (lastSize > 1 && this.waitingRecords < lastSize) await new Promise((resolve) => setTimeout(resolve, lingerMs));
  }

  /** Subtracts records that no longer wait from the totals. */
  private subtract(entries: readonly Waiting[]): void {
    this.waitingRecords -= entries.length;
    for (const { bytes } of entries) this.waitingBytes -= bytes;
  }

  private async send({ entries, batch }: Group): Promise<void> {
    const payload = batch.message();
    const started = performance.now();
    let id = ulid();
    let isDoubted = false;
    let inProcess = 0;
    let pauses = 0;
    this.meters?.batchRecords.observe(entries.length);
    for (let attempt = 0; ; attempt++) {
      try {
        const stored = await this.publish(payload, id);
        this.assertBelievable(stored);
        const { seq } = stored;
        this.lastSeq = seq;
        // The client may still have to send an earlier attempt, so the message of such an attempt is not overwritten.
        if (attempt === 0) batch.release();
        this.meters?.pubAckSeconds.observe((performance.now() - started) / 1000);
        this.meters?.enqueues.inc({ partition: this.partition, outcome: 'stored' }, entries.length);
        for (const [index, entry] of entries.entries()) entry.resolve({ seq, index });
        return;
      } catch (error) {
        if (isRefusal(error) || this.journal.connection.isClosed()) return this.refuse(entries, error as Error);
        // All callers of the batch have already been informed that the outcome is unknown. So a closing lane does not
        // wait for the outcome.
        if (this.closed && entries.every((entry) => entry.deadline === answered)) return;
        this.meters?.enqueues.inc({ partition: this.partition, outcome: 'retried' }, entries.length);
        const isFalse = error instanceof FalseDuplicateError;
        if (isInProcess(error)) inProcess += 1;
        // Under the same id, the server would give the same reply again.
        if (isFalse || inProcess === maxInProcess) {
          id = ulid();
          inProcess = 0;
        }
        if (attempt === 0 || (isFalse && !isDoubted)) {
          this.logger.warn({ partition: this.partition, err: error }, 'enqueue is retried');
        }
        isDoubted ||= isFalse;
        // The server can be reached again, or another server leads the stream now.
        if (error instanceof RetryNow) pauses = 0;
        // An attempt that was not answered has waited for long enough.
        if (!isTimeout(error)) await this.pause(pauses++);
      }
    }
  }

  private publish(payload: Uint8Array, id: string): Promise<Stored> {
    const message = { subject: recordsSubject(this.partition), stream: streamOf(this.partition), id, payload };
    return new Promise((resolve, reject) => {
      this.retryNow = () => reject(new RetryNow());
      this.journal.publisher.publish(message, attemptMs).then(resolve, reject);
    });
  }

  /** Waits between two attempts. `retryNow` ends the wait. */
  private pause(earlier: number): Promise<void> {
    const ms = Math.min(50 * 2 ** Math.min(earlier, 4), 500) * (0.5 + Math.random());
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.retryNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /**
   * Throws if an acknowledgement cannot be true. The lane sends a batch only when the outcome of the previous batch is
   * known, so a batch that an earlier attempt has stored has a higher sequence than the previous batch. In a cluster,
   * nats-server before 2.10.25 could call a message a duplicate of a message that an election had dropped, with the
   * sequence 0. The outcome of the batch is then unknown. If it is stored twice, the fold recognizes its records
   * (`docs/architecture.md` decision 45).
   *
   * An acknowledgement that is not of a duplicate is always true, even with a lower sequence: a stream that was replaced
   * begins at 1 again.
   */
  private assertBelievable({ seq, duplicate }: Stored): void {
    if (duplicate && seq <= this.lastSeq) throw new FalseDuplicateError(seq, this.lastSeq);
  }

  private refuse(entries: readonly Waiting[], error: Error): void {
    this.meters?.enqueues.inc({ partition: this.partition, outcome: 'refused' }, entries.length);
    this.logger.error({ partition: this.partition, err: error, records: entries.length }, 'journal refused a batch');
    for (const entry of entries) entry.reject(busy());
  }

  /**
   * Sends an error to the callers of records that have passed their deadline. A record that is in flight may still be
   * stored. A record that is not in flight yet is removed from the lane.
   */
  private expire(): void {
    const now = performance.now();
    for (const entry of this.inFlight) if (entry.deadline <= now) this.reject(entry);
    for (let group = this.groups[0]; group && this.expireFirst(group, now); group = this.groups[0]) {
      this.groups.shift();
      group.batch.release();
    }
  }

  /** Removes the records of a group that have passed their deadline. Returns whether the group is empty now. */
  private expireFirst({ entries, batch }: Group, now: number): boolean {
    const firstValid = entries.findIndex(({ deadline }) => deadline > now);
    const expired = entries.splice(0, firstValid < 0 ? entries.length : firstValid);
    this.subtract(expired);
    for (const entry of expired) {
      batch.removeFirst(entry.bytes);
      this.reject(entry);
    }
    return entries.length === 0;
  }

  private reject(entry: Waiting): void {
    if (entry.deadline === answered) return;
    entry.deadline = answered;
    this.meters?.enqueues.inc({ partition: this.partition, outcome: 'expired' });
    entry.reject(busy());
  }
}

/** Ends an attempt whose request may be lost, because the connection or the leader of the stream has changed. */
class RetryNow extends Error {
  constructor() {
    super('the connection was restored, or the stream has a new leader');
    this.name = 'RetryNow';
  }
}

/** Thrown if the server calls a batch a duplicate that it cannot have stored. */
class FalseDuplicateError extends Error {
  constructor(seq: number, last: number) {
    super(`the server calls the batch a duplicate of sequence ${seq}, but the previous batch has sequence ${last}`);
    this.name = 'FalseDuplicateError';
  }
}

/** Whether an error means that the server itself rejected the batch, so that the batch is certainly not stored. */
function isRefusal(error: unknown): boolean {
  if (isInProcess(error)) return false;
  return error instanceof NatsError && (error.api_error !== undefined || error.code === ErrorCode.MaxPayloadExceeded);
}

/**
 * Whether an error means that a cluster is still replicating an earlier attempt, so that the batch may yet be stored.
 * A server can also give this reply for an attempt that an election has dropped.
 */
function isInProcess(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === 10_158;
}

function isTimeout(error: unknown): boolean {
  return error instanceof NatsError && error.code === ErrorCode.Timeout;
}

function busy(): ServiceError {
  return new ServiceError('unavailable', 'The journal cannot accept more records right now. Send the request again.', {
    retryAfter: 1,
  });
}
