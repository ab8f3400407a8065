/**
 * Takes snapshots of one partition and purges the journal. After a sweep has erased data, every byte of that data is
 * also removed from three places: the store's file, older snapshots and the journal's blocks (`docs/architecture.md`
 * decision 17). If a kill interrupts this work, the next snapshot completes it.
 */
import { ulid } from '../../src/foundation/ids.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { blockBytesOf, purgeStream, streamState } from '../../src/journal/topology.ts';
import { removeOtherGenerations } from '../../src/store/generation.ts';
import { listSnapshots, type Snapshot } from '../../src/store/snapshot.ts';
import { countErasures, readTrace, writeTrace } from '../../src/store/tables/retention.ts';
import type { PartitionOwner } from './owner.ts';

/** Size of one padding, in bytes. It is small enough to be enqueued under any settings. */
const paddingBytes = 60_000;
const foldMs = 60_000;
/**
 * Maximum share of the stream's size that may be in use after `fillBlock`. If filling the current block would exceed
 * this share, the stream is purged first, and the next snapshot completes the work.
 */
const fullShare = 0.75;

/**
 * Takes a snapshot. Then purges the messages that each of the two newest snapshots contains. After a sweep, these steps
 * also remove everything that remains of the erased data.
 */
export async function snapshotAndPurge(owner: PartitionOwner, lane: Lane): Promise<Snapshot> {
  const { dataDir, name, logger } = owner.options;
  const erasures = countErasures(owner.partition);
  if (readTrace(owner.partition, 'renewed') < erasures) await owner.renew();
  const isTraceless = readTrace(owner.partition, 'purged') >= erasures || (await fillBlock(owner, lane)) !== undefined;
  if (readTrace(owner.partition, 'purged') < erasures) await snapshotBefore(owner, lane);
  const snapshot = await owner.snapshot();
  await purgeCovered(owner);
  // The generation that a restored snapshot replaced is not needed any more.
  removeOtherGenerations(dataDir, name);
  if (isTraceless) await markPurged(owner, erasures);
  logger.info({ partition: name, seq: snapshot.seq }, 'snapshot taken');
  return snapshot;
}

/**
 * Takes an additional snapshot after an erasure, so that neither of the two newest snapshots contains the erased data.
 * Then enqueues a record and waits until the record is folded, so that the next snapshot has a different sequence
 * number. A full stream accepts no record. In that case, the two snapshots have the same sequence number. This is
 * allowed, because a full stream could never be purged without this exception.
 */
async function snapshotBefore(owner: PartitionOwner, lane: Lane): Promise<void> {
  await owner.snapshot();
  const seq = await enqueueTick(lane).catch(() => 0);
  await owner.reach(seq, foldMs);
}

async function purgeCovered(owner: PartitionOwner): Promise<void> {
  const { journal, dataDir } = owner.options;
  const [older, newer] = listSnapshots(dataDir, owner.name).slice(-2);
  // A snapshot of an earlier epoch must not decide what is purged, because its sequence number refers to another
  // record.
  if (older && newer && older.epoch === newer.epoch) await purgeStream(journal, owner.name, older.seq);
}

/** Notes that no byte of the first `erasures` erasures is left on this machine. */
export async function markPurged(owner: PartitionOwner, erasures: number): Promise<void> {
  const { partition } = owner;
  if (readTrace(partition, 'purged') < erasures) await partition.write(() => writeTrace(partition, 'purged', erasures));
}

/**
 * Fills the journal's current block with padded ticks, so that the block can be removed as a whole. If the block were
 * not filled, a purge would leave the bytes of purged messages in the block that contains the first remaining message.
 * @returns the sequence number of the last tick, once it is folded; undefined if the stream has no room for the ticks now
 */
export async function fillBlock(owner: PartitionOwner, lane: Lane): Promise<number | undefined> {
  const state = await streamState(owner.options.journal, owner.name);
  const bytes = blockBytesOf(state) + paddingBytes;
  if (state.maxBytes > 0 && state.bytes + bytes > state.maxBytes * fullShare) return undefined;
  const padding = ' '.repeat(paddingBytes);
  let last = 0;
  for (let filled = 0; filled < bytes; filled += paddingBytes) last = await enqueueTick(lane, padding);
  return (await owner.reach(last, foldMs)) ? last : undefined;
}

/** Enqueues a tick and returns its sequence number. */
async function enqueueTick(lane: Lane, padding?: string): Promise<number> {
  const now = Date.now();
  const { seq } = await lane.enqueue({ id: ulid(now), at: now, kind: 'tick', ...(padding && { padding }) });
  return seq;
}
