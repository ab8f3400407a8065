/**
 * Computes how far the stream of a partition may be purged, from the positions that other nodes announce
 * (`docs/architecture.md` decision 49). This file contains no timers: the caller passes a monotonic clock, because the
 * clocks of two machines are never compared.
 */

/** What a node announces about a partition: it needs all messages of the stream `created` behind `holds`. */
export interface Hold {
  created: string;
  holds: number;
}

/** Up to which message a stream may be purged. 0 allows no purge. */
export interface Floor {
  /** The lowest position of all nodes, including those that are away. */
  all: number;
  /** The lowest position of the nodes that are heard now. */
  live: number;
  /** The nodes that are away and need messages up to `live`. */
  away: string[];
}

/** How long a node is waited for after its last announcement, in milliseconds. */
const waitedForMs = 86_400_000;
/** A node that has announced nothing for this time is away, in milliseconds. */
const awayMs = 60_000;
/** How long this node listens before it purges anything, in milliseconds. Every node that runs is heard meanwhile. */
export const listenMs = 60_000;
/** If this process does nothing for this time, it may have missed announcements and listens again, in milliseconds. */
const stalledMs = 20_000;

export class PurgeFloor {
  private readonly now: () => number;
  private readonly heard = new Map<string, Hold & { at: number }>();
  private listensSince: number;
  private stirredAt: number;

  /** @param now monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.now = now;
    this.listensSince = now();
    this.stirredAt = this.listensSince;
  }

  /** Notes an announcement of another node. */
  hear(node: string, { created, holds }: Hold): void {
    this.heard.set(node, { created, holds, at: this.now() });
  }

  /** Starts to listen again. Must be called after the connection was lost, because announcements may have been missed. */
  restart(): void {
    this.listensSince = this.now();
  }

  /** Must be called regularly. A process that was stopped for a while finds out here that it has heard no other node. */
  stir(): void {
    const now = this.now();
    if (now - this.stirredAt > stalledMs) this.restart();
    this.stirredAt = now;
  }

  /**
   * Returns how far the stream may be purged; undefined while this node has not listened for long enough.
   * @param created identifies the stream
   * @param own the position that this node itself needs
   */
  of(created: string, own: number): Floor | undefined {
    this.stir();
    const now = this.now();
    if (now - this.listensSince < listenMs) return undefined;
    for (const [node, { at }] of this.heard) if (now - at > waitedForMs) this.heard.delete(node);
    // A position in another stream says nothing about this stream. The node will read this stream from its beginning.
    const nodes = [...this.heard].map(([node, hold]) => ({
      node,
      needs: hold.created === created ? hold.holds : 0,
      isAway: now - hold.at > awayMs,
    }));
    const live = Math.min(own, ...nodes.filter(({ isAway }) => !isAway).map(({ needs }) => needs));
    const holding = nodes.filter(({ isAway, needs }) => isAway && needs < live);
    return {
      all: Math.min(live, ...holding.map(({ needs }) => needs)),
      live,
      away: holding.map(({ node }) => node).sort(),
    };
  }
}
