/**
 * Counts a limit at the home of its key. Far from the limit, the home lends counts to the gateway that asks, so that
 * most requests need no question. Lent counts are counted as used, so all gateways together never grant more than the
 * limit. Before the home refuses, it takes back the lent counts that are not used, so it never refuses too early either.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { ulid } from '../foundation/ids.ts';
import type { Homes } from './homes.ts';

/** Maximum number of counts that are lent at once, and for how long, in milliseconds. */
export const [lentAtOnce, lentMs] = [16, 1000];
/** How long the home waits for what a gateway gives back after the end of a loan, in milliseconds. */
const graceMs = 1000;
/** Interval between two checks for ended loans, in milliseconds. */
const checkMs = 250;
/** How long the home waits for the counts that it takes back. Shorter than a gateway waits for the home. */
const recallMs = 50;
/** Maximum number of requests in one question. */
const maxBatch = 1000;

/** The counts that a home grants. `facts` describe the state of the limit, for the answers to the requests. */
export interface Granted<F> {
  /** Number of requests that are counted. If it is lower than asked for, the limit is reached. */
  granted: number;
  /** Number of counts that are lent in addition. */
  spare: number;
  /** How long the lent counts may be used, in milliseconds. */
  ms: number;
  facts: F;
}

/**
 * A limit that can be counted for other gateways. `Q` describes a request, `F` the state of the limit, `A` the answer
 * to a request.
 */
export interface Countable<Q, F, A> {
  name: string;
  /** Returns the key whose home counts a request. */
  homeKey(request: Q): string;
  /** Returns the key of requests that may use the same loan. */
  loanKey(request: Q): string;
  /** Converts a request to the form that is sent, and back. */
  pack(request: Q): unknown;
  unpack(packed: unknown): Q;
  /**
   * Counts a request here.
   * @throws ServiceError if the limit is reached
   */
  take(request: Q): A;
  /** Whether so many requests could be counted now, without refusing or delaying one. */
  fits(request: Q, count: number): boolean;
  /**
   * Counts requests for another gateway. While less than half of the limit is used, counts up to `lend` more.
   * @returns also what takes back counts that were not used
   */
  grant(request: Q, count: number, lend: number): Granted<F> & { undo: (count: number) => void };
  /**
   * Makes the answer to a request.
   * @param nth the number of the request in its question, from 0
   * @param unused number of granted counts that this gateway has not used yet
   * @param ageMs how long ago the home answered
   * @throws ServiceError if the limit is reached
   */
  answer(request: Q, granted: Granted<F>, nth: number, unused: number, ageMs: number): A;
  /** Called before this gateway begins to count for a key. */
  begin?(homeKey: string): void;
}

/** A question to the home of a key. */
interface LoanQuestion {
  request: unknown;
  count: number;
  from: string;
}

/** What a home answers. `id` names the loan. */
type LoanAnswer<F> = Granted<F> & { id: string };

/** Counts that this gateway has borrowed. */
interface Borrowed<F> {
  id: string;
  home: string;
  granted: Granted<F>;
  unused: number;
  at: number;
  ends: number;
}

/** Counts that this gateway has lent. */
interface Lent {
  id: string;
  to: string;
  ends: number;
  undo: (count: number) => void;
}

interface Waiting<A> {
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

export class HomedLimit<Q, F, A> {
  private readonly homes: Homes;
  private readonly limit: Countable<Q, F, A>;
  private readonly now: () => number;
  private readonly boot = ulid();
  private loans = 0;
  /** Loans of other gateways to this one, by the key of the loan. */
  private readonly borrowed = new Map<string, Borrowed<F>>();
  /** Loans of this gateway to others, by the key whose home this is. */
  private readonly lent = new Map<string, Lent[]>();
  /** Requests that wait for an answer of the home, by the key of the loan. */
  private readonly waiting = new Map<string, Waiting<A>[]>();
  private readonly recalling = new Map<string, Promise<void>>();
  /** The keys that this gateway counts for. */
  private readonly begun = new Set<string>();
  private checking: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a monotonic clock */
  constructor(homes: Homes, limit: Countable<Q, F, A>, now: () => number = () => performance.now()) {
    this.homes = homes;
    this.limit = limit;
    this.now = now;
    if (homes.isSole) return;
    homes.serve(limit.name, (question: LoanQuestion) => this.lend(question));
    homes.serve(`${limit.name} recall`, (ids: string[]) => this.giveUp(ids));
    homes.serve(`${limit.name} back`, ({ id, unused }: { id: string; unused: number }) => this.takeBack(id, unused));
    homes.onChange(() => this.begun.clear());
  }

  /**
   * Counts a request at its home. The answer is a promise only if another gateway has to be asked.
   * @throws ServiceError if the limit is reached
   */
  take(request: Q): A | Promise<A> {
    if (this.homes.elsewhere(this.limit.homeKey(request)) === undefined) return this.takeHere(request);
    const key = this.limit.loanKey(request);
    return this.takeBorrowed(key, request) ?? this.takeElsewhere(key, request);
  }

  /** Stops checking for ended loans. */
  stop(): void {
    clearInterval(this.checking);
    this.checking = undefined;
  }

  private takeHere(request: Q): A | Promise<A> {
    const { limit } = this;
    const key = limit.homeKey(request);
    this.beginFor(key);
    const recalling = this.recalling.get(key);
    if (recalling) return recalling.then(() => limit.take(request));
    if (!this.lent.has(key) || limit.fits(request, 1)) return limit.take(request);
    return this.recall(key).then(() => limit.take(request));
  }

  /** Counts a request with a loan. Returns undefined without a loan. */
  private takeBorrowed(key: string, request: Q): A | undefined {
    const loan = this.borrowed.get(key);
    const now = this.now();
    if (!loan || loan.unused === 0 || now >= loan.ends) return undefined;
    loan.unused -= 1;
    return this.limit.answer(request, loan.granted, 0, loan.unused, now - loan.at);
  }

  /** Asks the home. Requests that arrive before its answer are asked about together in the next question. */
  private takeElsewhere(key: string, request: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      const waiting = this.waiting.get(key);
      if (waiting) {
        waiting.push({ resolve, reject });
        return;
      }
      const first = [{ resolve, reject }];
      this.waiting.set(key, first);
      void this.askFor(key, request, first);
    });
  }

  private async askFor(key: string, request: Q, waiting: Waiting<A>[]): Promise<void> {
    while (waiting.length > 0) {
      // The last answer can have brought a loan.
      const answer = this.takeBorrowed(key, request);
      if (answer !== undefined) {
        waiting.shift()?.resolve(answer);
        continue;
      }
      const batch = waiting.splice(0, maxBatch);
      const answerTo = await this.answers(key, request, batch.length);
      for (const [nth, { resolve, reject }] of batch.entries()) {
        try {
          resolve(await answerTo(nth));
        } catch (error) {
          reject(error);
        }
      }
    }
    this.waiting.delete(key);
  }

  /** Asks for counts. Returns the function that answers the requests. */
  private async answers(key: string, request: Q, count: number): Promise<(nth: number) => A | Promise<A>> {
    const { homes, limit } = this;
    const home = homes.elsewhere(limit.homeKey(request));
    if (home === undefined) return () => this.takeHere(request);
    const question: LoanQuestion = { request: limit.pack(request), count, from: homes.self };
    try {
      const answer = await homes.askHome<LoanAnswer<F>>(home, limit.name, question);
      this.borrow(key, home, answer);
      const all = answer.granted + answer.spare;
      return (nth) => limit.answer(request, answer, nth, Math.max(0, all - nth - 1), 0);
    } catch {
      this.beginFor(limit.homeKey(request));
      return () => homes.alone(() => limit.take(request));
    }
  }

  private borrow(key: string, home: string, { id, ...granted }: LoanAnswer<F>): void {
    if (granted.spare === 0) return;
    const former = this.borrowed.get(key);
    if (former) this.giveBack(former);
    const at = this.now();
    this.borrowed.set(key, { id, home, granted, unused: granted.spare, at, ends: at + granted.ms });
    this.check();
  }

  private giveBack({ id, home, unused }: Borrowed<F>): void {
    if (unused > 0) this.homes.tell(home, `${this.limit.name} back`, { id, unused });
  }

  /** Gives up loans that the home wants back. Returns the unused counts of each. */
  private async giveUp(ids: readonly string[]): Promise<number[]> {
    // The answer with a loan can have arrived just before, and is handled in this turn.
    await turn();
    return ids.map((id) => {
      for (const [key, loan] of this.borrowed) {
        if (loan.id !== id) continue;
        this.borrowed.delete(key);
        return loan.unused;
      }
      return 0;
    });
  }

  /** Answers a question of another gateway. */
  private async lend({ request: packed, count, from }: LoanQuestion): Promise<LoanAnswer<F>> {
    const { limit } = this;
    const request = limit.unpack(packed);
    const key = limit.homeKey(request);
    this.beginFor(key);
    await this.recalling.get(key);
    if (this.lent.has(key) && !limit.fits(request, count)) await this.recall(key);
    const { undo, ...granted } = limit.grant(request, count, lentAtOnce);
    this.loans += 1;
    const id = `${this.boot}-${this.loans}`;
    if (granted.spare > 0) {
      const loans = this.lent.get(key) ?? [];
      loans.push({ id, to: from, ends: this.now() + granted.ms + graceMs, undo });
      this.lent.set(key, loans);
      this.check();
    }
    return { id, ...granted };
  }

  /** Takes back all unused counts that were lent for a key. */
  private recall(key: string): Promise<void> {
    const under = this.recalling.get(key);
    if (under) return under;
    const loans = this.lent.get(key) ?? [];
    this.lent.delete(key);
    const borrowers = [...new Set(loans.map(({ to }) => to))];
    const recalled = Promise.all(
      borrowers.map(async (to) => {
        const own = loans.filter((loan) => loan.to === to);
        const ids = own.map(({ id }) => id);
        // What a gateway does not give back counts as used.
        const unused = await this.homes
          .ask<number[]>(to, `${this.limit.name} recall`, ids, recallMs)
          .catch((): number[] => []);
        for (const [i, { undo }] of own.entries()) if ((unused[i] ?? 0) > 0) undo(unused[i] as number);
      }),
    ).then(() => void this.recalling.delete(key));
    this.recalling.set(key, recalled);
    return recalled;
  }

  private takeBack(id: string, unused: number): void {
    for (const [key, loans] of this.lent) {
      const loan = loans.find((each) => each.id === id);
      if (!loan) continue;
      loan.undo(unused);
      this.keep(
        key,
        loans.filter((each) => each !== loan),
      );
    }
  }

  private keep(key: string, loans: Lent[]): void {
    if (loans.length > 0) this.lent.set(key, loans);
    else this.lent.delete(key);
  }

  private beginFor(key: string): void {
    if (this.homes.isSole || this.begun.has(key)) return;
    this.begun.add(key);
    this.limit.begin?.(key);
  }

  /** Starts to check for ended loans, until there are none. */
  private check(): void {
    this.checking ??= setInterval(() => {
      const now = this.now();
      for (const [key, loan] of this.borrowed) {
        if (loan.unused > 0 && now < loan.ends) continue;
        this.borrowed.delete(key);
        this.giveBack(loan);
      }
      for (const [key, loans] of this.lent)
        this.keep(
          key,
          loans.filter(({ ends }) => now < ends),
        );
      if (this.borrowed.size + this.lent.size === 0) this.stop();
    }, checkMs);
  }
}
