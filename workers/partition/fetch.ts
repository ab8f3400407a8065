/**
 * Fetches a snapshot of a partition from another node, when this node has no store that the journal can continue
 * (`docs/architecture.md` decision 48).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { snapshotFetchedBytes, snapshotFetches, snapshotFetchProgress } from '../../src/foundation/metrics.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { pieceBytes } from '../../src/journal/snapshots.ts';
import { reaches, type StreamState } from '../../src/journal/topology.ts';
import { BadSnapshotError, IncomingSnapshot } from '../../src/store/incoming-snapshot.ts';
import type { Snapshot } from '../../src/store/snapshot.ts';
import type { PeerSnapshot, Peers } from './peers.ts';

/** Limits of a fetch. Times are in milliseconds. */
export interface FetchLimits {
  /** How long a node that could also replay the journal waits for offers. */
  offersMs: number;
  /** How long a node that cannot do without a snapshot waits for one. */
  waitMs: number;
  /** Pause before a lost piece is asked for again; it doubles with each attempt. */
  retryMs: number;
  /** A snapshot is fetched instead of replaying the journal if it saves more than this number of messages. */
  worthMessages: number;
}

const defaults: FetchLimits = { offersMs: 2000, waitMs: 600_000, retryMs: 250, worthMessages: 5000 };
/** How often a piece is asked for before another node is tried. */
const attempts = 5;
/** Interval between log lines about a fetch, in milliseconds. */
const logMs = 5000;

/** Thrown when a node does not send the pieces of its snapshot. */
class PeerLostError extends Error {}

/**
 * Fetches the newest snapshot that another node offers and the journal can continue.
 * @returns `replay` if the journal can be replayed from its beginning instead, and a snapshot would save little or no
 *   node sends one; undefined if a snapshot is needed but none arrived in time
 */
export async function fetchSnapshot(
  peers: Peers,
  partition: PartitionName,
  stream: StreamState,
  limits: Partial<FetchLimits> = {},
): Promise<Snapshot | 'replay' | undefined> {
  // This node has no state of its own any more, so it does not differ from that of any other node.
  peers.concede(partition);
  const fetching = new Fetching(peers, partition, stream, { ...defaults, ...limits });
  try {
    return await fetching.run();
  } finally {
    await fetching.close();
    peers.onWaiting(partition, undefined);
    snapshotFetchProgress.remove({ partition });
  }
}

class Fetching {
  private readonly peers: Peers;
  private readonly partition: PartitionName;
  private readonly limits: FetchLimits;
  private stream: StreamState;
  /**
   * Whether the journal alone cannot rebuild the partition: it begins too late, or an earlier stream contained a part of
   * the records.
   */
  private isNeeded: boolean;
  /** Snapshots that were refused, and how often each node has failed. */
  private readonly refused = new Set<string>();
  private readonly failures = new Map<string, number>();
  /** What was received of a snapshot whose node stopped to send it. */
  private partial: { sha256: string; incoming: IncomingSnapshot } | undefined;

  constructor(peers: Peers, partition: PartitionName, stream: StreamState, limits: FetchLimits) {
    this.peers = peers;
    this.partition = partition;
    this.stream = stream;
    this.isNeeded = stream.firstSeq > 1;
    this.limits = limits;
  }

  async run(): Promise<Snapshot | 'replay' | undefined> {
    const { peers, partition, limits } = this;
    let started = performance.now();
    const after = () => performance.now() - started;
    let loggedAt = Number.NEGATIVE_INFINITY;
    let askedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      if (after() - askedAt > Math.min(limits.offersMs, logMs)) {
        askedAt = after();
        await peers.announce(true);
      }
      this.isNeeded ||= this.peers.offersOf(partition).some(({ offer }) => this.isEarlier(offer));
      const { isNeeded } = this;
      // The first offer that arrives is not always the best one.
      const candidate = after() < limits.offersMs / 4 ? undefined : this.candidate();
      if (candidate && (isNeeded || candidate.offer.seq > limits.worthMessages)) {
        const snapshot = await this.tryFetch(candidate);
        if (snapshot) return snapshot;
        // The wait for an offer begins anew. Offers that were heard before are still known.
        started = performance.now() - limits.offersMs;
        [loggedAt, askedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
        continue;
      }
      if (after() > (isNeeded ? limits.waitMs : limits.offersMs)) return isNeeded ? undefined : 'replay';
      if (isNeeded && after() - loggedAt > logMs * 6) {
        loggedAt = after();
        peers.onWaiting(partition, `${partition}: waits for a snapshot of another node`);
        peers.logger.warn({ partition }, 'partition waits for a snapshot of another node');
      }
      await pause(100);
    }
  }

  /** Removes what was received in vain. */
  async close(): Promise<void> {
    await this.partial?.incoming.abandon();
  }

  /** Whether the state of a snapshot comes from an earlier stream, at least in part. */
  private isEarlier({ created, epoch, seq }: PeerSnapshot['offer']): boolean {
    return epoch > 0 || (seq > 0 && created !== this.stream.created);
  }

  /** Returns the snapshot to try next: of the nodes with the fewest failures, the one that is ahead of the others. */
  private candidate(): PeerSnapshot | undefined {
    const failuresOf = ({ node }: PeerSnapshot) => this.failures.get(node) ?? 0;
    return this.peers
      .offersOf(this.partition)
      .filter((each) => this.reaches(each) && !this.refused.has(idOf(each)))
      .filter((each) => this.isNeeded || failuresOf(each) === 0)
      .sort((a, b) => failuresOf(a) - failuresOf(b) || b.offer.epoch - a.offer.epoch || b.offer.seq - a.offer.seq)[0];
  }

  /** Whether the stream contains every message after the snapshot. A snapshot of an earlier stream needs all of it. */
  private reaches({ offer }: PeerSnapshot): boolean {
    return reaches(offer.created === this.stream.created ? offer.seq : 0, this.stream);
  }

  /** Fetches a snapshot. Returns undefined after a failure, which is remembered. */
  private async tryFetch(candidate: PeerSnapshot): Promise<Snapshot | undefined> {
    const { peers, partition, failures } = this;
    const { node, offer } = candidate;
    peers.hold(partition, this.stream.created, offer.created === this.stream.created ? offer.seq : 0);
    try {
      const snapshot = await this.fetch(candidate);
      this.stream = await peers.stream(partition);
      if (!this.reaches(candidate)) throw new PeerLostError('the journal was purged beyond it meanwhile');
      snapshotFetches.inc({ partition, outcome: 'used' });
      return snapshot;
    } catch (error) {
      const isBad = error instanceof BadSnapshotError;
      if (isBad) this.refused.add(idOf(candidate));
      failures.set(node, (failures.get(node) ?? 0) + 1);
      snapshotFetches.inc({ partition, outcome: isBad ? 'refused' : 'lost' });
      peers.logger.error(
        { partition, node, seq: offer.seq, reason: (error as Error).message },
        isBad ? 'snapshot of another node is refused' : 'snapshot of another node could not be fetched',
      );
      // A full disk, or the only node that offers a snapshot, needs time.
      await pause(Math.min(this.limits.retryMs * 2 ** (failures.get(node) ?? 0), 10_000));
      return undefined;
    }
  }

  /** Receives a snapshot. What was received stays if the node is lost, and the next fetch of this snapshot continues. */
  private async fetch(candidate: PeerSnapshot): Promise<Snapshot> {
    const { sha256 } = candidate.offer;
    const incoming = await this.begin(candidate.offer);
    try {
      await this.receive(candidate, incoming);
      return await incoming.finish();
    } catch (error) {
      if (error instanceof PeerLostError) this.partial = { sha256, incoming };
      else await incoming.abandon();
      throw error;
    }
  }

  private async begin(offer: PeerSnapshot['offer']): Promise<IncomingSnapshot> {
    const { partial } = this;
    this.partial = undefined;
    if (partial?.sha256 === offer.sha256) return partial.incoming;
    await partial?.incoming.abandon();
    return IncomingSnapshot.begin(this.peers.dataDir, this.partition, offer);
  }

  private async receive(candidate: PeerSnapshot, incoming: IncomingSnapshot): Promise<void> {
    const { peers, partition } = this;
    const { node, offer } = candidate;
    const [started, from] = [performance.now(), incoming.offset];
    let loggedAt = Number.NEGATIVE_INFINITY;
    while (incoming.offset < offer.bytes) {
      const length = Math.min(pieceBytes, offer.bytes - incoming.offset);
      await incoming.add(await this.piece(candidate, incoming.offset, length));
      snapshotFetchedBytes.inc({ partition }, length);
      snapshotFetchProgress.set({ partition }, incoming.offset / offer.bytes);
      const now = performance.now();
      if (now - loggedAt < logMs && incoming.offset < offer.bytes) continue;
      loggedAt = now;
      const percent = Math.floor((100 * incoming.offset) / offer.bytes);
      const mbPerSecond = Math.round((incoming.offset - from) / (now - started) / 100) / 10;
      peers.onWaiting(partition, `${partition}: fetches a snapshot of node ${node}, ${percent} %`);
      peers.logger.info({ partition, node, seq: offer.seq, percent, mbPerSecond }, 'snapshot is fetched');
    }
  }

  /** Asks for a piece until it arrives. A lost reply costs one piece, not what was received before. */
  private async piece({ node, offer }: PeerSnapshot, offset: number, length: number): Promise<Uint8Array> {
    const { peers, partition, limits } = this;
    for (let attempt = 1; ; attempt++) {
      try {
        const piece = await peers.piece(node, partition, { sha256: offer.sha256, offset, length });
        if (piece) return piece;
        throw new PeerLostError(`node ${node} does not have the snapshot any more`);
      } catch (error) {
        if (error instanceof PeerLostError) throw error;
        if (attempt === attempts) throw new PeerLostError(`node ${node} does not answer: ${(error as Error).message}`);
        await pause(limits.retryMs * 2 ** attempt);
      }
    }
  }
}

function idOf({ node, offer }: PeerSnapshot): string {
  return `${node} ${offer.sha256}`;
}
