/**
 * Makes the folder of the data directory and tries it, so that a place that cannot hold it is refused at once.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A data directory that cannot be used as the settings ask. */
export class DataDirError extends Error {}

/**
 * Makes a folder where it is missing, and writes a file in it that it removes again.
 * @throws DataDirError naming the path and what the system said
 */
export function makeWritableFolder(folder: string): void {
  const probe = join(folder, `write-test-${randomUUID()}`);
  try {
    makeFolder(folder);
    writeFileSync(probe, '', { mode: 0o600, flag: 'wx' });
    rmSync(probe);
  } catch (error) {
    throw unusable(folder, error as NodeJS.ErrnoException);
  }
}

/**
 * Makes a folder and those above it, each once. Node's own recursive mkdir tries for ever where a file system answers that the
 * parent is missing although it is there, as /proc does, and no signal ends that.
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process can have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function unusable(folder: string, { code }: NodeJS.ErrnoException): DataDirError {
  return new DataDirError(
    `TIDINGS_DATA_DIR: ${folder} cannot be written (${code}). Set it to a folder that the service may write, on a disk.`,
  );
}
