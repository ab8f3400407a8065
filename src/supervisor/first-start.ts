/**
 * Creates the files of the data directory at the first start and reads them at every start. They contain the webhook
 * secret, the sealing key, the admin key of the instance, the keys of the supervised nats-server, and the number of
 * partitions. The secrets are stored only in these files, with mode 0600.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOneOfSeveral } from '../../config/nodes.ts';
import { partitionCountFile } from '../../config/partitions.ts';
import type { Settings } from '../../config/schema.ts';
import { makeIdentity, requireClusterId } from '../cluster/identity.ts';
import { newKey } from '../foundation/api-key.ts';
import { closeDataDir, foreignPath, modeText, type OpenPath } from '../foundation/private-files.ts';
import {
  createSealer,
  digestKeyOf,
  parseSealingKey,
  SealError,
  type Sealer,
  sealingKeyBytes,
} from '../foundation/seal.ts';
import { makeJournalKeys } from '../journal/keys.ts';
import type { Identity } from '../protocol/identity.ts';
import { DataDirError, makeWritableFolder } from './data-dir.ts';

/** The secrets that were read or created at a start. `made` lists the paths of new files. */
export interface FirstStart {
  webhookSecrets: readonly string[];
  adminKey: string;
  made: readonly string[];
}

/** Returns the path of the admin key's file. */
export function adminKeyFile(dataDir: string): string {
  return join(dataDir, 'admin-key');
}

/** Returns the path of the file with the token that earlier versions of Tidings used for the supervised nats-server. */
function formerTokenFile(dataDir: string): string {
  return join(dataDir, 'nats-token');
}

/** Returns the path of the file with the webhook secret that the first start creates. */
export function webhookSecretFile(dataDir: string): string {
  return join(dataDir, 'webhook-secret');
}

/** Returns the path of the file with the sealing key that the first start creates. */
export function sealingKeyFile(dataDir: string): string {
  return join(dataDir, 'sealing-key');
}

/** Returns the path of the file with the digest key, which is sealed under the sealing key. */
export function digestKeyFile(dataDir: string): string {
  return join(dataDir, 'digest-key');
}

export type KeySettings = Pick<Settings, 'sealingKey' | 'sealingKeysPrevious' | 'dataDir'>;

/**
 * Creates the sealer. The sealing key comes from the settings. If the settings do not contain a sealing key, it comes
 * from the data directory. The sealer can also open texts that were sealed with former keys.
 * @throws DataDirError if the key file is missing or does not contain a key
 */
export function openSealer(settings: KeySettings): Sealer {
  const [key, ...former] = sealingKeys(settings);
  return createSealer(key, former, readDigestKey(settings.dataDir, [key, ...former]));
}

/**
 * Returns the sealing key in use, followed by the former sealing keys. A sealing key in the settings is the key in use.
 * If the settings do not contain a sealing key, the keys are read from the key file, which has one key per line. In
 * both cases, the keys of the setting `sealingKeysPrevious` are added as former keys.
 */
export function sealingKeys({ sealingKey, sealingKeysPrevious, dataDir }: KeySettings): [Buffer, ...Buffer[]] {
  const file = sealingKeyFile(dataDir);
  if (sealingKey === '' && !existsSync(file)) {
    throw new DataDirError(`${file} is missing. Restore it from a backup, or set TIDINGS_SEALING_KEY.`);
  }
  const texts = sealingKey === '' ? readFileSync(file, 'utf8').trim().split(/\s+/) : [sealingKey];
  const [key, ...former] = [...texts, ...sealingKeysPrevious].map(parseSealingKey);
  if (key && former.every((each) => each !== undefined)) return [key, ...former];
  const expected = `expected ${sealingKeyBytes} bytes in base64 or hex on each line, with the key in use on the first line`;
  throw new DataDirError(`${file}: ${expected}. Restore it from a backup.`);
}

const digestKeyPlace = ['digest key'];

/**
 * Reads the digest key, which was derived from the first sealing key of the instance. If the file of the digest key is
 * missing, or no known sealing key opens it, the digest key is derived from the oldest known sealing key.
 */
function readDigestKey(dataDir: string, [key, ...former]: readonly [Buffer, ...Buffer[]]): Buffer {
  const file = digestKeyFile(dataDir);
  const own = digestKeyOf(former.at(-1) ?? key);
  if (!existsSync(file)) return own;
  try {
    return Buffer.from(createSealer(key, former).open(readFileSync(file, 'utf8').trim(), digestKeyPlace), 'hex');
  } catch (error) {
    // The digest key was sealed under a sealing key that is not known. An operator may restore that sealing key, so the
    // file is kept, and the start continues.
    if (error instanceof SealError) return own;
    throw error;
  }
}

/**
 * Stores the digest key, so that a rotation of the sealing key does not change the digest key. The stored digest key is
 * sealed under the current sealing key.
 */
function keepDigestKey(settings: KeySettings): void {
  const file = digestKeyFile(settings.dataDir);
  const keys = sealingKeys(settings);
  const sealer = createSealer(keys[0], keys.slice(1));
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  if (known !== undefined && (sealer.isCurrent(known) || !opens(sealer, known))) return;
  writeWhole(file, `${sealer.seal(readDigestKey(settings.dataDir, keys).toString('hex'), digestKeyPlace)}\n`);
}

function opens(sealer: Sealer, sealed: string): boolean {
  try {
    return sealer.open(sealed, digestKeyPlace) !== '';
  } catch {
    return false;
  }
}

/**
 * Creates the data directory if it is missing, and removes the access of other users.
 * @returns the paths that other users could access until now
 * @throws DataDirError if the directory cannot be written to, or if other users would keep access to it
 */
export function openDataDir(dataDir: string): OpenPath[] {
  makeWritableFolder(dataDir);
  return closeToOthers(dataDir);
}

/**
 * Creates the secrets that are missing. The data directory must be locked: two concurrent starts would overwrite each
 * other's secrets.
 * @param mayMake false if missing secrets are a fault: a node of a cluster must have those of the other nodes
 * @throws DataDirError if the data directory was created with a different number of partitions, its sealing key cannot be
 *   used, or a secret is missing that must not be made
 */
export function prepareDataDir(settings: Settings, mayMake = !isOneOfSeveral(settings)): FirstStart {
  const { dataDir } = settings;
  fixPartitions(dataDir, settings.partitions);
  const made: string[] = [];
  const secret = (file: string, make: () => string): string => {
    if (!existsSync(file)) {
      if (!mayMake)
        throw new DataDirError(`${file} is missing. Copy it from another node, or restore it from a backup.`);
      writeWhole(file, `${make()}\n`);
      made.push(file);
    }
    return readFileSync(file, 'utf8').trim();
  };
  const adminKey = secret(adminKeyFile(dataDir), () => newKey('live'));
  if (settings.sealingKey === '')
    secret(sealingKeyFile(dataDir), () => randomBytes(sealingKeyBytes).toString('base64'));
  keepDigestKey(settings);
  const configured = settings.webhookSecrets;
  const random = () => randomBytes(32).toString('hex');
  const webhookSecrets = configured.length > 0 ? configured : [secret(webhookSecretFile(dataDir), random)];
  return { webhookSecrets, adminKey, made };
}

/**
 * Returns the identity of this node; undefined on one machine. The data directory must be prepared.
 * @param settings the settings with the webhook secrets that are in use
 * @throws ClusterError if the settings and the data directory contradict each other
 */
export function identityOf(settings: Settings): Identity | undefined {
  return identityInUse(settings)?.();
}

/**
 * Like `identityOf`, but returns a function for a service that runs. The admin key is read at each call, because it can
 * be rotated. A sealing key that is written to its file meanwhile is not known to the service before its next start.
 */
export function identityInUse(settings: Settings): (() => Identity) | undefined {
  const cluster = requireClusterId(settings);
  if (cluster === undefined) return undefined;
  const { dataDir, partitions, webhookSecrets } = settings;
  const [sealer, keys] = [openSealer(settings), sealingKeys(settings)];
  return () => {
    const adminKey = readFileSync(adminKeyFile(dataDir), 'utf8').trim();
    return makeIdentity({ cluster, partitions }, sealer, { sealingKeys: keys, webhookSecrets, adminKey });
  };
}

/**
 * Removes the access of other users to the data directory, because it contains every key. Throws if other users keep
 * access, or if another user owns the directory or an entry of it.
 */
function closeToOthers(dataDir: string): OpenPath[] {
  const remedy = `Or use a folder that does not exist yet, for example TIDINGS_DATA_DIR=${join(dataDir, 'tidings')}`;
  refuseForeign(dataDir, remedy);
  const { closed, open } = closeDataDir(dataDir);
  // Check the owners of the entries again. Another user may have added an entry before the directory was closed to
  // other users.
  refuseForeign(dataDir, remedy);
  const [first] = open;
  if (first === undefined) return closed;
  const { path, mode, expected } = first;
  throw new DataDirError(
    `${path} is open to other users, and its mode could not be changed: found mode ${modeText(mode)}, expected ${modeText(expected)}. Run: chmod ${modeText(expected)} ${path}. ${remedy}.`,
  );
}

function refuseForeign(dataDir: string, remedy: string): void {
  const foreign = foreignPath(dataDir);
  if (!foreign) return;
  const { path, owner } = foreign;
  const own = process.geteuid?.();
  throw new DataDirError(
    `${path} belongs to user ${owner}, but this process runs as user ${own}. If it is yours, run: chown ${own} ${path}. ${remedy}.`,
  );
}

/**
 * Creates the missing keys of the supervised nats-server, and removes the token that earlier versions of Tidings used.
 * The caller must hold the lock of the data directory. Without the lock, the keys of a running server could change, and
 * clients could not connect to that server.
 * @returns the paths of new files
 */
export function prepareJournalKeys(dataDir: string): string[] {
  rmSync(formerTokenFile(dataDir), { force: true });
  return makeJournalKeys(dataDir, writeWhole);
}

/**
 * Writes a file atomically. A plain write could leave an empty file when the process is killed, and the next start
 * would read an empty secret.
 */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true } as object);
  renameSync(`${file}.new`, file);
}

/**
 * Stores the number of partitions. The number cannot change later, because ids contain slots, and the partition of a
 * slot depends on the number of partitions.
 */
export function fixPartitions(dataDir: string, partitions: number): void {
  const file = partitionCountFile(dataDir);
  if (!existsSync(file)) writeWhole(file, `${partitions}\n`);
  const fixed = Number(readFileSync(file, 'utf8').trim());
  if (fixed === partitions) return;
  throw new DataDirError(
    `TIDINGS_PARTITIONS: ${dataDir} was created with ${fixed} partitions, got ${partitions}. Set it to ${fixed}, or start with another data directory.`,
  );
}
