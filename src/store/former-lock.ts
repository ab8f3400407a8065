/**
 * The locks of versions that locked by listening on a socket without a file: one of them that still runs keeps its data directory.
 * Anybody can take such a name, so a socket counts only when a process of our own user has it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { openFilesOf, ownProcesses } from '../foundation/processes.ts';

/** Whether an earlier version, run by this user, holds the lock of a partition, or the supervisor's. Linux only. */
export function isHeldByEarlierVersion(dataDir: string, partition: string): boolean {
  const folder = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 24);
  const sockets = socketsNamed(`@tidings-${folder}-${partition}`);
  return sockets.size > 0 && ownProcesses().some((pid) => openFilesOf(pid).some((file) => sockets.has(file)));
}

/** Sockets of a name, as a process's list of open files has them. The system shows the zeros of a name as `@`. */
function socketsNamed(name: string): Set<string> {
  const list = '/proc/net/unix';
  if (!existsSync(list)) return new Set();
  const rows = readFileSync(list, 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const found = rows.filter(([, , , , , , , path = '']) => path.replace(/@+$/, '') === name);
  return new Set(found.map(([, , , , , , inode]) => `socket:[${inode}]`));
}
