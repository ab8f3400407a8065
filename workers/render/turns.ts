/**
 * Decides which task gets the next render thread. Organizations take turns, and each holds at most one thread, so that
 * no organization waits for all tasks of another. Within an organization, questions come before effects, because a
 * client waits for the answer to a question. Counts come last, also over all organizations: they get a thread that no
 * other task waits for.
 */
import { ServiceError } from '../../src/foundation/errors.ts';

/** A task that waits for a thread. */
interface Waiter {
  /** When the caller stops waiting, in milliseconds of `performance.now()`. */
  until: number;
  begin: () => void;
  refuse: (error: ServiceError) => void;
}

/** The waiting tasks of one organization. */
interface Queue {
  questions: Waiter[];
  effects: Waiter[];
  counts: Waiter[];
}

export type TurnKind = keyof Queue;

export class Turns {
  private readonly threads: number;
  private readonly maxWaiting: number;
  /** Organizations that hold a thread. */
  private readonly holding = new Set<string>();
  /** Organizations that wait, in the order of their next turns. */
  private readonly queues = new Map<string, Queue>();
  /** Number of waiting tasks, over all organizations. */
  waiting = 0;

  /**
   * @param threads maximum number of concurrent tasks
   * @param maxWaiting maximum number of waiting tasks per organization
   */
  constructor(threads: number, maxWaiting: number) {
    this.threads = threads;
    this.maxWaiting = maxWaiting;
  }

  /**
   * Resolves when the organization has a thread. The organization holds the thread until `free` is called.
   * @param maxWaitMs how long the caller waits, in milliseconds
   * @throws ServiceError `unavailable` when too many tasks of the organization wait, or the caller has stopped waiting
   */
  async take(organization: string, kind: TurnKind, maxWaitMs = Number.POSITIVE_INFINITY): Promise<void> {
    // When a thread becomes free, `free` gives it to a waiting organization that holds no thread. If a thread is still
    // free here, every waiting organization already holds a thread, and `organization` need not wait.
    if (this.holding.size < this.threads && !this.holding.has(organization)) {
      this.holding.add(organization);
      return;
    }
    const queue = this.queues.get(organization) ?? { questions: [], effects: [], counts: [] };
    // Counts take no place of other tasks. An organization has at most one per partition.
    if (kind !== 'counts' && queue.questions.length + queue.effects.length >= this.maxWaiting) throw busy();
    this.queues.set(organization, queue);
    const until = performance.now() + maxWaitMs;
    const taken = new Promise<void>((begin, refuse) => queue[kind].push({ until, begin, refuse }));
    this.waiting += 1;
    await taken;
  }

  /** Ends an organization's use of its thread. The next organization in the order gets the thread. */
  free(organization: string): void {
    this.holding.delete(organization);
    while (this.holding.size < this.threads) {
      const next = this.nextOrganization();
      if (next === undefined) return;
      this.begin(next);
    }
  }

  /** Gives an organization its turn and moves it to the end of the order. */
  private begin(organization: string): void {
    const queue = this.queues.get(organization) as Queue;
    this.queues.delete(organization);
    const next = this.nextOf(queue);
    if (queue.questions.length + queue.effects.length + queue.counts.length > 0) this.queues.set(organization, queue);
    if (!next) return;
    this.holding.add(organization);
    next.begin();
  }

  /** Returns the organization whose turn is next: the first that waits for more than counts, or else the first. */
  private nextOrganization(): string | undefined {
    let onlyCounts: string | undefined;
    for (const [organization, { questions, effects }] of this.queues) {
      if (this.holding.has(organization)) continue;
      if (questions.length + effects.length > 0) return organization;
      onlyCounts ??= organization;
    }
    return onlyCounts;
  }

  private nextOf({ questions, effects, counts }: Queue): Waiter | undefined {
    const now = performance.now();
    for (;;) {
      const next = questions.shift() ?? effects.shift() ?? counts.shift();
      if (!next) return undefined;
      this.waiting -= 1;
      if (next.until > now) return next;
      next.refuse(busy());
    }
  }
}

/** Returns the error of a task that cannot get its turn in time. */
export function busy(): ServiceError {
  return new ServiceError('unavailable', 'All render threads are busy.', { retryAfter: 1 });
}
