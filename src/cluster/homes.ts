/**
 * Runs work about a key in the gateway that the key belongs to, its home. So a limit stays exact over several gateways,
 * because one of them counts. If the home is this gateway, it is called directly. Otherwise it is asked over the
 * journal's server. A single gateway asks no other (`docs/architecture.md` decision 27).
 */
import type { Logger } from '../foundation/logger.ts';
import type { Link } from '../journal/link.ts';
import type { Members } from './members.ts';
import { homeAmong, type Weighed, weighed } from './rendezvous.ts';

/** A question to a gateway. `about` names the work. */
interface Question {
  about: string;
  with: unknown;
}

type Work = (question: unknown) => unknown;

/** How long a gateway waits for an answer of another one, in milliseconds. */
const askMs = 100;
/** Minimum interval between two log lines about the same gateway, in milliseconds. It may be silent again and again. */
const logMs = 60_000;
/** How long to wait for the home where a wrong result would be stored, in milliseconds. */
export const storedMs = 2000;

/** The other gateways. */
interface Others {
  members: Members;
  link: Link;
  logger: Pick<Logger, 'warn' | 'error'>;
  /** Called when this gateway does the work of a home that does not answer. */
  onAlone: () => void;
}

export class Homes {
  private readonly others: Others | undefined;
  private readonly works = new Map<string, Work>();
  private readonly changed: (() => void)[] = [];
  private live: readonly Weighed[] = [];
  /** Homes that did not answer. They are not asked again before their next announcement. */
  private readonly silent = new Set<string>();
  /** When the silence of each gateway was logged last, on a monotonic clock. */
  private readonly logged = new Map<string, number>();

  /** @param others undefined if this is the only gateway */
  constructor(others?: Others) {
    this.others = others;
    if (!others) return;
    const { members, link } = others;
    const update = (): void => {
      this.live = weighed(members.list());
      for (const callback of this.changed) callback();
    };
    update();
    members.onChange(update);
    members.onHeard((id) => this.silent.delete(id));
    link.onAsked(members.self, (question) => this.work(question as Question));
  }

  /** Whether this is the only gateway of its service. Then every home is here. */
  get isSole(): boolean {
    return this.others === undefined;
  }

  /** Name of this gateway. */
  get self(): string {
    return this.others?.members.self ?? '';
  }

  /** Returns the home of a key; undefined if it is this gateway. */
  elsewhere(key: string): string | undefined {
    if (!this.others) return undefined;
    const home = homeAmong(this.live, key);
    return home === this.others.members.self ? undefined : home;
  }

  /** Registers a callback for each change of the live gateways. Keys may have a new home then. */
  onChange(callback: () => void): void {
    this.changed.push(callback);
  }

  /** Declares work that other gateways may ask this one for. */
  serve<Q, A>(about: string, work: (question: Q) => A | Promise<A>): void {
    this.works.set(about, work as Work);
  }

  /**
   * Declares work that the home of a key does. Returns the function that does it, here or in another gateway. If the
   * home does not answer, this gateway does the work itself.
   * @param ms how long to wait for the home, even if it was silent before. Without it, the wait is short, as for a limit.
   */
  at<Q, A>(about: string, work: (question: Q) => A, ms?: number): (key: string, question: Q) => A | Promise<A> {
    this.serve(about, work);
    return (key, question) => {
      const home = this.elsewhere(key);
      if (home === undefined) return work(question);
      const answer = ms === undefined ? this.askHome<A>(home, about, question) : this.ask<A>(home, about, question, ms);
      return answer.catch(() => this.alone(() => work(question)));
    };
  }

  /**
   * Asks another gateway.
   * @throws Error if the gateway does not answer in time
   */
  async ask<A>(id: string, about: string, question: unknown, ms: number): Promise<A> {
    if (!this.others) throw new Error('there is no other gateway');
    return (await this.others.link.ask(id, { about, with: question } satisfies Question, ms)) as A;
  }

  /**
   * Asks the home of a key. A home that has not answered is not asked again before its next announcement.
   * @throws Error if the home does not answer in time
   */
  async askHome<A>(home: string, about: string, question: unknown): Promise<A> {
    if (this.silent.has(home)) throw new Error(`${home} does not answer`);
    try {
      return await this.ask<A>(home, about, question, askMs);
    } catch (error) {
      this.fallenSilent(home);
      throw error;
    }
  }

  /** Asks all other gateways. Returns the answers of those that answer in time. */
  async askOthers<A>(about: string, question: unknown, ms = askMs): Promise<A[]> {
    const ids = this.live.map(({ id }) => id).filter((id) => id !== this.self);
    const answers = await Promise.all(ids.map((id) => this.ask<A>(id, about, question, ms).catch(() => undefined)));
    return answers.filter((answer) => answer !== undefined);
  }

  /** Sends a message that needs no answer to another gateway. */
  tell(home: string, about: string, message: unknown): void {
    this.others?.link.tell(home, { about, with: message } satisfies Question);
  }

  /** Counts here because the home does not answer. */
  alone<A>(work: () => A): A {
    this.others?.onAlone();
    return work();
  }

  /** Answers a question of another gateway. A failure is logged here, and the other gateway gets no answer. */
  private async work({ about, with: question }: Question): Promise<unknown> {
    try {
      const work = this.works.get(about);
      if (!work) throw new Error(`unknown question ${about}`);
      return await work(question);
    } catch (error) {
      this.others?.logger.error({ err: error, about }, 'question of another gateway failed');
      throw error;
    }
  }

  private fallenSilent(home: string): void {
    if (this.silent.has(home)) return;
    this.silent.add(home);
    const now = performance.now();
    if (now - (this.logged.get(home) ?? Number.NEGATIVE_INFINITY) < logMs) return;
    this.logged.set(home, now);
    this.others?.logger.warn(
      { gateway: home },
      'gateway does not answer; its limits are counted by each gateway alone',
    );
  }
}

/** The homes of a service with one gateway. */
export const soleHome = new Homes();
