/**
 * Opens a partition, or, when its store is damaged, gone or too old for what the journal still holds, makes a new generation
 * from the newest snapshot that can be read. The journal's tail does the rest (`docs/architecture.md` decision 17).
 */

import type { Logger } from '../../src/foundation/logger.ts';
import type { StreamState } from '../../src/journal/topology.ts';
import {
  currentGeneration,
  generationFolder,
  inodeOf,
  prepareGeneration,
  switchGeneration,
} from '../../src/store/generation.ts';
import { attempt } from '../../src/store/open-guard.ts';
import { openPartition, type Partition } from '../../src/store/partition.ts';
import { listSnapshots, restoreSnapshot, type Snapshot, verifySnapshot } from '../../src/store/snapshot.ts';
import { readCursor } from '../../src/store/tables/meta.ts';

/** Nothing on this machine reaches back to where the journal begins. */
export class PartitionLostError extends Error {}

/**
 * Opens the partition in use or restores it.
 * @throws PartitionLostError when neither the store nor a snapshot nor the journal alone can rebuild it
 */
export async function openOrRestore(
  dataDir: string,
  name: string,
  stream: StreamState,
  logger: Logger,
): Promise<Partition> {
  const partition = await tryOpen(dataDir, name, stream, logger);
  if (partition && reaches(readCursor(partition).seq, stream)) return partition;
  await partition?.close();
  const snapshot = await newestReadable(dataDir, name, stream, logger);
  if (snapshot) {
    const generation = restoreSnapshot(dataDir, name, snapshot);
    logger.error({ partition: name, generation, seq: snapshot.seq }, 'partition restored from a snapshot');
    return openPartition(dataDir, name);
  }
  if (!reaches(0, stream)) {
    throw new PartitionLostError(
      `Partition ${name} cannot be rebuilt: no readable snapshot reaches sequence ${stream.firstSeq}, where the journal begins.`,
    );
  }
  switchGeneration(dataDir, name, prepareGeneration(dataDir, name));
  logger.error({ partition: name }, 'partition is rebuilt from the journal');
  return openPartition(dataDir, name);
}

/** Whether the journal still holds everything after `seq`. */
function reaches(seq: number, stream: StreamState): boolean {
  return seq + 1 >= stream.firstSeq;
}

async function tryOpen(
  dataDir: string,
  name: string,
  stream: StreamState,
  logger: Logger,
): Promise<Partition | undefined> {
  const generation = currentGeneration(dataDir, name);
  // An empty store of a partition that was lost would say "not found" of everything.
  if (generation === 0) return reaches(0, stream) ? openPartition(dataDir, name) : undefined;
  const folder = generationFolder(dataDir, name, generation);
  try {
    // Opening would make an empty one, of which readers of the lost one never learn.
    if (inodeOf(folder) === undefined) throw new Error(`the file in ${folder} is gone`);
    return await attempt(folder, () => {
      const partition = openPartition(dataDir, name);
      readCursor(partition);
      return partition;
    });
  } catch (error) {
    logger.error({ partition: name, err: error }, 'partition cannot be opened');
    return undefined;
  }
}

async function newestReadable(
  dataDir: string,
  name: string,
  stream: StreamState,
  logger: Logger,
): Promise<Snapshot | undefined> {
  for (const snapshot of listSnapshots(dataDir, name).reverse()) {
    if (!reaches(snapshot.seq, stream)) continue;
    try {
      await attempt(snapshot.folder, () => verifySnapshot(name, snapshot.folder));
      return snapshot;
    } catch (error) {
      logger.error({ partition: name, snapshot: snapshot.folder, err: error }, 'snapshot cannot be read');
    }
  }
  return undefined;
}
