/**
 * Who is next for a render thread. Organisations take turns, and each holds one thread at most, so that none waits for all that another
 * has asked for. Within an organisation questions come before effects: somebody waits for their answers.
 */
import { ServiceError } from '../../src/foundation/errors.ts';

/** One task that waits. */
interface Waiter {
  /** When whoever asks is gone, on the clock of `performance.now()`. */
  until: number;
  begin: () => void;
  refuse: (error: ServiceError) => void;
}

/** What one organisation waits for. */
interface Queue {
  questions: Waiter[];
  effects: Waiter[];
}

export class Turns {
  private readonly threads: number;
  private readonly mostWaiting: number;
  /** Organisations that hold a thread. */
  private readonly holding = new Set<string>();
  /** Organisations that wait, in the order of their next turns. */
  private readonly queues = new Map<string, Queue>();
  /** Tasks that wait, of all organisations. */
  waiting = 0;

  /**
   * @param threads tasks at one time
   * @param mostWaiting tasks of one organisation that may wait
   */
  constructor(threads: number, mostWaiting: number) {
    this.threads = threads;
    this.mostWaiting = mostWaiting;
  }

  /**
   * Resolves when the organisation has a thread, which it holds until `give`.
   * @param patienceMs how long whoever asks waits
   * @throws ServiceError `unavailable` when too many tasks of the organisation wait, or whoever asks has gone
   */
  async take(organisation: string, kind: keyof Queue, patienceMs = Number.POSITIVE_INFINITY): Promise<void> {
    // A thread that is free is of no use to those that wait: each of them holds another.
    if (this.holding.size < this.threads && !this.holding.has(organisation)) {
      this.holding.add(organisation);
      return;
    }
    const queue = this.queues.get(organisation) ?? { questions: [], effects: [] };
    if (queue.questions.length + queue.effects.length >= this.mostWaiting) throw busy();
    this.queues.set(organisation, queue);
    const until = performance.now() + patienceMs;
    const taken = new Promise<void>((begin, refuse) => queue[kind].push({ until, begin, refuse }));
    this.waiting += 1;
    await taken;
  }

  /** Gives a thread back; whoever is next has it then. */
  give(organisation: string): void {
    this.holding.delete(organisation);
    while (this.holding.size < this.threads) {
      const next = [...this.queues.keys()].find((each) => !this.holding.has(each));
      if (next === undefined) return;
      this.begin(next);
    }
  }

  /** Gives an organisation its turn, after which it is the last in the order. */
  private begin(organisation: string): void {
    const queue = this.queues.get(organisation) as Queue;
    this.queues.delete(organisation);
    const next = this.nextOf(queue);
    if (queue.questions.length + queue.effects.length > 0) this.queues.set(organisation, queue);
    if (!next) return;
    this.holding.add(organisation);
    next.begin();
  }

  private nextOf({ questions, effects }: Queue): Waiter | undefined {
    const now = performance.now();
    for (;;) {
      const next = questions.shift() ?? effects.shift();
      if (!next) return undefined;
      this.waiting -= 1;
      if (next.until > now) return next;
      next.refuse(busy());
    }
  }
}

/** The refusal of a task that cannot have its turn in time. */
export function busy(): ServiceError {
  return new ServiceError('unavailable', 'All render threads are busy.', { retryAfter: 1 });
}
