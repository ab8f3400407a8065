/**
 * Where a partition lies on disk. A partition's folder holds one folder a generation and the file `current` that names the
 * one in use; a rebuilt store is a new generation, so readers of the old one are never pulled from under (`docs/architecture.md`
 * decision 17).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of a partition inside the data directory. */
export function partitionFolder(dataDir: string, partition: string): string {
  return join(dataDir, 'partitions', partition);
}

/** Folder of one generation. */
export function generationFolder(dataDir: string, partition: string, generation: number): string {
  return join(partitionFolder(dataDir, partition), `g${String(generation).padStart(6, '0')}`);
}

/** Folder of a partition's snapshots. */
export function snapshotFolder(dataDir: string, partition: string): string {
  return join(partitionFolder(dataDir, partition), 'snapshots');
}

/** The generation in use; 0 when the partition has never been opened. */
export function currentGeneration(dataDir: string, partition: string): number {
  const pointer = join(partitionFolder(dataDir, partition), 'current');
  if (!existsSync(pointer)) return 0;
  const match = /^g(\d{6})$/.exec(readFileSync(pointer, 'utf8').trim());
  if (!match) throw new Error(`${pointer} does not name a generation`);
  return Number(match[1]);
}

/** Makes the folder of a new generation, empty, next to the one in use. */
export function prepareGeneration(dataDir: string, partition: string): number {
  const generation = currentGeneration(dataDir, partition) + 1;
  const folder = generationFolder(dataDir, partition, generation);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return generation;
}

/** Makes a prepared generation the one in use. The rename is atomic: a kill leaves the old or the new. */
export function switchGeneration(dataDir: string, partition: string, generation: number): void {
  const pointer = join(partitionFolder(dataDir, partition), 'current');
  writeFileSync(`${pointer}.new`, `g${String(generation).padStart(6, '0')}\n`, { flush: true } as object);
  renameSync(`${pointer}.new`, pointer);
}

/** Removes every generation but the one in use: those it replaced, and one that a kill left half made. */
export function removeOtherGenerations(dataDir: string, partition: string): void {
  const folder = partitionFolder(dataDir, partition);
  const inUse = generationFolder(dataDir, partition, currentGeneration(dataDir, partition));
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (/^g\d{6}$/.test(name) && path !== inUse) rmSync(path, { recursive: true, force: true });
  }
}

/** Number of the file that holds a store, which tells whether it was replaced; undefined when there is none. */
export function inodeOf(folder: string): number | undefined {
  return statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false })?.ino;
}
