/**
 * Asks one other gateway. The questions of one turn of the event loop are sent as one message. A gateway that does not
 * answer in time is silent: it is not asked again until it is heard, by a late answer or by its next announcement.
 */
import type { Logger } from '../foundation/logger.ts';
import type { Link } from '../journal/link.ts';

/** A question to a gateway. `about` names the work. */
export interface Question {
  about: string;
  with: unknown;
}

/** The answer to a question; null if the gateway could not answer it. */
export type Answer = { value: unknown } | null;

interface Asked {
  question: Question;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** How long a gateway waits for an answer of another one, in milliseconds. */
export const askMs = 100;
/** How long a late answer is waited for, in milliseconds. It shows that the gateway can be asked again. */
const lateMs = 2000;
/** Maximum number of questions in a message, so that no message is larger than the server permits. */
const maxQuestions = 1000;
/** Minimum interval between two log lines, in milliseconds. A gateway may be silent again and again. */
const logMs = 60_000;

export class Peer {
  /** Whether the gateway has not answered in time and was not heard since. */
  isSilent = false;
  private readonly id: string;
  private readonly link: Link;
  private readonly logger: Pick<Logger, 'warn'>;
  private loggedAt = Number.NEGATIVE_INFINITY;
  /** The questions of this turn. */
  private asked: Asked[] = [];

  constructor(id: string, link: Link, logger: Pick<Logger, 'warn'>) {
    this.id = id;
    this.link = link;
    this.logger = logger;
  }

  /**
   * Asks together with the other questions of this turn.
   * @throws Error if the gateway does not answer in time
   */
  ask<A>(question: Question): Promise<A> {
    return new Promise((resolve, reject) => {
      const count = this.asked.push({ question, resolve: resolve as Asked['resolve'], reject });
      if (count === 1) setImmediate(() => this.sendAll());
    });
  }

  /**
   * Asks at once, even if the gateway is silent, and waits for `ms` milliseconds.
   * @throws Error if the gateway does not answer in time
   */
  askFor<A>(question: Question, ms: number): Promise<A> {
    return new Promise((resolve, reject) => {
      this.send([{ question, resolve: resolve as Asked['resolve'], reject }], ms);
    });
  }

  /** Notes that the gateway lives. */
  heard(): void {
    this.isSilent = false;
  }

  private sendAll(): void {
    const all = this.asked;
    this.asked = [];
    for (let i = 0; i < all.length; i += maxQuestions) this.send(all.slice(i, i + maxQuestions), askMs);
  }

  private send(asked: readonly Asked[], ms: number): void {
    let isAnswered = false;
    const giveUp = (): void => {
      if (isAnswered) return;
      this.fallSilent();
      for (const { reject } of asked) reject(new Error(`${this.id} does not answer`));
    };
    // If this process stood still, the answer may wait to be read, which happens before the immediate.
    const timer = setTimeout(() => setImmediate(giveUp), ms);
    const questions = asked.map(({ question }) => question);
    this.link.ask(this.id, questions, Math.max(ms, lateMs)).then(
      (answers) => {
        isAnswered = true;
        clearTimeout(timer);
        this.heard();
        for (const [i, { resolve, reject }] of asked.entries()) {
          const answer = (answers as Answer[])[i];
          if (answer) resolve(answer.value);
          else reject(new Error(`${this.id} cannot answer`));
        }
      },
      () => {
        clearTimeout(timer);
        giveUp();
      },
    );
  }

  private fallSilent(): void {
    if (this.isSilent) return;
    this.isSilent = true;
    const now = performance.now();
    if (now - this.loggedAt < logMs) return;
    this.loggedAt = now;
    this.logger.warn({ gateway: this.id }, 'gateway does not answer; its limits are counted by each gateway alone');
  }
}
