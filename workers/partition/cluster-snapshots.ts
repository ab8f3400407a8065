/**
 * Takes snapshots of one partition on a node of a cluster, and purges the journal that all nodes share
 * (`docs/architecture.md` decision 49). Each node renews its own store and takes its own snapshots. The lead fills
 * blocks and purges. A purge leaves every message that another node still needs.
 */
import { journalOverrun } from '../../src/foundation/metrics.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { purgeStream, type StreamState, streamState } from '../../src/journal/topology.ts';
import { removeOtherGenerations } from '../../src/store/generation.ts';
import type { Snapshot } from '../../src/store/snapshot.ts';
import { readStreamIdentity } from '../../src/store/tables/meta.ts';
import { countErasures, readTrace, writePadding } from '../../src/store/tables/retention.ts';
import type { PartitionOwner } from './owner.ts';
import type { Peers } from './peers.ts';
import type { Floor } from './purge-floor.ts';
import { fillBlock, markPurged } from './snapshots.ts';

/** The cluster, as seen from the keeper of a partition. */
export interface Company {
  peers: Peers;
  /** Whether this node leads the partition. */
  leads: () => boolean;
}

/** From this share of its maximum size on, any node may purge a stream. A full stream cannot elect a lead. */
export const pressedShare = 0.5;
/** From this share on, a stream is purged although a node that is away needs its messages. */
const overrunShare = 0.75;

/** Takes a snapshot, and purges what no node needs any more. After a sweep, erased data is removed, too. */
export async function snapshotInCluster(owner: PartitionOwner, lane: Lane, company: Company): Promise<Snapshot> {
  const { dataDir, name, logger } = owner.options;
  const { peers, leads } = company;
  const erasures = countErasures(owner.partition);
  if (readTrace(owner.partition, 'renewed') < erasures) await owner.renew();
  if (leads() && isUnfinished(owner) && (peers.paddingOf(owner)?.erasures ?? 0) < erasures)
    await pad(owner, lane, erasures);
  let snapshot = await owner.snapshot();
  // After an erasure, neither of the two newest snapshots may contain the erased data.
  const padded = peers.paddingOf(owner);
  if (isUnfinished(owner) && padded && owner.seq >= padded.seq && !(await peers.areClean(owner, padded)))
    snapshot = await owner.snapshot();
  // The generation that a restored snapshot replaced is not needed any more.
  removeOtherGenerations(dataDir, name);
  await peers.announce();
  await purgeToFloor(owner, company);
  await noteTraceless(owner, peers);
  logger.info({ partition: name, seq: snapshot.seq }, 'snapshot taken');
  return snapshot;
}

/**
 * Does what other nodes have made possible since the last call: takes the snapshots that an erasure waits for, purges
 * up to the new floor, and notes an erasure as complete.
 * @param snapshot takes a snapshot
 */
export async function followCluster(
  owner: PartitionOwner,
  company: Company,
  snapshot: () => Promise<unknown>,
): Promise<void> {
  const { peers } = company;
  const padded = peers.paddingOf(owner);
  const isDue = isUnfinished(owner) && padded && padded.erasures >= countErasures(owner.partition);
  if (isDue && owner.seq >= padded.seq && !(await peers.areClean(owner, padded))) await snapshot();
  await purgeToFloor(owner, company);
  await noteTraceless(owner, peers);
}

/**
 * Purges the stream up to the floor. The lead purges at any time, the other nodes only a stream that fills up. A stream
 * that stays nearly full is purged beyond the position of nodes that are away: they can fetch a snapshot, but a full
 * stream stops every node.
 */
export async function purgeToFloor(owner: PartitionOwner, { peers, leads }: Company): Promise<void> {
  const { journal, name } = owner.options;
  const floor = await peers.floor(owner);
  if (!floor || floor.live === 0) return;
  let state = await streamState(journal, name);
  // The owner notices that its stream was replaced, and then stops.
  if (state.created !== readStreamIdentity(owner.partition)?.created) return;
  if (!leads() && !isOver(state, pressedShare)) return;
  if (floor.all >= state.firstSeq) {
    await purgeStream(journal, name, floor.all);
    state = await streamState(journal, name);
  }
  if (isOver(state, overrunShare) && floor.live >= state.firstSeq) await overrun(owner, floor);
}

/** Purges beyond the position of nodes that are away. */
async function overrun(owner: PartitionOwner, { live, away }: Floor): Promise<void> {
  const { journal, name, logger } = owner.options;
  logger.error({ partition: name, seq: live, away }, 'stream is nearly full: it is purged before nodes that are away');
  journalOverrun.inc({ partition: name });
  await purgeStream(journal, name, live);
}

/** Whether a stream uses more than this share of its maximum size. */
export function isOver({ bytes, maxBytes }: StreamState, share: number): boolean {
  return maxBytes > 0 && bytes > maxBytes * share;
}

/** Whether this node has not removed all bytes of erased data yet. */
function isUnfinished({ partition }: PartitionOwner): boolean {
  return readTrace(partition, 'purged') < countErasures(partition);
}

/** Fills the journal's current block and notes where the padding ends, so that all nodes know what must be purged. */
async function pad(owner: PartitionOwner, lane: Lane, erasures: number): Promise<void> {
  const seq = await fillBlock(owner, lane);
  const identity = readStreamIdentity(owner.partition);
  if (seq === undefined || !identity) return;
  const { partition } = owner;
  await partition.write(() => writePadding(partition, { ...identity, erasures, seq }));
}

/**
 * Notes that no byte of erased data is left on this node: neither in its store, nor in its snapshots, nor in the blocks of
 * the journal. Any node may have purged the journal.
 */
async function noteTraceless(owner: PartitionOwner, peers: Peers): Promise<void> {
  const padded = peers.paddingOf(owner);
  if (!padded || readTrace(owner.partition, 'purged') >= padded.erasures) return;
  if (!(await peers.areClean(owner, padded))) return;
  const { firstSeq, created } = await streamState(owner.options.journal, owner.name);
  if (created === padded.created && firstSeq > padded.seq) await markPurged(owner, padded.erasures);
}
