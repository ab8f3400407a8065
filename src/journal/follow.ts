/**
 * Reads a partition's stream in order from a sequence on, without acknowledgements: the cursor in the store is the only
 * position (`docs/architecture.md` decision 4). An unnamed consumer is made again after every break; messages are pulled in small
 * bounded requests, so a slow fold holds the reading back. A hole in the sequence is never passed over.
 */
import { AckPolicy, type Consumer, type ConsumerMessages, DeliverPolicy } from 'nats';
import type { Logger } from '../foundation/logger.ts';
import type { Journal } from './connect.ts';
import { type PartitionName, streamOf } from './subjects.ts';
import { isMissing, streamState } from './topology.ts';

/** One journal message: its sequence and its payload (a packed batch). */
export interface JournalMessage {
  seq: number;
  bytes: Uint8Array;
}

/** The stream lacks a message between the cursor and what it still holds. */
export class JournalHoleError extends Error {
  readonly expected: number;
  readonly found: number;

  constructor(partition: PartitionName, expected: number, found: number) {
    super(`The journal of ${partition} has a hole: expected sequence ${expected}, found ${found}.`);
    this.name = 'JournalHoleError';
    this.expected = expected;
    this.found = found;
  }
}

/** The stream ends before what was read of it already, or is gone: it was cut or replaced under its reader. */
export class JournalCutError extends Error {
  constructor(partition: PartitionName, read: number, last: number) {
    super(`The journal of ${partition} was cut: it ends at sequence ${last}, and ${read} was read.`);
    this.name = 'JournalCutError';
  }
}

/** Bounds what is read ahead of the fold: messages, of at most 4 MiB each. */
const pullMessages = 32;
/** A batch is handed on when it has this many bytes, or when nothing more has arrived. */
const batchBytes = 4_194_304;
const pullExpiresMs = 5000;

export class Follower {
  private readonly journal: Journal;
  private readonly partition: PartitionName;
  private readonly logger: Logger;
  private stopped = false;
  private interrupt: (() => void) | undefined;
  private next: number;
  private outOfOrder = false;

  /** @param after sequence already folded; reading begins at the one after it */
  constructor(journal: Journal, partition: PartitionName, after: number, logger: Logger) {
    this.journal = journal;
    this.partition = partition;
    this.next = after + 1;
    this.logger = logger;
    journal.onReconnect(() => this.interrupt?.());
  }

  /**
   * Yields every message from the start on, in batches of what has arrived, until the follower is stopped.
   * @throws JournalHoleError when a message is missing, JournalCutError when the stream is not the one that was read
   */
  async *batches(): AsyncGenerator<JournalMessage[]> {
    for (let attempt = 0; !this.stopped; attempt++) {
      const before = this.next;
      const opening = this.openConsumer();
      // A request that a break of the connection swallowed would only end by its time-out, seconds later.
      const consumer = await Promise.race([opening, this.interruption()]);
      if (!consumer) opening.then((late) => late?.delete()).catch(() => {});
      else {
        try {
          yield* this.read(consumer);
        } finally {
          consumer.delete().catch(() => {});
        }
      }
      if (this.next > before) attempt = 0;
      if (!this.stopped) await Promise.race([pause(attempt), this.interruption()]);
    }
  }

  /** Ends `batches` after the batch being handled. */
  stop(): void {
    this.stopped = true;
    this.interrupt?.();
  }

  /** Resolves at the next reconnect or stop. */
  private interruption(): Promise<undefined> {
    return new Promise((resolve) => {
      this.interrupt = () => resolve(undefined);
    });
  }

  /** Pulls until the consumer is lost, out of order, or the follower stops. */
  private async *read(consumer: Consumer): AsyncGenerator<JournalMessage[]> {
    let intact = true;
    for (let fresh = true; intact && !this.stopped; fresh = false) {
      this.interrupt = () => {
        intact = false;
      };
      const pull = await consumer.fetch({ max_messages: pullMessages, expires: pullExpiresMs }).catch(() => undefined);
      if (!pull) return;
      this.interrupt = () => {
        intact = false;
        pull.stop();
      };
      if (!intact || this.stopped) pull.stop();
      try {
        yield* this.collect(pull, fresh);
      } catch (error) {
        if (error instanceof JournalHoleError) throw error;
        this.logger.warn({ partition: this.partition, err: error }, 'journal reading is interrupted');
        return;
      } finally {
        pull.stop();
      }
      if (!intact || this.stopped || this.outOfOrder) return;
      if (pull.getReceived() < pullMessages && (await this.missed(consumer))) return;
    }
  }

  /**
   * Whether the server has sent more than was read. A pull that ends by its time can drop what arrives in that moment, and
   * without acknowledgements the server does not send it again: only a new consumer does.
   */
  private async missed(consumer: Consumer): Promise<boolean> {
    const asking = consumer.info().catch(() => undefined);
    const info = await Promise.race([asking, this.interruption()]);
    return info === undefined || info.delivered.stream_seq >= this.next;
  }

  /** Hands on what one pull brings. A message out of order ends it; on a new consumer that is a hole. */
  private async *collect(pull: ConsumerMessages, fresh: boolean): AsyncGenerator<JournalMessage[]> {
    let batch: JournalMessage[] = [];
    let bytes = 0;
    let first = fresh;
    this.outOfOrder = false;
    for await (const message of pull) {
      const expected = this.next + batch.length;
      if (message.seq !== expected) {
        if (first && message.seq > expected) throw new JournalHoleError(this.partition, expected, message.seq);
        this.outOfOrder = true;
        break;
      }
      first = false;
      batch.push({ seq: message.seq, bytes: message.data });
      bytes += message.data.length;
      // The message at hand counts as pending still.
      if (pull.getPending() > 1 && bytes < batchBytes) continue;
      // Counted as read only now: what a failing pull leaves behind is read again.
      this.next += batch.length;
      yield batch;
      batch = [];
      bytes = 0;
      if (this.stopped) return;
    }
    if (batch.length === 0) return;
    this.next += batch.length;
    yield batch;
  }

  private async openConsumer(): Promise<Consumer | undefined> {
    const { manager, jetstream } = this.journal;
    const stream = streamOf(this.partition);
    try {
      await this.assertUncut();
      const info = await manager.consumers.add(stream, {
        ack_policy: AckPolicy.None,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: this.next,
        max_deliver: 1,
        mem_storage: true,
        num_replicas: 1,
        inactive_threshold: 60_000_000_000,
      });
      return await jetstream.consumers.get(stream, info.name);
    } catch (error) {
      if (error instanceof JournalCutError) throw error;
      if (!this.stopped) this.logger.warn({ partition: this.partition, err: error }, 'journal cannot be read yet');
      return undefined;
    }
  }

  /** A reader of a stream that begins anew would wait for its next sequence while records pass it by. */
  private async assertUncut(): Promise<void> {
    const read = this.next - 1;
    const state = await streamState(this.journal, this.partition).catch((error: Error) => {
      if (!isMissing(error)) throw error;
      return { lastSeq: 0 };
    });
    if (state.lastSeq < read) throw new JournalCutError(this.partition, read, state.lastSeq);
  }
}

function pause(attempt: number): Promise<void> {
  const ms = Math.min(20 * 2 ** Math.min(attempt, 6), 1000) * (0.5 + Math.random());
  return new Promise((resolve) => setTimeout(resolve, ms));
}
