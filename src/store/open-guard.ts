/**
 * Refuses to open a file if two attempts to open it have ended the process. LMDB can end the process when it opens a
 * damaged file (measured: SIGSEGV on garbage, SIGBUS on a truncated file). A restarted process would try again without
 * end. So each attempt is recorded next to the file before the file is opened.
 */
import { appendFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The file is not opened any more after this many processes have ended while they opened it. The number is greater than
 * one, because a process can also be killed for another reason while it opens the file.
 */
const maxEnds = 2;

/**
 * Opens the store in a folder with `open`.
 * @throws the error that `open` throws, or an error that says that earlier attempts ended the process
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
