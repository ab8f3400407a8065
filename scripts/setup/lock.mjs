// One set-up at a time in a checkout: a lock folder with one file, named after its owner's process id and holding the
// ids of the programs the owner runs, because those go on when the owner is killed.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './console.mjs';

const POLL_MS = 100;
const NAMELESS_AFTER_MS = 5_000;

/**
 * Waits until `folder` is ours. `release` gives it back (an exit does so too), `keepFor` names our running programs.
 */
export async function acquireLock(folder, { waitMs = 10 * 60_000, onWait = () => {} } = {}) {
  const startedAt = Date.now();
  let told = false;
  while (!tryLock(folder)) {
    if (breakStale(folder)) continue;
    if (Date.now() - startedAt > waitMs) {
      throw new SetupError('another set-up of this checkout does not end', {
        next: `if none is running, remove the folder ${folder} and try again`,
      });
    }
    if (!told && Date.now() - startedAt > 1_000) {
      told = true;
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
    // ENOENT: someone took our folder for a dead one before our name was in it. Start over.
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Removes a dead owner's lock. Only the file with the dead process' own id is removed, and a folder only when it is
 * empty, so two waiters that find the same dead owner cannot take away the lock of the one that was faster.
 */
function breakStale(folder) {
  const [pid] = owners(folder);
  if (pid === undefined) return ageMs(folder) > NAMELESS_AFTER_MS && removeFolder(folder);
  // Our own id in a lock we did not take: a restarted container hands out the same small ids again.
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
