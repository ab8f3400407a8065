/**
 * The locks of versions that locked by listening on a socket without a file: one of them that still runs keeps its data directory.
 * Anybody can take such a name, so a socket counts only when a process of our own user has it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';

/** Whether an earlier version, run by this user, holds the lock of a partition, or the supervisor's. Linux only. */
export function isHeldByEarlierVersion(dataDir: string, partition: string): boolean {
  const folder = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 24);
  const sockets = socketsNamed(`@tidings-${folder}-${partition}`);
  return sockets.size > 0 && ownProcesses().some((pid) => filesOf(pid).some((file) => sockets.has(file)));
}

/** Sockets of a name, as the links in a process's `fd` folder name them. The system shows the zeros of a name as `@`. */
function socketsNamed(name: string): Set<string> {
  const rows = orNothing(() => readFileSync('/proc/net/unix', 'utf8'), '').split('\n');
  const found = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , , , , , path = '']) => path.replace(/@+$/, '') === name);
  return new Set(found.map(([, , , , , , inode]) => `socket:[${inode}]`));
}

/** Processes of the user that this one runs as. */
export function ownProcesses(): string[] {
  const own = process.geteuid?.();
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && orNothing(() => statSync(`/proc/${pid}`).uid, undefined) === own,
  );
}

function filesOf(pid: string): string[] {
  const folder = `/proc/${pid}/fd`;
  return orNothing(() => readdirSync(folder), []).map((fd) => orNothing(() => readlinkSync(`${folder}/${fd}`), ''));
}

/** Processes end and files are closed while they are listed. */
function orNothing<T>(read: () => T, nothing: T): T {
  try {
    return read();
  } catch {
    return nothing;
  }
}
