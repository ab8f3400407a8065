/**
 * An exclusive lock on a file by flock(2). Node has no such call: the program `flock` of util-linux takes the lock on a
 * descriptor of ours. The lock belongs to the open file, so it stays after the program has ended, until we close the file or die.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';

/** How the program says that another process holds the lock. */
const held = 1;

/**
 * Locks a file, which is made when there is none and never removed: whoever removed it would let a second one lock its successor.
 * @returns what frees the lock; undefined when another process holds it, or this one under another descriptor
 */
export async function lockFile(path: string): Promise<(() => Promise<void>) | undefined> {
  const fd = openLockFile(path);
  try {
    const { code, errors } = await runFlock(fd);
    if (code === 0) return closeOnce(fd);
    if (code !== held) throw new Error(`${path} cannot be locked: flock ended with ${code} (${errors.trim()}).`);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return undefined;
}

/** A number that is closed twice can be another file's by then. */
function closeOnce(fd: number): () => Promise<void> {
  let open = true;
  return async () => {
    if (open) closeSync(fd);
    open = false;
  };
}

/** Node opens files so that no later child inherits them: a child that did would keep the lock after our end. */
function openLockFile(path: string): number {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error(`${path} cannot be locked: expected a regular file.`);
}

function runFlock(fd: number): Promise<{ code: number | string | null; errors: string }> {
  return new Promise((resolve, reject) => {
    // The options that busybox knows too.
    const child = spawn('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      const advice =
        'There is no program flock on the PATH. Install util-linux (Debian, Ubuntu: apt-get install util-linux).';
      reject(error.code === 'ENOENT' ? new Error(advice) : error);
    });
    child.once('close', (code, signal) => resolve({ code: code ?? signal, errors }));
  });
}
