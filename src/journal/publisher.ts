/**
 * Publishes messages to the journal's streams and waits for their acknowledgements. The acknowledgements of all messages
 * arrive at one subscription, each at a subject of its own. The NATS client would also work, but for each message it
 * makes a race of promises and an error object (`docs/performance.md`).
 */
import { createInbox, ErrorCode, headers, type Msg, type NatsConnection, NatsError } from 'nats';

/** A message for a stream. The server stores only one of several messages with the same `id`. */
export interface StreamMessage {
  subject: string;
  stream: string;
  id: string;
  payload: Uint8Array;
}

/**
 * What the server says about a message. `seq` is the sequence of the message in its stream. If `duplicate` is set, the
 * server did not store the message, because it has seen a message with the same `id` before. `seq` is then that of the
 * earlier message.
 */
export interface Stored {
  seq: number;
  duplicate: boolean;
}

interface Waiting {
  resolve: (stored: Stored) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** The reply of the server to a message. `error` is set if the server has rejected the message. */
interface Acknowledgement {
  seq?: number;
  duplicate?: boolean;
  error?: { code: number; err_code: number; description: string };
}

export class Publisher {
  private readonly connection: NatsConnection;
  private readonly inbox: string;
  private readonly waiting = new Map<string, Waiting>();
  private published = 0;

  /** @param inboxPrefix the beginning of the subjects on which this client may receive replies */
  constructor(connection: NatsConnection, inboxPrefix: string) {
    this.connection = connection;
    this.inbox = `${createInbox(inboxPrefix)}.`;
    connection.subscribe(`${this.inbox}*`, {
      callback: (error, message) => {
        if (!error) this.acknowledged(message);
      },
    });
  }

  /**
   * Publishes a message.
   * @returns the acknowledgement, once the server has stored the message or an earlier one with the same id
   * @throws NatsError with `api_error` if the server has rejected the message. With any other error, for example after
   *   `timeoutMs`, the message may be stored.
   */
  publish({ subject, stream, id, payload }: StreamMessage, timeoutMs: number): Promise<Stored> {
    this.published += 1;
    const token = this.published.toString(36);
    const header = headers();
    header.set('Nats-Msg-Id', id);
    header.set('Nats-Expected-Stream', stream);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail(token, new NatsError('TIMEOUT', ErrorCode.Timeout)), timeoutMs);
      this.waiting.set(token, { resolve, reject, timer });
      try {
        this.connection.publish(subject, payload, { reply: this.inbox + token, headers: header });
      } catch (error) {
        this.fail(token, error as Error);
      }
    });
  }

  private acknowledged(message: Msg): void {
    const token = message.subject.slice(this.inbox.length);
    const waiting = this.take(token);
    if (!waiting) return;
    // If no stream takes the message, the server replies without content.
    if (message.data.length === 0) return waiting.reject(new NatsError('NO_RESPONDERS', ErrorCode.NoResponders));
    try {
      const { seq, duplicate, error } = message.json<Acknowledgement>();
      if (error) waiting.reject(refusal(error));
      else if (seq === undefined) waiting.reject(new NatsError('INVALID_ACK', ErrorCode.JetStreamInvalidAck));
      else waiting.resolve({ seq, duplicate: duplicate === true });
    } catch (error) {
      waiting.reject(error as Error);
    }
  }

  private fail(token: string, error: Error): void {
    this.take(token)?.reject(error);
  }

  private take(token: string): Waiting | undefined {
    const waiting = this.waiting.get(token);
    if (!waiting) return undefined;
    this.waiting.delete(token);
    clearTimeout(waiting.timer);
    return waiting;
  }
}

function refusal(error: NonNullable<Acknowledgement['error']>): NatsError {
  const refused = new NatsError(error.description, String(error.code));
  refused.api_error = error;
  return refused;
}
