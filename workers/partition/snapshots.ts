/**
 * Snapshots of one partition and what they allow: purging the journal, and, after an erasing sweep, getting rid of every
 * byte of what was erased: the store's own file, older snapshots, the journal's blocks (`docs/architecture.md` decision 17).
 * A kill in between loses nothing: what is not done is done with the next snapshot.
 */
import { ulid } from '../../src/foundation/ids.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { blockBytesOf, purgeStream, streamState } from '../../src/journal/topology.ts';
import { removeOtherGenerations } from '../../src/store/generation.ts';
import { listSnapshots, type Snapshot, takeSnapshot } from '../../src/store/snapshot.ts';
import { countErasures, readTrace, writeTrace } from '../../src/store/tables/retention.ts';
import type { PartitionOwner } from './owner.ts';

/** Small enough for a lane of any settings. */
const paddingBytes = 60_000;
const foldMs = 60_000;
/** A stream that would be fuller than this is purged first; the rest is done with the next snapshot. */
const fullShare = 0.75;

/** Takes a snapshot and purges what the two newest cover; after an erasing sweep nothing of it is left then. */
export async function snapshotAndPurge(owner: PartitionOwner, lane: Lane): Promise<Snapshot> {
  const { dataDir, name, logger } = owner.options;
  const erasures = countErasures(owner.partition);
  if (readTrace(owner.partition, 'renewed') < erasures) await owner.renew();
  const isTraceless = readTrace(owner.partition, 'purged') >= erasures || (await fillBlock(owner, lane));
  if (readTrace(owner.partition, 'purged') < erasures) await snapshotBefore(owner, lane);
  const snapshot = await takeSnapshot(dataDir, owner.partition);
  await purgeCovered(owner);
  // What a restored snapshot took the place of was kept until here.
  removeOtherGenerations(dataDir, name);
  if (isTraceless) await markPurged(owner, erasures);
  logger.info({ partition: name, seq: snapshot.seq }, 'snapshot taken');
  return snapshot;
}

/**
 * Of the two newest snapshots the older is of before the erasing: so one is taken now, and a record folded after it. A stream
 * that is full takes none; then two snapshots of one place must do, or it would never be purged.
 */
async function snapshotBefore(owner: PartitionOwner, lane: Lane): Promise<void> {
  await takeSnapshot(owner.options.dataDir, owner.partition);
  const seq = await enqueueTick(lane).catch(() => 0);
  await owner.reach(seq, foldMs);
}

async function purgeCovered(owner: PartitionOwner): Promise<void> {
  const { journal, dataDir } = owner.options;
  const [older, newer] = listSnapshots(dataDir, owner.name).slice(-2);
  // A snapshot of an earlier epoch covers nothing of this stream: its sequence means another record.
  if (older && newer && older.epoch === newer.epoch) await purgeStream(journal, owner.name, older.seq);
}

async function markPurged(owner: PartitionOwner, erasures: number): Promise<void> {
  const { partition } = owner;
  if (readTrace(partition, 'purged') < erasures) await partition.write(() => writeTrace(partition, 'purged', erasures));
}

/**
 * Fills the journal's block, so that what will be purged goes with its whole block: a purge leaves in the first block the
 * bytes of what it purged.
 * @returns false when the stream has no room for it now
 */
async function fillBlock(owner: PartitionOwner, lane: Lane): Promise<boolean> {
  const state = await streamState(owner.options.journal, owner.name);
  const bytes = blockBytesOf(state) + paddingBytes;
  if (state.maxBytes > 0 && state.bytes + bytes > state.maxBytes * fullShare) return false;
  const padding = ' '.repeat(paddingBytes);
  let last = 0;
  for (let filled = 0; filled < bytes; filled += paddingBytes) last = await enqueueTick(lane, padding);
  return owner.reach(last, foldMs);
}

/** Enqueues a tick; its sequence. */
async function enqueueTick(lane: Lane, padding?: string): Promise<number> {
  const now = Date.now();
  const { seq } = await lane.enqueue({ id: ulid(now), at: now, kind: 'tick', ...(padding && { padding }) });
  return seq;
}
