// Chooses the user and the folders that apt and dpkg work with. If set-up runs as root, apt's unprivileged user
// fetches, checks and unpacks the package, in folders that this user can reach. If set-up does not run as root, the
// user who runs set-up does this work.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const USER = '_apt';
const FOLDERS = ['state/lists/partial', 'cache/archives/partial', 'download'];
const PASSED = ['', 'state', 'state/lists', 'cache', 'cache/archives'];

/**
 * Makes the folders in which one package is fetched and unpacked. The folders are inside `own`, or inside a temporary
 * folder if the unprivileged user cannot reach `own`. The returned `user` is the user name for apt's configuration. The
 * returned `wrap` extends a command line so that the command runs as the unprivileged user. If root has to do the work
 * itself, `wrap` changes nothing and the returned `note` says why.
 */
export function prepareSandbox(own, { keyring, isRoot = process.getuid?.() === 0, user = USER } = {}) {
  const asWeAre = { folder: own, user: 'root', wrap: (...command) => command, remove: () => remove(own) };
  const ids = isRoot ? idsOf(user) : undefined;
  const why = ids ? `the user ${user} cannot work in ${own} or ${tmpdir()}` : `there is no user ${user}`;
  if (ids) {
    const wrap = (...command) => ['setpriv', ...identity(ids), ...command];
    for (const make of [() => fresh(own), () => mkdtempSync(join(tmpdir(), 'tidings-apt-'))]) {
      const folder = make();
      makeFolders(folder);
      if (openTo(folder, ids) && canWork(folder, keyring, wrap))
        return { folder, user, wrap, remove: () => remove(folder) };
      remove(folder);
    }
  }
  makeFolders(fresh(own));
  return isRoot ? { ...asWeAre, note: `apt worked as root: ${why}` } : asWeAre;
}

/**
 * Copies folders and plain files of the unpacked package. Leaves out links, and files that have a setuid or setgid bit.
 */
export function copyPlain(from, to) {
  const isPlain = (path) => {
    const stat = lstatSync(path);
    return stat.isDirectory() || (stat.isFile() && (stat.mode & 0o6000) === 0);
  };
  cpSync(from, to, { recursive: true, filter: isPlain });
}

/**
 * Removes a folder that a killed set-up left, so that the caller can make it again. Must not be used for a temporary
 * folder, because another user could create a folder of that name after the removal.
 */
function fresh(folder) {
  remove(folder);
  return folder;
}

function makeFolders(folder) {
  for (const path of FOLDERS) mkdirSync(join(folder, path), { recursive: true });
}

/**
 * Makes the unprivileged user the owner of the folders that apt writes to. Makes the parent folders accessible to this
 * user with any umask. Returns false if the container does not have this user.
 */
function openTo(folder, { uid, gid }) {
  try {
    for (const path of FOLDERS) chownSync(join(folder, path), uid, gid);
  } catch (error) {
    if (['EPERM', 'EINVAL'].includes(error.code)) return false;
    throw error;
  }
  for (const path of PASSED) chmodSync(join(folder, path), 0o755);
  return true;
}

/**
 * Whether the user can write to each folder and read the keyring. Returns false if a container forbids a change of
 * user.
 */
function canWork(folder, keyring, wrap) {
  const check =
    'cd "$0" && for path; do test -w "$path" || exit 1; done && { test -z "$KEYRING" || test -r "$KEYRING"; }';
  const [command, ...args] = wrap('sh', '-c', check, folder, ...FOLDERS);
  const env = { ...process.env, KEYRING: keyring ?? '' };
  return spawnSync(command, args, { stdio: 'ignore', cwd: '/', env }).status === 0;
}

function identity({ uid, gid }) {
  return [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'];
}

function idsOf(user) {
  const [uid, gid] = ['-u', '-g'].map((option) => {
    const { status, stdout } = spawnSync('id', [option, user], { encoding: 'utf8' });
    return status === 0 ? Number(stdout.trim()) : undefined;
  });
  return uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true });
}
