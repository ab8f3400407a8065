/**
 * Sends a separate message to each recipient, over a few concurrent sessions, and counts the results. A message that
 * may have been accepted is never sent again. After such a message, sending stops and the outcome is unknown. If
 * sending stops between two messages, the next attempt continues with the remaining recipients.
 */
import { DeliveryError, type Reached } from '../channel.ts';
import type { Handover, SmtpSession } from './smtp.ts';

const maxSessions = 4;

export interface Sending {
  recipients: readonly string[];
  open: () => Promise<SmtpSession>;
  /** Sends a message to one recipient in a session. */
  hand: (session: SmtpSession, recipient: string) => Promise<Handover>;
  signal: AbortSignal;
}

/** How many messages were accepted, refused permanently, and refused temporarily. */
export interface Tally {
  accepted: number;
  rejected: number;
  deferred: number;
}

/**
 * Sends the message to all recipients.
 * @returns the numbers of accepted and refused messages, and the recipients that were reached
 * @throws DeliveryError if the server accepted no message, if it is unknown whether a message arrived, or if sending
 *   stopped early
 */
export async function sendAll(sending: Sending): Promise<{ tally: Tally; reached: Reached }> {
  const round = new Round(sending);
  await round.run();
  return round.outcome();
}

class Round {
  private readonly sending: Sending;
  private readonly tally: Tally = { accepted: 0, rejected: 0, deferred: 0 };
  private readonly taken: string[] = [];
  private next = 0;
  /** Recipients whose message was being transmitted when the connection was lost. */
  private readonly doubtful: string[] = [];
  /** The error that stopped the sending. Messages to the remaining recipients were not sent. */
  private failure: DeliveryError | undefined;
  private lastCode = '';

  constructor(sending: Sending) {
    this.sending = sending;
  }

  /**
   * Sends over several sessions. The first session must open. Further concurrent sessions are optional, because a
   * server may refuse them.
   */
  async run(): Promise<void> {
    const first = await this.sending.open();
    const others = Math.min(maxSessions, this.sending.recipients.length) - 1;
    await Promise.all([
      this.lane(first),
      ...Array.from({ length: others }, async () => {
        const session = await this.sending.open().catch(() => undefined);
        if (session) await this.lane(session);
      }),
    ]);
  }

  outcome(): { tally: Tally; reached: Reached } {
    const { accepted, deferred } = this.tally;
    const all = this.sending.recipients.length;
    const reached = { taken: this.taken, doubtful: this.doubtful };
    const uncertain = this.doubtful.length;
    if (uncertain > 0) {
      const taken = `The mail server accepted ${accepted} of ${all} messages before the connection was lost`;
      throw new DeliveryError('unknown', `${taken}; ${uncertain} more may have arrived.`, undefined, reached);
    }
    if (this.failure) throw this.failedAfter(accepted, all, this.failure, reached);
    if (accepted === 0 && deferred > 0) {
      throw new DeliveryError('retry', `The mail server is not accepting messages right now (${this.lastCode}).`);
    }
    if (accepted === 0) {
      throw new DeliveryError('refused', `The mail server refused all ${all} messages (${this.lastCode}).`);
    }
    return { tally: this.tally, reached };
  }

  /**
   * Returns the error of an attempt that stopped early. The error contains the recipients that were reached, so that
   * another attempt can send to the remaining recipients.
   */
  private failedAfter(accepted: number, all: number, failure: DeliveryError, reached: Reached): DeliveryError {
    const { outcome, message, retryAfterMs } = failure;
    const so =
      accepted === 0
        ? ''
        : `The mail server accepted ${accepted} of ${all} messages. The other messages were not accepted or not sent. `;
    return new DeliveryError(outcome, so + message, retryAfterMs, reached);
  }

  private async lane(opened: SmtpSession): Promise<void> {
    let session = opened;
    while (this.next < this.sending.recipients.length && !this.isStopped) {
      const recipient = this.sending.recipients[this.next++] as string;
      try {
        session = await this.sendOne(session, recipient);
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        this.failure ??= error;
      }
    }
    session.close();
  }

  /**
   * Sends one message. A server can limit the number of messages per session and end the session. If the session ends
   * before the transmission of the message has begun, the message is sent in a new session.
   */
  private async sendOne(current: SmtpSession, recipient: string): Promise<SmtpSession> {
    let session = current.isOpen ? current : await this.sending.open();
    let handover = await this.sending.hand(session, recipient);
    if (handover.kind === 'lost' && !handover.handed && !this.sending.signal.aborted) {
      session = await this.sending.open();
      handover = await this.sending.hand(session, recipient);
    }
    this.count(handover, recipient);
    return session;
  }

  private count(handover: Handover, recipient: string): void {
    if (handover.kind === 'lost') {
      if (handover.handed) this.doubtful.push(recipient);
      else
        this.failure ??= new DeliveryError(
          'retry',
          'The mail server closed the connection before it accepted the next message.',
        );
      return;
    }
    this.tally[handover.kind] += 1;
    if (handover.kind === 'accepted') this.taken.push(recipient);
    else this.lastCode = handover.code;
  }

  private get isStopped(): boolean {
    if (this.sending.signal.aborted) this.failure ??= new DeliveryError('retry', 'The delivery was stopped.');
    return this.failure !== undefined || this.doubtful.length > 0;
  }
}
