/**
 * Exchanges positions and snapshots with the other nodes of a cluster (`docs/architecture.md` decisions 48 and 49). A
 * worker announces its partitions every few seconds, remembers what other nodes announce, and sends them pieces of its
 * snapshots. Everything that is heard is kept in memory only.
 */
import { onInterval } from '../../src/foundation/intervals.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { Pace } from '../../src/foundation/pace.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { JournalHoleError } from '../../src/journal/follow.ts';
import {
  announcePositions,
  answerPieces,
  askPiece,
  hearPositions,
  type NamedDigest,
  type OfferedSnapshot,
  type Padded,
  type PartitionPosition,
  type PieceRequest,
  type Positions,
} from '../../src/journal/snapshots.ts';
import { type StreamState, streamState } from '../../src/journal/topology.ts';
import type { Partition } from '../../src/store/partition.ts';
import { SnapshotCatalogue, type SnapshotFacts, SnapshotPieces } from '../../src/store/snapshot-offers.ts';
import { readStreamIdentity, type StreamIdentity } from '../../src/store/tables/meta.ts';
import { readPadding } from '../../src/store/tables/retention.ts';
import { comparable } from './digests.ts';
import { type Floor, PurgeFloor } from './purge-floor.ts';

/** What a worker needs to exchange positions. Times are in milliseconds. */
export interface PeersOptions {
  journal: Journal;
  dataDir: string;
  logger: Logger;
  /** Called when a partition begins to wait for a snapshot of another node, and with `undefined` when the wait ends. */
  onWaiting?: (partition: PartitionName, state: string | undefined) => void;
  /** Monotonic clock. */
  now?: () => number;
  announceMs?: number;
  /** Maximum rate at which this worker sends pieces of snapshots. */
  bytesPerSecond?: number;
}

/** The owner of a partition, as far as other nodes must know it. */
interface Owner {
  readonly name: PartitionName;
  readonly partition: Partition;
  readonly seq: number;
  /** Digests of the state at positions where the states of nodes are compared. */
  readonly named: readonly NamedDigest[];
}

/** Compares the state of a partition with what other nodes announce. */
interface Comparison {
  readonly state: string;
  compare(): void;
  conceded(node: string): void;
}

/** A snapshot that another node offers. */
export interface PeerSnapshot {
  node: string;
  offer: OfferedSnapshot;
}

/** Interval between announcements. */
const defaultAnnounceMs = 5000;
/** A snapshot is not offered any more if its node was not heard for this time. */
const offeredMs = 30_000;
/** Other nodes serve webhooks from the same disk and network. */
const defaultBytesPerSecond = 25_000_000;

/** A partition whose owner runs. */
interface Served {
  owner: Owner;
  /** Identifies the stream that the owner folds. */
  created: string;
  /** Undefined only in a test. */
  standing: Comparison | undefined;
  catalogue: SnapshotCatalogue;
  pieces: SnapshotPieces;
  stop(): Promise<void>;
}

export class Peers {
  readonly dataDir: string;
  readonly logger: Logger;
  readonly onWaiting: NonNullable<PeersOptions['onWaiting']>;
  private readonly journal: Journal;
  private readonly now: () => number;
  private readonly pace: Pace;
  private readonly served = new Map<PartitionName, Served>();
  /** Positions that this node needs while it fetches a snapshot. */
  private readonly fetching = new Map<PartitionName, PartitionPosition>();
  private readonly floors = new Map<PartitionName, PurgeFloor>();
  private readonly offers = new Map<PartitionName, Map<string, { at: number; offers: OfferedSnapshot[] }>>();
  private readonly paddings = new Map<PartitionName, Padded>();
  private readonly digests = new Map<PartitionName, Map<string, readonly NamedDigest[]>>();
  /** Partitions of which this node discards its state. */
  private readonly conceding = new Set<PartitionName>();
  private readonly ends: (() => void)[] = [];
  private announcing: Promise<void> | undefined;
  /** The announcement that follows the one under way. */
  private next: { asks: boolean } | undefined;

  /** @param names the partitions of this worker */
  constructor(names: readonly PartitionName[], options: PeersOptions) {
    const { journal, announceMs = defaultAnnounceMs } = options;
    this.journal = journal;
    this.dataDir = options.dataDir;
    this.logger = options.logger;
    this.onWaiting = options.onWaiting ?? (() => {});
    this.now = options.now ?? (() => performance.now());
    this.pace = new Pace(options.bytesPerSecond ?? defaultBytesPerSecond);
    for (const name of names) this.floors.set(name, new PurgeFloor(this.now));
    const hearing = hearPositions(journal, (node, positions) => this.hear(node, positions));
    journal.onReconnect(() => {
      for (const floor of this.floors.values()) floor.restart();
    });
    this.ends.push(
      () => hearing.unsubscribe(),
      onInterval(announceMs, () => void this.turn()),
    );
  }

  /**
   * Begins to announce a partition and to send its snapshots.
   * @param standing compares the state with that of the other nodes. Snapshots are offered only while it is sound
   */
  serve(owner: Owner, standing?: Comparison): void {
    const { dataDir, journal } = this;
    const catalogue = new SnapshotCatalogue(dataDir, owner.name);
    const pieces = new SnapshotPieces(dataDir, owner.name);
    const answers = answerPieces(journal, owner.name, async ({ sha256, offset, length }) => {
      if (!isSound(standing)) return undefined;
      const piece = await pieces.read(sha256, offset, length);
      if (piece) await this.pace.take(length);
      return piece;
    });
    const stop = async () => {
      answers.unsubscribe();
      await pieces.close();
    };
    const created = readStreamIdentity(owner.partition)?.created ?? '';
    this.served.set(owner.name, { owner, created, standing, catalogue, pieces, stop });
    this.conceding.delete(owner.name);
    this.fetching.delete(owner.name);
    void this.announce();
  }

  /** Ends the announcements of a partition. Other nodes then wait for this node as for one that is away. */
  async leave(name: PartitionName): Promise<void> {
    const served = this.served.get(name);
    this.served.delete(name);
    await served?.stop();
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    for (const name of [...this.served.keys()]) await this.leave(name);
    await this.announcing;
  }

  /**
   * Announces the positions of this node now. Calls during an announcement share the next one.
   * @param asks whether the other nodes should announce theirs too
   */
  async announce(asks = false): Promise<void> {
    this.next = { asks: asks || this.next?.asks === true };
    this.announcing ??= this.announceNext().finally(() => {
      this.announcing = undefined;
    });
    return this.announcing;
  }

  /** Says which message this node needs first while it fetches a snapshot, so that no other node purges it. */
  hold(partition: PartitionName, created: string, seq: number): void {
    this.fetching.set(partition, { partition, created, seq: 0, holds: seq, offers: [] });
    void this.announce();
  }

  /** Says that this node discards its state of a partition, until it serves the partition again. */
  concede(partition: PartitionName): void {
    this.conceding.add(partition);
    void this.announce();
  }

  /** Returns the digests of a partition that other nodes have announced. */
  digestsOf(partition: PartitionName): ReadonlyMap<string, readonly NamedDigest[]> {
    return this.digests.get(partition) ?? new Map();
  }

  /** Notes a digest that a node names in a tick. The next announcement of the node replaces it. */
  note(partition: PartitionName, node: string, digest: NamedDigest): void {
    const known = this.digestsOf(partition).get(node) ?? [];
    this.setDigests(partition, node, [...known.filter(({ seq }) => seq !== digest.seq), digest].slice(-comparable));
  }

  /**
   * Returns how far the stream of a partition may be purged; undefined while this node has not listened for long enough.
   */
  async floor(owner: Owner): Promise<Floor | undefined> {
    const identity = readStreamIdentity(owner.partition);
    if (!identity) return undefined;
    return this.floors.get(owner.name)?.of(identity.created, await this.holdsOf(owner));
  }

  /** Returns the position of the second newest snapshot of this node in the stream; 0 if there are fewer than two. */
  async holdsOf(owner: Owner): Promise<number> {
    return heldBy(owner, await this.newest(owner));
  }

  /** Whether both newest snapshots of this node contain a message, and no bytes of the first `erasures` erasures. */
  async areClean(owner: Owner, { erasures, seq }: Padded): Promise<boolean> {
    const newest = await this.newest(owner);
    return newest.length === 2 && (await this.holdsOf(owner)) >= seq && newest.every(({ clean }) => clean >= erasures);
  }

  /** Returns the newest padding of a partition's stream that this node knows, its own or that of another node. */
  paddingOf({ name, partition }: Owner): Padded | undefined {
    const { created, epoch } = readStreamIdentity(partition) ?? ({} as Partial<StreamIdentity>);
    const own = readPadding(partition);
    const heard = this.paddings.get(name);
    const known = [own?.epoch === epoch ? own : undefined, heard].filter((each) => each?.created === created);
    return known.sort((a, b) => (b?.erasures ?? 0) - (a?.erasures ?? 0))[0];
  }

  /** Returns the snapshots of a partition that other nodes offer now. */
  offersOf(partition: PartitionName): PeerSnapshot[] {
    return [...(this.offers.get(partition) ?? [])].flatMap(([node, { at, offers }]) =>
      this.now() - at > offeredMs ? [] : offers.map((offer) => ({ node, offer })),
    );
  }

  /** Asks a node for a piece of a snapshot; see `askPiece`. */
  piece(node: string, partition: PartitionName, request: PieceRequest): Promise<Uint8Array | undefined> {
    return askPiece(this.journal, node, partition, request);
  }

  /** Reads the current state of a partition's stream. */
  stream(partition: PartitionName): Promise<StreamState> {
    return streamState(this.journal, partition);
  }

  /** Whether a partition stopped because its journal was purged beyond its position: a snapshot can replace its store. */
  async isOvertaken(partition: PartitionName, error: Error): Promise<boolean> {
    if (!(error instanceof JournalHoleError)) return false;
    const stream = await this.stream(partition).catch(() => undefined);
    return stream !== undefined && stream.firstSeq > error.expected;
  }

  private newest({ name }: Owner): Promise<SnapshotFacts[]> {
    const served = this.served.get(name);
    return served ? served.catalogue.list().then((all) => all.slice(-2)) : Promise.resolve([]);
  }

  private setDigests(partition: PartitionName, node: string, digests: readonly NamedDigest[]): void {
    const known = this.digests.get(partition) ?? new Map<string, readonly NamedDigest[]>();
    known.set(node, digests);
    this.digests.set(partition, known);
  }

  private hear(node: string, { asks, partitions, conceded = [] }: Positions): void {
    for (const partition of conceded) {
      if (!this.floors.has(partition)) continue;
      this.setDigests(partition, node, []);
      this.offers.get(partition)?.delete(node);
      this.served.get(partition)?.standing?.conceded(node);
    }
    for (const position of partitions) {
      const { partition, offers, padded, digests = [] } = position;
      const floor = this.floors.get(partition);
      if (!floor) continue;
      floor.hear(node, position);
      const known = this.offers.get(partition) ?? new Map();
      known.set(node, { at: this.now(), offers });
      this.offers.set(partition, known);
      if (padded && padded.erasures >= (this.paddings.get(partition)?.erasures ?? 0))
        this.paddings.set(partition, padded);
      const served = this.served.get(partition);
      // The same position in another stream is another message.
      this.setDigests(partition, node, served?.created === position.created ? digests : []);
      served?.standing?.compare();
    }
    if (asks) void this.announce();
  }

  /** Announces the positions at the interval. */
  private async turn(): Promise<void> {
    for (const floor of this.floors.values()) floor.stir();
    for (const { pieces } of this.served.values()) await pieces.closeIdle();
    await this.announce();
  }

  private async announceNext(): Promise<void> {
    for (let next = this.next; next; next = this.next) {
      this.next = undefined;
      try {
        const positions = await Promise.all([...this.served.values()].map((served) => this.positionOf(served)));
        const partitions = [...positions, ...this.fetching.values()];
        announcePositions(this.journal, { ...next, partitions, conceded: [...this.conceding] });
      } catch (error) {
        this.logger.warn({ err: error }, 'position could not be announced');
      }
    }
  }

  private async positionOf({ owner, created, standing, catalogue }: Served): Promise<PartitionPosition> {
    const snapshots = await catalogue.list();
    const offers = isSound(standing) ? snapshots.map(({ clean: _, ...offer }) => offer) : [];
    const holds = heldBy(owner, snapshots);
    const padded = this.paddingOf(owner);
    return {
      ...{ partition: owner.name, created, seq: owner.seq },
      ...{ holds, offers, digests: owner.named },
      ...(padded && { padded: { created: padded.created, erasures: padded.erasures, seq: padded.seq } }),
    };
  }
}

/** Returns the position of the second newest of an owner's snapshots; 0 if it is not in the owner's stream. */
function heldBy({ partition }: Owner, snapshots: readonly SnapshotFacts[]): number {
  const [older, newer] = snapshots.slice(-2);
  const epoch = readStreamIdentity(partition)?.epoch;
  return older && newer && older.epoch === epoch && newer.epoch === epoch ? older.seq : 0;
}

function isSound(standing: Comparison | undefined): boolean {
  return standing === undefined || standing.state === 'sound';
}
