/**
 * Runs work about a key in the gateway that the key belongs to, its home. So a limit stays exact over several gateways,
 * because one of them counts. If the home is this gateway, it is called directly. Otherwise it is asked over the
 * journal's server. A single gateway asks no other (`docs/architecture.md` decision 27).
 */
import type { Logger } from '../foundation/logger.ts';
import type { Link } from '../journal/link.ts';
import type { Members } from './members.ts';
import { type Answer, askMs, Peer, type Question } from './peer.ts';
import { homeAmong, type Weighed, weighed } from './rendezvous.ts';

type Work = (question: unknown) => unknown;

/** How long to wait for the home where a wrong result would be stored, in milliseconds. */
export const storedMs = 2000;
/** Minimum interval between two log lines about questions that failed, in milliseconds. */
const logMs = 1000;

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
  private peers: ReadonlyMap<string, Peer> = new Map();
  private loggedAt = Number.NEGATIVE_INFINITY;

  /** @param others undefined if this is the only gateway */
  constructor(others?: Others) {
    this.others = others;
    if (!others) return;
    const { members, link } = others;
    this.update(others);
    members.onChange(() => {
      this.update(others);
      for (const callback of this.changed) callback();
    });
    members.onHeard((id) => this.peers.get(id)?.heard());
    link.onAsked(members.self, (questions) => this.answers(questions));
  }

  /** Whether this is the only gateway of its service. Then every home is here. */
  get isSole(): boolean {
    return this.others === undefined;
  }

  /** Whether this gateway is the home of a key. */
  isHere(key: string): boolean {
    return this.peerOf(key) === undefined;
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
      const home = this.peerOf(key);
      if (!home) return work(question);
      const alone = (): A => {
        this.others?.onAlone();
        return work(question);
      };
      if (ms !== undefined) return home.askFor<A>({ about, with: question }, ms).catch(alone);
      return home.isSilent ? alone() : home.ask<A>({ about, with: question }).catch(alone);
    };
  }

  /** Asks all other gateways. Returns the answers of those that answer in time. Silent ones are not asked. */
  async askOthers<A>(about: string, question: unknown, ms = askMs): Promise<A[]> {
    const asked = [...this.peers.values()].filter(({ isSilent }) => !isSilent);
    const answers = await Promise.allSettled(asked.map((peer) => peer.askFor<A>({ about, with: question }, ms)));
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  /** Returns the home of a key; undefined if it is this gateway. */
  private peerOf(key: string): Peer | undefined {
    if (!this.others) return undefined;
    return this.peers.get(homeAmong(this.live, key) as string);
  }

  private update({ members, link, logger }: Others): void {
    const ids = members.list();
    this.live = weighed(ids);
    const others = ids.filter((id) => id !== members.self);
    this.peers = new Map(others.map((id) => [id, this.peers.get(id) ?? new Peer(id, link, logger)]));
  }

  /** Answers the questions of another gateway. */
  private async answers(questions: unknown): Promise<Answer[]> {
    return Promise.all((questions as unknown[]).map((question) => this.answer(question)));
  }

  private async answer(question: unknown): Promise<Answer> {
    try {
      const { about, with: given } = question as Question;
      const work = this.works.get(about);
      if (!work) throw new Error('unknown question');
      return { value: await work(given) };
    } catch (error) {
      this.failed(error);
      return null;
    }
  }

  private failed(error: unknown): void {
    const now = performance.now();
    if (now - this.loggedAt < logMs) return;
    this.loggedAt = now;
    this.others?.logger.error({ err: error }, 'question of another gateway failed');
  }
}

/** The homes of a service with one gateway. */
export const soleHome = new Homes();
