/**
 * A partition made anew: every row copied into a new generation, so that nothing of what was erased is left in the file
 * (`docs/architecture.md` decision 17). LMDB's own compacting copy is not used, as it has an open corruption report.
 */
import { rmSync } from 'node:fs';
import { generationFolder, prepareGeneration } from './generation.ts';
import { openRaw, type Partition, type RawPartition, type RawTable } from './partition.ts';

/** Rows of one transaction: a few milliseconds, between which the process does other things. */
const rowsAtOnce = 2000;

/**
 * Copies a partition that nobody writes to meanwhile into a new generation, complete and on disk, which is not in use yet.
 * @returns its number
 */
export async function copyPartition(dataDir: string, partition: Partition): Promise<number> {
  const generation = prepareGeneration(dataDir, partition.name);
  const source = openRaw(partition.folder, true);
  const folder = generationFolder(dataDir, partition.name, generation);
  const copy = openRaw(folder, false);
  try {
    for (const [name, table] of source.tables) await copyTable(copy, table, copy.tables.get(name) as RawTable);
    await copy.root.flushed;
  } catch (error) {
    // Half a copy would only take the room that may have been short.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await copy.root.close();
    await source.root.close();
  }
  return generation;
}

/** Rows come in the order of their keys, so each is appended and pages are filled whole. */
async function copyTable({ root }: RawPartition, from: RawTable, to: RawTable): Promise<void> {
  let rows = [...from.getRange({ limit: rowsAtOnce })];
  while (rows.length > 0) {
    const batch = rows;
    await root.transaction(() => {
      for (const { key, value } of batch) to.putSync(key, value, { append: true });
    });
    const start = batch[batch.length - 1]?.key;
    rows = [...from.getRange({ start, exclusiveStart: true, limit: rowsAtOnce })];
  }
}
