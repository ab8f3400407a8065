/**
 * Announces to other nodes which snapshots a node offers, and transfers snapshots between nodes in pieces
 * (`docs/architecture.md` decisions 48 and 49). Both use core NATS: a stream would replicate a whole store through the
 * journal's servers and their disks.
 */
import type { Subscription } from 'nats';
import type { PartitionName } from '../foundation/partition-names.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { positionsSubject, snapshotSubject } from './subjects.ts';

/** Maximum size of a piece, in bytes. */
export const pieceBytes = 1_048_576;
/** How long a node waits for a piece, in milliseconds. The sender may delay a piece to keep its pace. */
const pieceMs = 5000;

/** A snapshot that a node offers. `created` identifies the stream that the snapshot continues. */
export interface OfferedSnapshot {
  created: string;
  epoch: number;
  seq: number;
  bytes: number;
  sha256: string;
}

/**
 * The end of the padding that was enqueued after an erasure. When the stream begins behind `seq`, no block of the journal
 * contains bytes that the first `erasures` erasures have erased.
 */
export interface Padded {
  created: string;
  erasures: number;
  seq: number;
}

/** The state of a partition on a node. */
export interface PartitionPosition {
  partition: PartitionName;
  /** Identifies the stream that the other fields refer to. */
  created: string;
  /** The last message that is folded. */
  seq: number;
  /** The node needs all messages behind this one: the position of the second newest of its snapshots. */
  holds: number;
  /** The snapshots that the node offers, oldest first. */
  offers: OfferedSnapshot[];
  padded?: Padded;
  /** Digests of the state at positions that ticks have named, oldest first. */
  digests?: readonly NamedDigest[];
}

/** The digest of a partition's state after the message with sequence number `seq`. */
export interface NamedDigest {
  seq: number;
  value: number;
}

/** An announcement of a node. */
export interface Positions {
  /** Whether the node asks the others to announce their positions now. */
  asks: boolean;
  partitions: PartitionPosition[];
  /** Partitions of which this node discards its own state: it waits for a snapshot, or folds the journal from its beginning. */
  conceded?: readonly PartitionName[];
}

/** Announces the positions of this node. An announcement is lost while the connection to the server is lost. */
export function announcePositions({ connection, node }: Journal, positions: Positions): void {
  if (!connection.isClosed()) connection.publish(positionsSubject(node), packMessage(positions));
}

/** Receives the announcements of other nodes. Announcements that cannot be understood are dropped. */
export function hearPositions(
  { connection, node: own }: Journal,
  onHeard: (node: string, positions: Positions) => void,
): Subscription {
  return connection.subscribe(positionsSubject('*'), {
    callback: (error, message) => {
      const node = message?.subject.split('.')[2] ?? '';
      if (error || node === own) return;
      const positions = positionsFrom(message.data);
      if (positions) onHeard(node, positions);
    },
  });
}

/** A request for a piece of the snapshot with this digest. */
export interface PieceRequest {
  sha256: string;
  offset: number;
  length: number;
}

/** Returns the bytes of a piece; undefined if this node does not have the snapshot. */
export type ReadPiece = (request: PieceRequest) => Promise<Uint8Array | undefined>;

/** Answers requests for pieces of the snapshots of a partition. Unsubscribe the returned subscription to stop. */
export function answerPieces({ connection, node }: Journal, partition: PartitionName, read: ReadPiece): Subscription {
  return connection.subscribe(snapshotSubject(node, partition), {
    callback: (error, message) => {
      const request = error ? undefined : requestFrom(message.data);
      if (!request) return;
      void read(request)
        .catch(() => undefined)
        // An empty reply says that there is no such piece.
        .then((bytes) => message.respond(bytes ?? new Uint8Array()))
        // The connection is closing. The other node gets no reply and asks again.
        .catch(() => undefined);
    },
  });
}

/**
 * Asks a node for a piece of a snapshot.
 * @returns the bytes; undefined if the node does not have the piece
 * @throws NatsError if the node does not reply in time
 */
export async function askPiece(
  { connection }: Journal,
  node: string,
  partition: PartitionName,
  request: PieceRequest,
): Promise<Uint8Array | undefined> {
  const reply = await connection.request(snapshotSubject(node, partition), packMessage(request), { timeout: pieceMs });
  return reply.data.byteLength === request.length ? reply.data : undefined;
}

function positionsFrom(bytes: Uint8Array): Positions | undefined {
  const read = unpacked(bytes) as Partial<Positions>;
  if (!Array.isArray(read.partitions) || !read.partitions.every(isPosition)) return undefined;
  const conceded = Array.isArray(read.conceded) ? read.conceded.filter((name) => typeof name === 'string') : [];
  return { asks: read.asks === true, partitions: read.partitions, conceded };
}

function requestFrom(bytes: Uint8Array): PieceRequest | undefined {
  const { sha256, offset, length } = unpacked(bytes) as Partial<PieceRequest>;
  if (!isDigest(sha256) || !isCount(offset) || !isCount(length) || length > pieceBytes) return undefined;
  return { sha256, offset, length };
}

/** Returns the unpacked message; an empty object if it is not one. */
function unpacked(bytes: Uint8Array): object {
  try {
    const read = unpackMessage<unknown>(bytes);
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}

function isPosition(value: unknown): value is PartitionPosition {
  const { partition, created, seq, holds, offers, padded, digests } = (value ?? {}) as Partial<PartitionPosition>;
  if (typeof partition !== 'string' || typeof created !== 'string' || !isCount(seq) || !isCount(holds)) return false;
  if (digests !== undefined && !(Array.isArray(digests) && digests.every(isNamedDigest))) return false;
  return Array.isArray(offers) && offers.every(isOffer) && (padded === undefined || isPadded(padded));
}

function isOffer(value: unknown): value is OfferedSnapshot {
  const { created, epoch, seq, bytes, sha256 } = (value ?? {}) as Partial<OfferedSnapshot>;
  return typeof created === 'string' && isCount(epoch) && isCount(seq) && isCount(bytes) && isDigest(sha256);
}

function isPadded(value: unknown): value is Padded {
  const { created, erasures, seq } = (value ?? {}) as Partial<Padded>;
  return typeof created === 'string' && isCount(erasures) && isCount(seq);
}

function isNamedDigest(value: unknown): value is NamedDigest {
  const { seq, value: digest } = (value ?? {}) as Partial<NamedDigest>;
  return isCount(seq) && isCount(digest);
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
