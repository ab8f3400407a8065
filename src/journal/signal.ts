/**
 * The `folded` signal: after each commit a partition's owner says how far it has folded; the gateway waits for the
 * sequence of its PubAck before it reads a command's result (`docs/architecture.md` decision 21). Core NATS, so a signal can be lost:
 * a waiter also looks for itself from time to time.
 */
import type { Subscription } from 'nats';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { foldedSubject, type PartitionName } from './subjects.ts';

/** How far a partition has folded, in which generation of its store. */
export interface Folded {
  partition: PartitionName;
  generation: number;
  seq: number;
}

/** Broadcasts that a partition has folded up to `seq`. */
export function publishFolded(journal: Journal, folded: Folded): void {
  if (!journal.connection.isClosed()) journal.connection.publish(foldedSubject(folded.partition), packMessage(folded));
}

interface Waiter {
  seq: number;
  wake: () => void;
}

/** Follows the signals of all partitions; one a process. */
export class FoldedSignals {
  private readonly waiters = new Map<PartitionName, Waiter[]>();
  private readonly subscription: Subscription;
  private readonly onFolded: (folded: Folded) => void;

  constructor(journal: Journal, onFolded: (folded: Folded) => void = () => {}) {
    this.onFolded = onFolded;
    this.subscription = journal.connection.subscribe(foldedSubject('*'), {
      callback: (error, message) => {
        if (!error) this.arrived(unpackMessage<Folded>(message.data));
      },
    });
  }

  /**
   * Waits until the signal says `seq` is folded, or until `ms` have passed.
   * A wake-up is a hint, not a proof: the caller looks whether what it waits for is there.
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
