/**
 * Keeps the data directory from other users of the machine: the umask of every process, and the modes of what an earlier
 * version or an operator left open.
 */
import { chmodSync, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

const ofOthers = 0o077;

/** A file or folder that other users may use. */
export interface OpenPath {
  path: string;
  /** Its permission bits, like 0o755. */
  mode: number;
  /** The bits it should have. */
  expected: number;
}

/** Makes files and folders that this process and its children create unreadable to others. Called first in every program. */
export function keepFilesPrivate(): void {
  process.umask(ofOthers);
}

/**
 * The data directory and its direct entries, as far as other users may use them. What lies deeper is behind these folders:
 * looking at each file of a large installation would delay every start.
 */
export function openPaths(dataDir: string): OpenPath[] {
  if (!existsSync(dataDir)) return [];
  const entries = readdirSync(dataDir).sort();
  return [dataDir, ...entries.map((name) => join(dataDir, name))].flatMap(openPath);
}

function openPath(path: string): OpenPath[] {
  // By the link's target; undefined for an entry that has gone meanwhile and for a link to nothing.
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || (found.mode & ofOthers) === 0) return [];
  return [{ path, mode: modeOf(found), expected: modeOf(found) & ~ofOthers }];
}

/**
 * Closes the data directory and its direct entries to other users.
 * @returns what was closed, and what still is open: a link is not followed, and some file systems keep no modes
 */
export function closeDataDir(dataDir: string): { closed: OpenPath[]; open: OpenPath[] } {
  const found = openPaths(dataDir);
  // The directory comes first: once it is closed nobody can exchange an entry between the look and the change.
  for (const { path, expected } of found) if (path === dataDir || !isLink(path)) tryChmod(path, expected);
  const open = openPaths(dataDir);
  return { closed: found.filter(({ path }) => !open.some((still) => still.path === path)), open };
}

/**
 * The data directory, or a direct entry of it, that belongs to another user, who can open it again or has put it there. Root's
 * entries are allowed: a file system has some of its own.
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

/** A mode as chmod takes it, like 0755. */
export function modeText(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function modeOf({ mode }: Stats): number {
  return mode & 0o7777;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** What belongs to another user, or lies on a read-only disk, is found open again by the second look. */
function tryChmod(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOENT', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) throw error;
  }
}
