/**
 * Reads a partition's stream in order from a given sequence, without acknowledgements. The cursor in the store is the
 * only record of the position (`docs/architecture.md` decision 4).
 *
 * The reader uses an unnamed NATS consumer. After a lost connection, the reader creates a new consumer. Messages are
 * pulled in small bounded requests, so the reader is never far ahead of the fold. A gap in the sequence always stops
 * the reader.
 */
import { AckPolicy, type Consumer, type ConsumerMessages, DeliverPolicy, type JsMsg } from 'nats';
import { Freezes } from '../foundation/freezes.ts';
import type { Logger } from '../foundation/logger.ts';
import { machineNow } from '../foundation/machine-clock.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import type { Journal } from './connect.ts';
import { Currency } from './currency.ts';
import { probeEnd } from './probe.ts';
import { soleNode, streamOf } from './subjects.ts';
import { isMissing, streamState } from './topology.ts';

/** One journal message: its sequence and its payload (a packed batch). */
export interface JournalMessage {
  seq: number;
  bytes: Uint8Array;
}

/** Thrown if a message is missing between the cursor and the first message that the stream still contains. */
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

/**
 * Thrown if the stream was cut, replaced or removed while it was read. The reader detects this when it has already read
 * a higher sequence than the last sequence of the stream.
 */
export class JournalCutError extends Error {
  constructor(partition: PartitionName, read: number, last: number) {
    super(
      `The journal of ${partition} was cut: it ends at sequence ${last}, but sequence ${read} has already been read.`,
    );
    this.name = 'JournalCutError';
  }
}

/**
 * Maximum size of the messages that one pull reads ahead of the fold. It must be larger than the largest message, which
 * has 4 MiB: the server does not send a message that is larger than the pull.
 */
const pullBytes = 16_777_216;
/** Maximum number of messages of one pull. The client requests this number whenever a pull is bounded by bytes. */
const pullMessages = 100;
/** A batch is yielded when it has this many bytes, or when no further message has arrived. */
const batchBytes = 4_194_304;

export class Follower {
  private readonly journal: Journal;
  private readonly partition: PartitionName;
  private readonly logger: Logger;
  private stopped = false;
  private interrupt: (() => void) | undefined;
  private next: number;
  private outOfOrder = false;
  private waiting = 0;
  /** When the current pull was sent to the server. */
  private pulledAt = Number.POSITIVE_INFINITY;
  /** Undefined on one machine, where a stale state cannot be mistaken for a current one. */
  private readonly freshness: { currency: Currency; freezes: Freezes } | undefined;

  /** @param after the last folded sequence; reading begins with the next sequence */
  constructor(journal: Journal, partition: PartitionName, after: number, logger: Logger) {
    this.journal = journal;
    this.partition = partition;
    this.next = after + 1;
    this.logger = logger;
    journal.onReconnect(() => this.interrupt?.());
    // Messages that the server sent before a freeze are old. A new consumer proves the end of the stream again.
    if (journal.node !== soleNode)
      this.freshness = { currency: new Currency(), freezes: new Freezes(() => this.interrupt?.()) };
  }

  /**
   * Yields every message after the last folded one until the follower is stopped. Each batch contains the messages that
   * have arrived since the previous batch.
   * @throws JournalHoleError if a message is missing, or JournalCutError if the stream was cut or replaced
   */
  async *batches(): AsyncGenerator<JournalMessage[]> {
    for (let attempt = 0; !this.stopped; attempt++) {
      const before = this.next;
      const opening = this.openConsumer();
      // If the connection breaks, the request for the consumer fails only at its timeout, several seconds later. To
      // save this time, the next reconnect also ends the wait.
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

  /**
   * Whether the stream contained more messages than the last batch when the server sent that batch. The fold must then
   * continue without a pause. Otherwise the size of a pull and the pause would limit the throughput.
   */
  get isBehind(): boolean {
    return this.waiting > 0;
  }

  /**
   * Returns the time of the machine's clock as of which the state with the last folded sequence `seq` is current;
   * undefined on one machine, and as long as the time is not known.
   */
  asOf(seq: number): number | undefined {
    const at = this.freshness?.currency.asOf(seq);
    return at !== undefined && Number.isFinite(at) ? at : undefined;
  }

  /** Ends `batches` after the batch that is being processed. */
  stop(): void {
    this.stopped = true;
    this.freshness?.freezes.close();
    this.interrupt?.();
  }

  /** Resolves at the next reconnect or stop. */
  private interruption(): Promise<undefined> {
    return new Promise((resolve) => {
      this.interrupt = () => resolve(undefined);
    });
  }

  /** Pulls messages until the consumer is lost, a message is out of order, or the follower stops. */
  private async *read(consumer: Consumer): AsyncGenerator<JournalMessage[]> {
    let intact = true;
    for (let fresh = true; intact && !this.stopped; fresh = false) {
      this.interrupt = () => {
        intact = false;
      };
      if (this.freshness) this.pulledAt = machineNow();
      const pull = await consumer
        .fetch({ max_bytes: pullBytes, expires: this.journal.timing.pullMs })
        .catch(() => undefined);
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
   * Whether the server has sent a message that the reader did not receive. Example: a pull reaches its timeout at the
   * moment when a message arrives, and the pull drops the message. Messages are not acknowledged, so the server sends a
   * dropped message again only to a new consumer.
   */
  private async missed(consumer: Consumer): Promise<boolean> {
    const asking = consumer.info().catch(() => undefined);
    // The client itself gives up only after the timeout of all requests to JetStream.
    const late = setTimeout(() => this.interrupt?.(), this.journal.timing.consumerMs);
    const info = await Promise.race([asking, this.interruption()]).finally(() => clearTimeout(late));
    return info === undefined || info.delivered.stream_seq >= this.next;
  }

  /**
   * Yields the messages of one pull. A message out of order ends the pull. If the sequence of a new consumer's first
   * message is higher than expected, the stream has a hole, and an error is thrown.
   */
  private async *collect(pull: ConsumerMessages, fresh: boolean): AsyncGenerator<JournalMessage[]> {
    let batch: JournalMessage[] = [];
    let bytes = 0;
    let first = fresh;
    let received = 0;
    let last: JsMsg | undefined;
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
      received += 1;
      last = message;
      // `getPending` also counts the message that is being processed. So a count of 1 means that no other message is
      // pending.
      if (pull.getPending() > 1 && bytes < batchBytes && received < pullMessages) continue;
      this.arrived(message);
      // Messages count as read only here, when their batch is yielded. If the pull fails before the batch is yielded,
      // the messages are read again.
      this.next += batch.length;
      yield batch;
      batch = [];
      bytes = 0;
      // A pull that is bounded by bytes stays open after its last message, until the server has reported its end.
      if (this.stopped || received === pullMessages) return;
    }
    if (!last || batch.length === 0) return;
    this.arrived(last);
    this.next += batch.length;
    yield batch;
  }

  /** Notes what the last message of a batch says about the end of the stream. */
  private arrived({ seq, info: { pending } }: JsMsg): void {
    this.waiting = pending;
    if (!this.freshness) return;
    const { currency, freezes } = this.freshness;
    // After a freeze, the message may have waited in the socket since its pull was sent.
    currency.note(seq + pending, freezes.since(this.pulledAt) ? this.pulledAt : machineNow());
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

  /**
   * Throws if the stream was cut or replaced. Without this check, the reader would wait until the new stream reaches
   * the next sequence that the reader expects. The reader would then miss all earlier records of the new stream.
   */
  private async assertUncut(): Promise<void> {
    const read = this.next - 1;
    const state = await streamState(this.journal, this.partition).catch((error: Error) => {
      if (!isMissing(error)) throw error;
      return undefined;
    });
    if (state && state.lastSeq >= read) return;
    // The server may be cut off from its cluster and report an old state, so only an own message proves the cut.
    const end = state ? await probeEnd(this.journal, this.partition) : 0;
    if (end <= read) throw new JournalCutError(this.partition, read, end);
  }
}

function pause(attempt: number): Promise<void> {
  const ms = Math.min(20 * 2 ** Math.min(attempt, 6), 1000) * (0.5 + Math.random());
  return new Promise((resolve) => setTimeout(resolve, ms));
}
