/**
 * Manages the folders of a partition on disk. The partition's folder contains one folder per generation. It also
 * contains the file `current`, which names the generation in use. A rebuilt store is a new generation, so a process
 * that reads the old store can finish its reads (`docs/architecture.md` decision 17).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder of a partition inside the data directory. */
export function partitionFolder(dataDir: string, partition: string): string {
  return join(dataDir, 'partitions', partition);
}

/** Returns the folder of one generation. */
export function generationFolder(dataDir: string, partition: string, generation: number): string {
  return join(partitionFolder(dataDir, partition), `g${String(generation).padStart(6, '0')}`);
}

/** Returns the folder of a partition's snapshots. Each snapshot is a folder in it. */
export function snapshotFolder(dataDir: string, partition: string): string {
  return join(partitionFolder(dataDir, partition), 'snapshots');
}

/** Returns the number of the generation in use; 0 if the partition has never been opened. */
export function currentGeneration(dataDir: string, partition: string): number {
  const pointer = join(partitionFolder(dataDir, partition), 'current');
  if (!existsSync(pointer)) return 0;
  const match = /^g(\d{6})$/.exec(readFileSync(pointer, 'utf8').trim());
  if (!match) throw new Error(`${pointer} does not contain the name of a generation`);
  return Number(match[1]);
}

/** Creates an empty folder for the next generation. Returns the number of that generation. */
export function prepareGeneration(dataDir: string, partition: string): number {
  const generation = currentGeneration(dataDir, partition) + 1;
  const folder = generationFolder(dataDir, partition, generation);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return generation;
}

/**
 * Puts a prepared generation into use. The rename is atomic, so a kill leaves either the old or the new generation in
 * use.
 */
export function switchGeneration(dataDir: string, partition: string, generation: number): void {
  const pointer = join(partitionFolder(dataDir, partition), 'current');
  writeFileSync(`${pointer}.new`, `g${String(generation).padStart(6, '0')}\n`, { flush: true } as object);
  renameSync(`${pointer}.new`, pointer);
}

/**
 * Removes every generation that is not in use: replaced generations, and a generation that a killed process has not
 * finished.
 */
export function removeOtherGenerations(dataDir: string, partition: string): void {
  const folder = partitionFolder(dataDir, partition);
  const inUse = generationFolder(dataDir, partition, currentGeneration(dataDir, partition));
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (/^g\d{6}$/.test(name) && path !== inUse) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Returns the inode of the store's file; undefined if the file does not exist. The inode changes when the store is
 * replaced.
 */
export function inodeOf(folder: string): number | undefined {
  return statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false })?.ino;
}
