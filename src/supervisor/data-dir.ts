/**
 * Creates the data directory and writes a test file in it. If the directory cannot be used, the start fails
 * immediately.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Thrown when the data directory cannot be used with these settings. */
export class DataDirError extends Error {}

/**
 * Creates a folder if it is missing, then writes a test file in it and removes the file.
 * @throws DataDirError with the path and the error code of the operating system
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
 * Creates a folder and its parents. The recursive mkdir of Node.js is not used, because it never returns on some file
 * systems, and no signal can interrupt it. An example is /proc, which reports an existing parent folder as missing.
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // The folder may exist now, because another process created it since the check.
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
    `TIDINGS_DATA_DIR: ${folder} cannot be written (${code}). Set it to a folder on a disk that the service may write to.`,
  );
}
