/**
 * Compares the acknowledgements that a load on a cluster got with what the nodes and the receiver have afterwards: nothing
 * that was acknowledged may be lost, and nothing may be doubled.
 */
import assert from 'node:assert/strict';

/** The acknowledgements of the load, and what was found. */
export interface Findings {
  /** Deliveries that were acknowledged. */
  acked: readonly string[];
  /** The deliveries that each node has. */
  stored: ReadonlyMap<string, ReadonlySet<string>>;
  /** Number of edits that were sent, and number of revisions that they have made, by draft. */
  edits: ReadonlyMap<string, { sent: number; acked: number; made: number }>;
  /** Number of publications that completed. */
  completed: number;
  /** The items that the receiver has. */
  items: readonly string[];
}

/** Promises that were broken. */
export interface LoadFaults {
  /** Acknowledged deliveries that a node does not have, and acknowledged edits that made no revision. */
  lost: string[];
  /** Edits that have made more than one revision. */
  foldedTwice: string[];
  /** Items that the receiver has more than once. */
  doubled: string[];
  /** Number of completed publications that the receiver does not have. */
  undelivered: number;
}

/** Finds broken promises. */
export function checkLoad({ acked, stored, edits, completed, items }: Findings): LoadFaults {
  const lost = [...stored].flatMap(([node, has]) =>
    acked.filter((delivery) => !has.has(delivery)).map((delivery) => `${delivery} on ${node}`),
  );
  const foldedTwice: string[] = [];
  for (const [draft, { sent, acked: edited, made }] of edits) {
    if (made < edited) lost.push(`${edited - made} edits of ${draft}`);
    if (made > sent) foldedTwice.push(`${made - sent} edits of ${draft}`);
  }
  const once = new Set<string>();
  const doubled: string[] = [];
  for (const item of items) {
    if (once.has(item)) doubled.push(item);
    once.add(item);
  }
  return { lost, foldedTwice, doubled, undelivered: Math.max(0, completed - once.size) };
}

/** Asserts that no promise was broken. */
export function assertLoad(faults: LoadFaults): void {
  assert.deepEqual(faults, { lost: [], foldedTwice: [], doubled: [], undelivered: 0 });
}
