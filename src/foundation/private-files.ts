/**
 * Protects the data directory from other users of the machine. Sets the umask of every process. Also removes the
 * permissions of other users on files that an earlier version of Tidings or an operator left open.
 */
import { chmodSync, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

const ofOthers = 0o077;

/** A file or folder whose permissions allow other users to use it. */
export interface OpenPath {
  path: string;
  /** The current permission bits, such as 0o755. */
  mode: number;
  /** The permission bits that the file or folder should have. */
  expected: number;
}

/**
 * Makes new files of this process and its children unreadable to other users. Every program calls this function first.
 */
export function keepFilesPrivate(): void {
  process.umask(ofOthers);
}

/**
 * Checks the data directory and its direct entries, and lists those that other users may use. Files in subfolders are
 * not checked. Other users cannot reach these files once the direct entries are closed. Checking each file of a large
 * installation would also delay every start.
 */
export function openPaths(dataDir: string): OpenPath[] {
  if (!existsSync(dataDir)) return [];
  const entries = readdirSync(dataDir).sort();
  return [dataDir, ...entries.map((name) => join(dataDir, name))].flatMap(openPath);
}

function openPath(path: string): OpenPath[] {
  // `statSync` follows links. It returns undefined for an entry that was removed after the folder was listed, and for a
  // link without a target.
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || (found.mode & ofOthers) === 0) return [];
  return [{ path, mode: modeOf(found), expected: modeOf(found) & ~ofOthers }];
}

/**
 * Removes the access of other users to the data directory and to its direct entries.
 * @returns the paths that were closed, and the paths that are still open. Links stay open. Paths on a file system that
 *   does not store modes also stay open.
 */
export function closeDataDir(dataDir: string): { closed: OpenPath[]; open: OpenPath[] } {
  const found = openPaths(dataDir);
  // The data directory is closed first. In an open directory, another user could replace an entry by a link after the
  // entry was checked and before its mode is changed.
  for (const { path, expected } of found) if (path === dataDir || !isLink(path)) tryChmod(path, expected);
  const open = openPaths(dataDir);
  return { closed: found.filter(({ path }) => !open.some((still) => still.path === path)), open };
}

/**
 * Finds a path that belongs to another user. Only the data directory and its direct entries are checked. The other user
 * may have created the path, or could give other users access to the path again. Paths that belong to root are allowed,
 * because some file systems create such paths (for example lost+found).
 */
export function foreignPath(dataDir: string): { path: string; owner: number } | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  const { uid } = statSync(dataDir);
  if (uid !== own) return { path: dataDir, owner: uid };
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    const owner: number = lstatSync(path, { throwIfNoEntry: false })?.uid ?? own;
    if (owner !== own && owner !== 0) return { path, owner };
  }
  return undefined;
}

/** Formats a mode for chmod, such as 0755. */
export function modeText(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function modeOf({ mode }: Stats): number {
  return mode & 0o7777;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/**
 * Changes the permissions of a path if possible. This fails for a path of another user or on a read-only disk. The path
 * then stays open to others, and the next check reports it.
 */
function tryChmod(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOENT', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) throw error;
  }
}
