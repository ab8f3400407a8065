/**
 * Refuses to open a file after two attempts that crashed the process. LMDB can crash the process when it opens a
 * damaged file (measured: SIGSEGV on garbage, SIGBUS on a truncated file). After a restart, the process would open the
 * file and crash again, without end. So each attempt is recorded next to the file before the file is opened.
 */
import { appendFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Number of failed attempts after which the file is not opened again. An attempt has failed if the process ended during
 * the attempt. The number is greater than one, because a process can also be killed for another reason.
 */
const maxEnds = 2;

/**
 * Calls `open` to open the store in a folder.
 * @throws the error that `open` throws, or an error which says that earlier attempts ended the process
 */
export async function guardedOpen<T>(folder: string, open: () => T | Promise<T>): Promise<T> {
  const file = join(folder, 'opening');
  const ends = existsSync(file) ? statSync(file).size : 0;
  if (ends >= maxEnds)
    throw new Error(
      `${folder} is not opened again: the process ended during each of the last ${ends} attempts to open it`,
    );
  appendFileSync(file, '.');
  try {
    return await open();
  } finally {
    rmSync(file, { force: true });
  }
}
