/**
 * Detects the locks of earlier versions of Tidings. Such a lock is a listening socket with a name but without a file.
 * While an earlier version still runs, this version must not use the same data directory. Another user can also create
 * a socket with this name. So a socket counts as a lock only if a process of this user has the socket open.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { openFilesOf, ownProcesses } from '../foundation/processes.ts';

/**
 * Whether an earlier version of Tidings holds the lock of a partition or of the supervisor. Finds only processes of
 * this user, and only on Linux.
 */
export function isHeldByEarlierVersion(dataDir: string, partition: string): boolean {
  const folder = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 24);
  const sockets = socketsNamed(`@tidings-${folder}-${partition}`);
  return sockets.size > 0 && ownProcesses().some((pid) => openFilesOf(pid).some((file) => sockets.has(file)));
}

/**
 * Returns the sockets that have the given name, in the form that a process's list of open files uses
 * (`socket:[INODE]`). The system shows the zero bytes of a socket name as `@`.
 */
function socketsNamed(name: string): Set<string> {
  const list = '/proc/net/unix';
  if (!existsSync(list)) return new Set();
  const rows = readFileSync(list, 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const found = rows.filter(([, , , , , , , path = '']) => path.replace(/@+$/, '') === name);
  return new Set(found.map(([, , , , , , inode]) => `socket:[${inode}]`));
}
