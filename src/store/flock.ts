/**
 * Takes an exclusive lock on a file with flock(2). Node cannot call flock(2), so the program `flock` of util-linux
 * locks a file descriptor that this process passes to the program. The lock belongs to the open file, not to the
 * program. So the lock stays after the program has exited. The lock ends when this process closes the file or dies.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';

/** Exit code of the program `flock` if another process holds the lock. */
const held = 1;

/**
 * Locks a file and creates the file if it does not exist. The file is never removed. If the file were removed, two
 * processes could hold the lock. One would hold it on the removed file, and the other on a new file of the same name.
 * @returns a function that releases the lock; undefined if the lock is held by another process or by another file
 *   descriptor of this process
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

/**
 * Returns a function that closes a file descriptor at the first call. Later calls do nothing, because the number of the
 * closed file descriptor can belong to another file by then.
 */
function closeOnce(fd: number): () => Promise<void> {
  let open = true;
  return async () => {
    if (open) closeSync(fd);
    open = false;
  };
}

/**
 * Opens the lock file. Child processes do not inherit a file that Node opens. A child that inherited the lock file
 * would keep the lock after this process has ended.
 */
function openLockFile(path: string): number {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error(`${path} cannot be locked: expected a regular file.`);
}

function runFlock(fd: number): Promise<{ code: number | string | null; errors: string }> {
  return new Promise((resolve, reject) => {
    // These options also work with the `flock` of busybox.
    const child = spawn('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      const advice =
        'The program flock is not on the PATH. Install util-linux (Debian, Ubuntu: apt-get install util-linux).';
      reject(error.code === 'ENOENT' ? new Error(advice) : error);
    });
    child.once('close', (code, signal) => resolve({ code: code ?? signal, errors }));
  });
}
