/**
 * Sends a message of its own to each recipient, over a few sessions at once, and sums up what became of them. A message that
 * may have been taken is never handed over again: then all of it stops, and the outcome is said to be unknown. Where it stops
 * between two messages, the next attempt goes on with the rest.
 */
import { DeliveryError, type Reached } from '../channel.ts';
import type { Handover, SmtpSession } from './smtp.ts';

const mostSessions = 4;

export interface Sending {
  recipients: readonly string[];
  open: () => Promise<SmtpSession>;
  /** Hands the recipient's message over in a session. */
  hand: (session: SmtpSession, recipient: string) => Promise<Handover>;
  signal: AbortSignal;
}

/** How many messages were taken, refused for good, and refused for now. */
export interface Tally {
  accepted: number;
  rejected: number;
  deferred: number;
}

/** @returns how many were taken, at least one, and whose; @throws DeliveryError as the documentation of the channel tells */
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
  /** Whose messages were being taken when their connection was lost. */
  private readonly doubtful: string[] = [];
  /** Why not all recipients were tried. */
  private failure: DeliveryError | undefined;
  private lastCode = '';

  constructor(sending: Sending) {
    this.sending = sending;
  }

  /** The first session must open; that others may not is the server's right. */
  async run(): Promise<void> {
    const first = await this.sending.open();
    const others = Math.min(mostSessions, this.sending.recipients.length) - 1;
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
      const taken = `The mail server took ${accepted} of ${all} messages before the connection was lost`;
      throw new DeliveryError('unknown', `${taken}; ${uncertain} more may have arrived.`, undefined, reached);
    }
    if (this.failure) throw this.failedAfter(accepted, all, this.failure, reached);
    if (accepted === 0 && deferred > 0) {
      throw new DeliveryError('retry', `The mail server takes no messages for now (${this.lastCode}).`);
    }
    if (accepted === 0) {
      throw new DeliveryError('refused', `The mail server refused all ${all} messages (${this.lastCode}).`);
    }
    return { tally: this.tally, reached };
  }

  /** Whoever has it is known, so the others can be sent to by another attempt. */
  private failedAfter(accepted: number, all: number, failure: DeliveryError, reached: Reached): DeliveryError {
    const { outcome, message, retryAfterMs } = failure;
    const so =
      accepted === 0 ? '' : `The mail server took ${accepted} of ${all} messages, and the others were not sent. `;
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

  /** Servers end sessions after some messages: what was not handed over yet goes through a new one. */
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
        this.failure ??= new DeliveryError('retry', 'The mail server ends the connection before it takes a message.');
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
