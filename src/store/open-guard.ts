/**
 * LMDB can end the process when it opens a damaged file (measured: SIGSEGV on garbage, SIGBUS on a file cut short), and a
 * restarted process would run into it again for ever. So an attempt is written down beside the file before it is made, and
 * what has ended the process before is taken for damaged.
 */
import { appendFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One end may have been a kill that came at a bad moment. */
const mostEnds = 2;

/**
 * Opens what lies in a folder.
 * @throws what `open` throws, or that earlier attempts ended the process
 */
export async function attempt<T>(folder: string, open: () => T | Promise<T>): Promise<T> {
  const file = join(folder, 'opening');
  const ends = existsSync(file) ? statSync(file).size : 0;
  if (ends >= mostEnds) throw new Error(`opening ${folder} has ended the process ${ends} times`);
  appendFileSync(file, '.');
  try {
    return await open();
  } finally {
    rmSync(file, { force: true });
  }
}
