/**
 * Opens a partition. A store can be damaged, missing, or too old to continue with the first message of the journal. In
 * that case a new generation is made from the newest readable snapshot. Folding the journal from the snapshot's
 * position brings the generation up to date (`docs/architecture.md` decision 17). A node of a cluster fetches a snapshot
 * from another node if no own snapshot can be used (decision 48).
 */

import type { Logger } from '../../src/foundation/logger.ts';
import { reaches, type StreamState } from '../../src/journal/topology.ts';
import { type Divergence, readDivergence, writeDivergence } from '../../src/store/divergence.ts';
import {
  currentGeneration,
  generationFolder,
  inodeOf,
  prepareGeneration,
  switchGeneration,
} from '../../src/store/generation.ts';
import { removeUnfinishedFetches } from '../../src/store/incoming-snapshot.ts';
import { guardedOpen } from '../../src/store/open-guard.ts';
import { openPartition, type Partition } from '../../src/store/partition.ts';
import { checkSnapshot, listSnapshots, restoreSnapshot, type Snapshot } from '../../src/store/snapshot.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { type FetchLimits, fetchSnapshot } from './fetch.ts';
import type { Peers } from './peers.ts';
import { DivergedError, mayRepair, recentRepairs, removeSnapshots, showDivergence } from './repair.ts';

/** Other nodes that a partition can be fetched from. */
export interface RestoreSource {
  peers: Peers;
  limits?: Partial<FetchLimits>;
}

/**
 * Thrown when a partition cannot be restored, because the journal begins too late. Some earlier messages are missing
 * from the partition's store, from all its snapshots on this machine, and from those that other nodes offer.
 */
export class PartitionLostError extends Error {}

/**
 * Opens the current generation of the partition, or restores the partition.
 * @param source the other nodes of a cluster; undefined on one machine
 * @throws PartitionLostError when the store cannot be continued, no snapshot can be used, and the first messages of the
 *   journal were removed
 * @throws DivergedError when the state was wrong again after it was replaced
 */
export async function openOrRestore(
  dataDir: string,
  name: string,
  stream: StreamState,
  logger: Logger,
  source?: RestoreSource,
): Promise<Partition> {
  const divergence = readDivergence(dataDir, name);
  if (source && divergence?.state === 'diverged')
    return replaceDiverged(dataDir, name, divergence, stream, logger, source);
  const isNew = currentGeneration(dataDir, name) === 0;
  // A new node may have to begin with the state of the others, so it does not open an empty store yet.
  const partition = isNew && source ? undefined : await tryOpen(dataDir, name, stream, logger);
  if (partition && reaches(readCursor(partition).seq, stream)) {
    if (source) removeUnfinishedFetches(dataDir, name);
    return partition;
  }
  await partition?.close();
  for (const snapshot of listSnapshots(dataDir, name).reverse()) {
    if (!reaches(snapshot.seq, stream)) continue;
    const generation = await restoreSnapshot(dataDir, name, snapshot, () => isReadable(name, snapshot, logger));
    if (generation === undefined) continue;
    logger.error({ partition: name, generation, seq: snapshot.seq }, 'partition restored from a snapshot');
    return openPartition(dataDir, name);
  }
  const fetched = source ? await fetchSnapshot(source.peers, name, stream, source.limits) : 'replay';
  if (fetched && fetched !== 'replay') {
    const generation = await restoreSnapshot(dataDir, name, fetched);
    logger.warn({ partition: name, generation, seq: fetched.seq }, 'partition begins with a snapshot of another node');
    return openPartition(dataDir, name);
  }
  if (!fetched || !reaches(0, stream)) {
    throw new PartitionLostError(
      `Partition ${name} cannot be rebuilt: no readable snapshot reaches sequence ${stream.firstSeq}, where the journal begins.`,
    );
  }
  if (source) removeUnfinishedFetches(dataDir, name);
  if (isNew) return openPartition(dataDir, name);
  switchGeneration(dataDir, name, prepareGeneration(dataDir, name));
  logger.error({ partition: name }, 'partition is rebuilt from the journal');
  return openPartition(dataDir, name);
}

/**
 * Replaces a store whose state is wrong by a snapshot of another node. If none would save much, the journal is folded
 * from its beginning. The replaced store stays on disk until the next snapshot, so that a person can examine it.
 */
async function replaceDiverged(
  dataDir: string,
  name: string,
  divergence: Divergence,
  stream: StreamState,
  logger: Logger,
  { peers, limits }: RestoreSource,
): Promise<Partition> {
  showDivergence(name, true);
  if (!mayRepair(divergence)) throw new DivergedError(name, { isRepairable: false });
  const fetched = await fetchSnapshot(peers, name, stream, limits);
  if (!fetched || (fetched === 'replay' && !reaches(0, stream)))
    throw new PartitionLostError(`Partition ${name} is wrong on this node, and no other node offers a snapshot.`);
  if (fetched === 'replay') {
    removeSnapshots(dataDir, name);
    switchGeneration(dataDir, name, prepareGeneration(dataDir, name));
  } else await restoreSnapshot(dataDir, name, fetched);
  const repairs = [...recentRepairs(divergence), Date.now()];
  writeDivergence(dataDir, name, { state: 'repaired', against: [], repairs });
  const seq = fetched === 'replay' ? 0 : fetched.seq;
  logger.warn({ partition: name, seq, repairs: repairs.length }, 'wrong state of the partition is replaced');
  return openPartition(dataDir, name);
}

async function tryOpen(
  dataDir: string,
  name: string,
  stream: StreamState,
  logger: Logger,
): Promise<Partition | undefined> {
  const generation = currentGeneration(dataDir, name);
  // There is no store. If the journal's first messages were purged, a store existed before and was lost. An empty store
  // in its place would answer every request with "not found".
  if (generation === 0) return reaches(0, stream) ? openPartition(dataDir, name) : undefined;
  const folder = generationFolder(dataDir, name, generation);
  try {
    // Opening a missing file would create an empty one, and readers of the lost file would never notice.
    if (inodeOf(folder) === undefined) throw new Error(`the data file in ${folder} is missing`);
    return await guardedOpen(folder, () => {
      const partition = openPartition(dataDir, name);
      readCursor(partition);
      return partition;
    });
  } catch (error) {
    logger.error({ partition: name, err: error }, 'partition cannot be opened');
    return undefined;
  }
}

async function isReadable(name: string, { folder }: Snapshot, logger: Logger): Promise<boolean> {
  try {
    await guardedOpen(folder, () => checkSnapshot(name, folder));
    return true;
  } catch (error) {
    logger.error({ partition: name, snapshot: folder, err: error }, 'snapshot cannot be read');
    return false;
  }
}
