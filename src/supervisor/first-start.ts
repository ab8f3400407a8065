/**
 * What the first start makes and every start reads: the webhook secret, the sealing key, the instance's admin key, the
 * keys of the supervised nats-server, the partition count. Secrets lie in files of mode 0600 in the data directory and nowhere else.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/schema.ts';
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
import { DataDirError, makeWritableFolder } from './data-dir.ts';

/** What a start finds or makes. `made` lists the files that are new. */
export interface FirstStart {
  webhookSecrets: readonly string[];
  adminKey: string;
  made: readonly string[];
}

/** Path of the admin key's file. */
export function adminKeyFile(dataDir: string): string {
  return join(dataDir, 'admin-key');
}

/** Path of the token that earlier versions reached the supervised nats-server with. */
function formerTokenFile(dataDir: string): string {
  return join(dataDir, 'nats-token');
}

/** Path of the webhook secret made at first start. */
export function webhookSecretFile(dataDir: string): string {
  return join(dataDir, 'webhook-secret');
}

/** Path of the sealing key made at first start. */
export function sealingKeyFile(dataDir: string): string {
  return join(dataDir, 'sealing-key');
}

/** Path of the key that digests are made with, sealed under the sealing key. */
function digestKeyFile(dataDir: string): string {
  return join(dataDir, 'digest-key');
}

type KeySettings = Pick<Settings, 'sealingKey' | 'sealingKeysPrevious' | 'dataDir'>;

/**
 * The sealer of the key that the settings name, else of the one in the data directory, and of former ones.
 * @throws DataDirError when there is none, or the file does not hold one
 */
export function openSealer(settings: KeySettings): Sealer {
  const [key, ...former] = sealingKeys(settings);
  return createSealer(key, former, readDigestKey(settings.dataDir, [key, ...former]));
}

/** The key in use and the former ones: of the settings, else each on a line of the file, and those the settings add. */
function sealingKeys({ sealingKey, sealingKeysPrevious, dataDir }: KeySettings): [Buffer, ...Buffer[]] {
  const file = sealingKeyFile(dataDir);
  if (sealingKey === '' && !existsSync(file)) {
    throw new DataDirError(`${file} is missing. Put it back from a backup, or set TIDINGS_SEALING_KEY.`);
  }
  const texts = sealingKey === '' ? readFileSync(file, 'utf8').trim().split(/\s+/) : [sealingKey];
  const [key, ...former] = [...texts, ...sealingKeysPrevious].map(parseSealingKey);
  if (key && former.every((each) => each !== undefined)) return [key, ...former];
  const expected = `expected ${sealingKeyBytes} bytes in base64 or hex on each line, the key in use first`;
  throw new DataDirError(`${file}: ${expected}. Put it back from a backup.`);
}

const digestKeyPlace = ['digest key'];

/** The key of digests: that of the first sealing key there was. Without a file that opens, of the oldest that is named. */
function readDigestKey(dataDir: string, [key, ...former]: readonly [Buffer, ...Buffer[]]): Buffer {
  const file = digestKeyFile(dataDir);
  const own = digestKeyOf(former.at(-1) ?? key);
  if (!existsSync(file)) return own;
  try {
    return Buffer.from(createSealer(key, former).open(readFileSync(file, 'utf8').trim(), digestKeyPlace), 'hex');
  } catch (error) {
    // Of a key that was lost, or is to be put back: nothing stops, and the file waits.
    if (error instanceof SealError) return own;
    throw error;
  }
}

/** Writes the key of digests down, sealed under the key in use, so that it outlives a rotation. */
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
 * Makes the data directory where it is missing, and closes it to other users.
 * @returns what they could use before
 * @throws DataDirError when it cannot be written, or others can use it and that cannot be changed
 */
export function openDataDir(dataDir: string): OpenPath[] {
  makeWritableFolder(dataDir);
  return closeToOthers(dataDir);
}

/**
 * Prepares what a data directory holds. It must be locked: of two starts each would write secrets over those of the other.
 * @throws DataDirError when it was made with another number of partitions, or its sealing key cannot be used
 */
export function prepareDataDir(settings: Settings): FirstStart {
  const { dataDir } = settings;
  fixPartitions(dataDir, settings.partitions);
  const made: string[] = [];
  const secret = (file: string, make: () => string): string => {
    if (!existsSync(file)) {
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

/** Closes the data directory, or refuses one that stays open or that others have a part in: it holds every key. */
function closeToOthers(dataDir: string): OpenPath[] {
  const remedy = `or name a folder that does not exist yet, like TIDINGS_DATA_DIR=${join(dataDir, 'tidings')}`;
  refuseForeign(dataDir, remedy);
  const { closed, open } = closeDataDir(dataDir);
  // Once more: until it was closed, others may have put something there.
  refuseForeign(dataDir, remedy);
  const [first] = open;
  if (first === undefined) return closed;
  const { path, mode, expected } = first;
  throw new DataDirError(
    `${path} can be used by other users and cannot be closed: found mode ${modeText(mode)}, expected ${modeText(expected)}. Run: chmod ${modeText(expected)} ${path}, ${remedy}.`,
  );
}

function refuseForeign(dataDir: string, remedy: string): void {
  const foreign = foreignPath(dataDir);
  if (!foreign) return;
  const { path, owner } = foreign;
  const own = process.geteuid?.();
  throw new DataDirError(
    `${path} belongs to user ${owner}, expected user ${own}, whom this process runs as. If it is yours, run: chown ${own} ${path}, ${remedy}.`,
  );
}

/**
 * Makes the keys of the supervised nats-server that are missing, and removes the token of earlier versions. The data directory
 * must be locked: keys that change under a running server lock its clients out.
 * @returns the files that are new
 */
export function prepareJournalKeys(dataDir: string): string[] {
  rmSync(formerTokenFile(dataDir), { force: true });
  return makeJournalKeys(dataDir, writeWhole);
}

/** A start that ends in between must leave no file or a whole one: an empty secret would be taken for one. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true } as object);
  renameSync(`${file}.new`, file);
}

/** Ids carry slots, and slots lie in partitions by their number: it cannot change later. */
function fixPartitions(dataDir: string, partitions: number): void {
  const file = join(dataDir, 'partition-count');
  if (!existsSync(file)) writeWhole(file, `${partitions}\n`);
  const fixed = Number(readFileSync(file, 'utf8').trim());
  if (fixed === partitions) return;
  throw new DataDirError(
    `TIDINGS_PARTITIONS: ${dataDir} was made with ${fixed} partitions, got ${partitions}. Set it to ${fixed}, or start with another data directory.`,
  );
}
