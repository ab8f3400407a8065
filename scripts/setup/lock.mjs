// Ensures that only one set-up at a time works in a checkout. The lock is a folder with one file, whose name is the
// process id of its owner. The file lists the programs that the owner runs. If the owner is killed, these programs
// continue, and the lock stays valid until they have ended.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './console.mjs';

const POLL_MS = 100;
const NAMELESS_AFTER_MS = 5_000;

/**
 * Waits until this process holds the lock `folder`. The returned `release` releases the lock, and so does the exit of
 * this process. The returned `keepFor` writes the ids of the programs that this process runs to the lock.
 */
export async function acquireLock(folder, { waitMs = 10 * 60_000, onWait = () => {} } = {}) {
  const startedAt = Date.now();
  let isReported = false;
  while (!tryLock(folder)) {
    if (breakStale(folder)) continue;
    if (Date.now() - startedAt > waitMs) {
      throw new SetupError('another set-up of this checkout is still running', {
        next: `wait until it ends; if no other set-up is running, remove the folder ${folder} and run the same command again`,
      });
    }
    if (!isReported && Date.now() - startedAt > 1_000) {
      isReported = true;
      onWait(owners(folder)[0]);
    }
    await sleep(POLL_MS);
  }
  const release = () => {
    process.off('exit', release);
    removeOwner(folder, process.pid);
  };
  process.on('exit', release);
  return { release, keepFor: (pids) => writeFileSync(join(folder, String(process.pid)), pids.join('\n')) };
}

function tryLock(folder) {
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, String(process.pid)), '');
    return true;
  } catch (error) {
    // ENOENT: another process removed our folder before our file was written. To that process, the folder looked like
    // the lock of a dead owner. The caller tries again.
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead owner. The function removes only the file with the id of that owner. It then removes the
 * folder only if the folder is empty. Two waiting processes may find the same dead owner. The faster process takes the
 * lock, and the slower process cannot remove this new lock.
 */
function breakStale(folder) {
  const [pid] = owners(folder);
  if (pid === undefined) return ageMs(folder) > NAMELESS_AFTER_MS && removeFolder(folder);
  // A lock that we did not take can contain our own process id, because a restarted container assigns the same small
  // ids again.
  if (pid !== process.pid && isAlive(pid)) return false;
  if (programsOf(folder, pid).some(isAlive)) return false;
  return removeOwner(folder, pid);
}

function removeOwner(folder, pid) {
  try {
    unlinkSync(join(folder, String(pid)));
  } catch {
    return false;
  }
  return removeFolder(folder);
}

function removeFolder(folder) {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function owners(folder) {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function programsOf(folder, pid) {
  try {
    return readFileSync(join(folder, String(pid)), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function ageMs(folder) {
  try {
    return Date.now() - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
