/**
 * Sends and receives the `folded` signal. After each commit, a partition's owner broadcasts the sequence of the last
 * folded journal message. When the gateway has enqueued a command, the gateway waits until the command's sequence is
 * folded, and then reads the result (`docs/architecture.md` decision 21). Signals use core NATS and can be lost. So a
 * process that waits for a signal also checks the store from time to time.
 */
import type { Subscription } from 'nats';
import type { PartitionName } from '../foundation/partition-names.ts';
import { packMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { receiveMessages } from './messages.ts';
import { foldedSubject } from './subjects.ts';

/** The last sequence that a partition has folded (`seq`), and the generation of the partition's store. */
export interface Folded {
  partition: PartitionName;
  generation: number;
  seq: number;
  /** The time of the machine's clock as of which the state is current. Absent on one machine, or if it is not known. */
  asOf?: number;
  /** Set while the state must not be served, because it differs from the state of other nodes. */
  withdrawn?: true;
}

/** Broadcasts that a partition has folded up to `seq`. */
export function publishFolded(journal: Journal, folded: Folded): void {
  if (!journal.connection.isClosed())
    journal.connection.publish(foldedSubject(journal.node, folded.partition), packMessage(folded));
}

interface Waiter {
  seq: number;
  wake: () => void;
}

/** Receives the `folded` signals of all partitions of this node. A process needs only one instance of this class. */
export class FoldedSignals {
  private readonly waiters = new Map<PartitionName, Waiter[]>();
  private readonly subscription: Subscription;
  private readonly onFolded: (folded: Folded) => void;

  constructor(journal: Journal, onFolded: (folded: Folded) => void = () => {}) {
    this.onFolded = onFolded;
    this.subscription = receiveMessages<Folded>(journal.connection, foldedSubject(journal.node, '*'), (folded) =>
      this.arrived(folded),
    );
  }

  /**
   * Waits until a signal reports that `seq` is folded, or until `ms` milliseconds have passed. The end of the wait does
   * not prove that `seq` is folded: the caller must check the store.
   */
  wait(partition: PartitionName, seq: number, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.waiters.get(partition) ?? [];
      this.waiters.set(partition, waiters);
      const timer = setTimeout(() => waiter.wake(), ms);
      const waiter: Waiter = {
        seq,
        wake: () => {
          clearTimeout(timer);
          const at = waiters.indexOf(waiter);
          if (at >= 0) waiters.splice(at, 1);
          resolve();
        },
      };
      waiters.push(waiter);
    });
  }

  close(): void {
    this.subscription.unsubscribe();
    for (const waiters of this.waiters.values()) for (const waiter of [...waiters]) waiter.wake();
  }

  private arrived(folded: Folded): void {
    this.onFolded(folded);
    const waiters = this.waiters.get(folded.partition);
    if (!waiters) return;
    for (const waiter of waiters.filter((candidate) => candidate.seq <= folded.seq)) waiter.wake();
  }
}
