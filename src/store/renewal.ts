/**
 * Copies every row of a partition into a new generation, so that no erased byte is left in the file
 * (`docs/architecture.md` decision 17). LMDB's own compacting copy is not used, because it can corrupt data according
 * to an open bug report.
 */
import { rmSync } from 'node:fs';
import { generationFolder, prepareGeneration } from './generation.ts';
import { openRaw, type Partition, type RawPartition, type RawTable } from './partition.ts';

/**
 * Rows per transaction. A transaction takes a few milliseconds, and the process can do other work between two
 * transactions.
 */
const rowsPerTransaction = 2000;

/**
 * Copies a partition into a new generation. The copy is complete and on disk when the promise resolves, but it is not
 * yet in use. No process may write to the partition while it is copied.
 * @returns the number of the new generation
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
    // An incomplete copy is useless, so the copy is removed. Copying can fail because the disk is full. Removing the
    // copy also frees disk space.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await copy.root.close();
    await source.root.close();
  }
  return generation;
}

/**
 * Copies the rows of one table. Rows are read in key order, so each row is appended and pages are filled completely.
 */
async function copyTable({ root }: RawPartition, from: RawTable, to: RawTable): Promise<void> {
  let rows = [...from.getRange({ limit: rowsPerTransaction })];
  while (rows.length > 0) {
    const batch = rows;
    await root.transaction(() => {
      for (const { key, value } of batch) to.putSync(key, value, { append: true });
    });
    const start = batch[batch.length - 1]?.key;
    rows = [...from.getRange({ start, exclusiveStart: true, limit: rowsPerTransaction })];
  }
}
