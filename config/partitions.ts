/**
 * Determines the number of partitions. A data directory keeps the number that it was created with.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/**
 * Minimum and maximum number of partitions of a new data directory without a setting. Each delivery waits for the batch
 * of its partition, so with more partitions the batches are smaller and a delivery costs more.
 */
const fewest = 2;
const most = 8;

/** The file in a data directory that contains the number of its partitions. */
export function partitionCountFile(dataDir: string): string {
  return join(dataDir, 'partition-count');
}

/**
 * Returns the number of partitions that a data directory was created with. For a new data directory, returns one per
 * core, but at least 2 and at most 8.
 */
export function partitionsOf(dataDir: string): number {
  return fixedPartitions(dataDir) ?? Math.min(most, Math.max(fewest, availableParallelism()));
}

/**
 * Returns the number of partitions that a data directory was created with. Returns undefined if the directory is new, or
 * if its file cannot be used. In the second case, the start reports the file.
 */
function fixedPartitions(dataDir: string): number | undefined {
  try {
    const fixed = Number(readFileSync(partitionCountFile(dataDir), 'utf8').trim());
    return fixed >= 1 ? fixed : undefined;
  } catch {
    return undefined;
  }
}
