/**
 * Reads the keys of a cluster from the data directory of a node, and stores them in the data directory of a new machine.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { partitionCountFile } from '../../config/partitions.ts';
import type { Settings } from '../../config/schema.ts';
import {
  ClusterError,
  clusterFile,
  differenceMessage,
  differences,
  type Membership,
  readClusterId,
} from '../cluster/identity.ts';
import type { ClusterKeys } from '../cluster/join.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { Readers } from '../store/readers.ts';
import { readIdentity } from '../store/tables/meta.ts';
import {
  adminKeyFile,
  digestKeyFile,
  fixPartitions,
  identityOf,
  sealingKeyFile,
  sealingKeys,
  webhookSecretFile,
  writeWhole,
} from './first-start.ts';

/**
 * Returns the keys that a new machine needs.
 * @param settings the settings of a running node, with the webhook secrets that are in use
 */
export function clusterKeys(settings: Settings): ClusterKeys {
  const { dataDir, webhookSecrets } = settings;
  const identity = identityOf(settings);
  if (!identity) throw new ClusterError(`${dataDir} belongs to no cluster.`);
  return {
    identity,
    sealingKeys: sealingKeys(settings).map((key) => key.toString('base64')),
    digestKey: readFileSync(digestKeyFile(dataDir), 'utf8').trim(),
    webhookSecrets,
    adminKey: readFileSync(adminKeyFile(dataDir), 'utf8').trim(),
  };
}

/**
 * Checks that a data directory is new, so that no key in it is replaced.
 * @throws ClusterError with the path of an entry that a new data directory does not have
 */
export function requireNewDataDir(dataDir: string): void {
  const cluster = readClusterId(dataDir);
  if (cluster !== undefined) {
    throw new ClusterError(`${dataDir} belongs to cluster ${cluster} already. Start the node with: tidings start`);
  }
  const files = [adminKeyFile, webhookSecretFile, sealingKeyFile, digestKeyFile, partitionCountFile].map((of) =>
    of(dataDir),
  );
  const stores = join(dataDir, 'partitions');
  const found = [...files.filter(existsSync), ...(isEmpty(stores) ? [] : [stores])][0];
  if (found === undefined) return;
  throw new ClusterError(
    `${found} exists, but a machine joins a cluster with a new data directory. Set TIDINGS_DATA_DIR to a folder that does not exist yet. To make a cluster of this machine and its data, run: tidings cluster init`,
  );
}

/**
 * Stores the keys of a cluster in a new data directory. Keys that the settings contain get no file.
 * @throws ClusterError if the settings contain other keys than the cluster has. Then nothing is stored
 */
export function storeClusterKeys(settings: Settings, keys: ClusterKeys): void {
  const { dataDir } = settings;
  const { cluster, partitions } = keys.identity;
  const files: [string, string][] = [
    [adminKeyFile(dataDir), keys.adminKey],
    [digestKeyFile(dataDir), keys.digestKey],
    ...(settings.sealingKey === '' ? [[sealingKeyFile(dataDir), keys.sealingKeys.join('\n')] as [string, string]] : []),
    ...(settings.webhookSecrets.length === 0
      ? [[webhookSecretFile(dataDir), keys.webhookSecrets[0] ?? ''] as [string, string]]
      : []),
  ];
  try {
    fixPartitions(dataDir, partitions);
    for (const [file, text] of files) writeWhole(file, `${text}\n`);
    // This file comes last: a data directory that has it is complete.
    writeClusterFile(dataDir, cluster);
    const webhookSecrets = settings.webhookSecrets.length > 0 ? settings.webhookSecrets : [...keys.webhookSecrets];
    const own = identityOf({ ...settings, partitions, webhookSecrets });
    const found = own ? differences(own, keys.identity, 'the cluster') : [];
    if (found.length > 0) throw new ClusterError(differenceMessage(found, 'the cluster'));
  } catch (error) {
    for (const file of [clusterFile(dataDir), partitionCountFile(dataDir), ...files.map(([path]) => path)])
      rmSync(file, { force: true });
    throw error;
  }
}

/** Makes a data directory the one of a node. */
export function writeClusterFile(dataDir: string, cluster: string, former?: string): void {
  const membership: Membership = { cluster, ...(former !== undefined && { former }) };
  writeWhole(clusterFile(dataDir), `${JSON.stringify(membership)}\n`);
}

/** Returns the id of the cluster whose identity the stores of a stopped service contain; undefined if there is none. */
export async function storedClusterId(dataDir: string): Promise<string | undefined> {
  const readers = new Readers(dataDir);
  try {
    const directory = readers.fresh(directoryName);
    return directory && readIdentity(directory)?.cluster;
  } finally {
    await readers.close();
  }
}

function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}
