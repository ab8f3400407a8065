/**
 * Measures how long after its 202 reply a delivery can be read on every node of a cluster. Reads the stores of the nodes
 * every two milliseconds, as their gateways do for each request.
 */
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Readers } from '../../../src/store/readers.ts';
import { isFolded } from '../../../src/store/tables/deliveries.ts';
import { afterwards } from '../cleanup.ts';
import type { Nodes } from '../cluster-nodes.ts';
import { waitUntil } from '../wait-until.ts';
import type { Accepted } from './paced-deliveries.ts';

/** A delivery that not all nodes show yet. */
interface Pending extends Accepted {
  /** Number of nodes that do not show it yet. */
  left: number;
}

const pollMs = 2;

export class FollowerLag {
  /** One value per delivery: the time until the last node showed it, in milliseconds. */
  readonly values: number[] = [];
  private readonly stores: readonly { readers: Readers; queues: Map<string, Pending[]> }[];
  private pending = 0;
  private stopped = false;

  /** Begins to watch. Stops when the test ends. */
  constructor(t: TestContext, nodes: Nodes) {
    this.stores = nodes.services.map(({ dataDir }) => ({ readers: new Readers(dataDir), queues: new Map() }));
    const watching = this.watch();
    afterwards(t, async () => {
      this.stopped = true;
      await watching;
      for (const { readers } of this.stores) await readers.close();
    });
  }

  /** Adds a delivery that was accepted. */
  add(accepted: Accepted): void {
    const pending = { ...accepted, left: this.stores.length };
    this.pending += 1;
    for (const { queues } of this.stores) {
      const queue = queues.get(accepted.partition);
      if (queue) queue.push(pending);
      else queues.set(accepted.partition, [pending]);
    }
  }

  /** Waits until all nodes show all deliveries. Returns the values since the last call. */
  async settled(): Promise<number[]> {
    await waitUntil('all nodes show all deliveries', () => this.pending === 0);
    return this.values.splice(0);
  }

  private async watch(): Promise<void> {
    for (; !this.stopped; await pause(pollMs)) {
      for (const { readers, queues } of this.stores) {
        for (const [partition, queue] of queues) if (queue.length > 0) this.look(readers, partition, queue);
      }
    }
  }

  /** A partition is folded in the order of its journal, so one that is missing ends the search. */
  private look(readers: Readers, partition: string, queue: Pending[]): void {
    const store = readers.fresh(partition);
    let shown = 0;
    for (const now = performance.now(); shown < queue.length; shown += 1) {
      const each = queue[shown] as Pending;
      if (!store || !isFolded(store, each.key)) break;
      each.left -= 1;
      if (each.left > 0) continue;
      this.pending -= 1;
      this.values.push(Math.max(0, now - each.at));
    }
    queue.splice(0, shown);
  }
}
