/**
 * The identity of a cluster: what all nodes must have in common (`docs/architecture.md` decision 50). A node whose
 * secrets differ would refuse deliveries, could not open sealed texts, or would make an admin key of its own.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Sealer } from '../foundation/seal.ts';
import type { Instance } from '../journal/instance.ts';
import type { Identity } from '../protocol/identity.ts';

/** Thrown when this machine does not fit the other nodes of its cluster, so that a restart would not help. */
export class ClusterError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ClusterError';
  }
}

/** Returns the path of the file that makes a data directory the one of a node. It contains the id of the cluster. */
export function clusterFile(dataDir: string): string {
  return join(dataDir, 'cluster.json');
}

/**
 * Reads the id of the cluster that a data directory belongs to; undefined if it belongs to no cluster.
 * @throws ClusterError if the file cannot be used
 */
export function readClusterId(dataDir: string): string | undefined {
  return readMembership(dataDir)?.cluster;
}

/** The content of the file: the cluster, and the one that the data belonged to before `tidings cluster init`. */
export interface Membership {
  cluster: string;
  former?: string;
}

/**
 * Reads to which cluster a data directory belongs; undefined if it belongs to no cluster.
 * @throws ClusterError if the file cannot be used
 */
export function readMembership(dataDir: string): Membership | undefined {
  const file = clusterFile(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    const { cluster, former } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof cluster === 'string' && cluster !== '')
      return { cluster, ...(typeof former === 'string' && { former }) };
  } catch {
    // The text of the file is not JSON.
  }
  throw new ClusterError(
    `${file} does not contain the id of a cluster. Restore it from a backup, or from another node.`,
  );
}

/**
 * Returns the id of the cluster that this node starts in; undefined on one machine.
 * @throws ClusterError if the settings and the data directory contradict each other
 */
export function requireClusterId(settings: { node: string; dataDir: string }): string | undefined {
  const { node, dataDir } = settings;
  const cluster = readClusterId(dataDir);
  if (isOneOfSeveral(settings) && cluster === undefined) {
    throw new ClusterError(
      `TIDINGS_NODE is set to ${node}, but ${dataDir} belongs to no cluster. Run "tidings cluster init" on the first machine, or "tidings cluster join" on the others.`,
    );
  }
  if (!isOneOfSeveral(settings) && cluster !== undefined) {
    throw new ClusterError(
      `${dataDir} belongs to a cluster, but TIDINGS_NODE is not set. Set it to the name of this node. To leave the cluster for good, remove ${clusterFile(dataDir)}.`,
    );
  }
  return cluster;
}

/** The secrets that all nodes have in common. */
export interface CommonSecrets {
  /** The sealing key in use, followed by former ones. */
  sealingKeys: readonly Buffer[];
  webhookSecrets: readonly string[];
  adminKey: string;
}

/**
 * Makes the identity of a node. The fingerprints are keyed with the digest key, so that no one who sees them can try out
 * guesses of a webhook secret.
 */
export function makeIdentity(
  { cluster, partitions }: Pick<Identity, 'cluster' | 'partitions'>,
  sealer: Pick<Sealer, 'mac'>,
  { sealingKeys, webhookSecrets, adminKey }: CommonSecrets,
): Identity {
  const fingerprint = (kind: string, secret: string): string => sealer.mac(secret, ['cluster identity', kind]);
  return {
    ...{ cluster, partitions },
    digestKey: fingerprint('digest key', ''),
    sealingKeys: sealingKeys.map((key) => fingerprint('sealing key', key.toString('hex'))),
    webhookSecrets: webhookSecrets.map((secret) => fingerprint('webhook secret', secret)),
    adminKey: fingerprint('admin key', adminKey),
  };
}

/** A part of the identity in which two nodes differ. */
export interface Difference {
  part: 'cluster' | 'partitions' | 'digestKey' | 'sealingKeys' | 'webhookSecrets' | 'adminKey';
  /** What differs, and what an operator can do about it. */
  text: string;
}

/**
 * Compares the identity of this node with another one. Secrets that are being rotated do not count as different: two
 * nodes need one webhook secret in common, and each must know the sealing key that the other one uses.
 * @param other name of the other identity in messages, such as `node b`
 */
export function differences(own: Identity, theirs: Identity, other: string): Difference[] {
  if (own.cluster !== theirs.cluster) {
    const text = `the cluster: this data directory belongs to cluster ${own.cluster}, ${other} to cluster ${theirs.cluster}. Set TIDINGS_NATS_URL to the servers of this cluster, or join the other cluster with an empty data directory`;
    return [{ part: 'cluster', text }];
  }
  const found: Difference[] = [];
  if (own.partitions !== theirs.partitions) {
    const text = `the number of partitions: ${other} has ${theirs.partitions}, this node has ${own.partitions}. The number cannot change. Join again with an empty data directory`;
    found.push({ part: 'partitions', text });
  }
  // The other fingerprints are keyed with the digest key, so they cannot be compared.
  if (own.digestKey !== theirs.digestKey) {
    const text = `the digest key: it is not that of ${other}. Copy the files sealing-key and digest-key of another node, or set TIDINGS_SEALING_KEY to the same value`;
    return [...found, { part: 'digestKey', text }];
  }
  const isKnown = theirs.sealingKeys.includes(own.sealingKeys[0] ?? '');
  if (!isKnown || !own.sealingKeys.includes(theirs.sealingKeys[0] ?? '')) {
    const [who, whose] = isKnown ? ['this node', `${other} uses`] : [other, 'this node uses'];
    const text = `the sealing key: ${who} does not know the key that ${whose}. List it as a former key there first (TIDINGS_SEALING_KEYS_PREVIOUS, or a further line of the file sealing-key), and restart that node`;
    found.push({ part: 'sealingKeys', text });
  }
  if (!own.webhookSecrets.some((secret) => theirs.webhookSecrets.includes(secret))) {
    const text = `the webhook secret: this node and ${other} have none in common. Set TIDINGS_WEBHOOK_SECRETS to the same value on all nodes, or copy the file webhook-secret. To change the secret, first start each node with both: TIDINGS_WEBHOOK_SECRETS=new,old`;
    found.push({ part: 'webhookSecrets', text });
  }
  if (own.adminKey !== theirs.adminKey) {
    const text = `the admin key: it is not that of ${other}. Copy the file admin-key of another node`;
    found.push({ part: 'adminKey', text });
  }
  return found;
}

/** Returns the message of a refused start. */
export function differenceMessage(found: readonly Difference[], other: string): string {
  return `This node does not match ${other}. They differ in:\n${found.map(({ text }) => `  - ${text}`).join('\n')}`;
}

/**
 * Returns why this instance must not run beside another instance on the same NATS servers; undefined if it may.
 */
export function instanceFault(own: Instance, other: Instance): string | undefined {
  const place = `${other.node === undefined ? '' : `node ${other.node}, `}data directory ${other.dataDir}`;
  if (own.node === undefined && other.node === undefined) {
    return `Another Tidings instance uses this NATS server, with the ${place}. Stop it first, or set TIDINGS_NATS_URL to another server.`;
  }
  if (own.node === undefined) {
    return `A cluster uses these NATS servers (${place}), but TIDINGS_NODE is not set here. Join the cluster with "tidings cluster join", or set TIDINGS_NATS_URL to another server.`;
  }
  if (other.node === undefined) {
    return `A Tidings instance that is not a node of a cluster uses these NATS servers (${place}). Stop it first. To make it the first node, run "tidings cluster init" with its data directory.`;
  }
  if (own.identity && other.identity && own.identity.cluster === other.identity.cluster && own.node === other.node) {
    return `Another node with the name ${other.node} is running, with the data directory ${other.dataDir}. Set TIDINGS_NODE to another name, or stop that node first.`;
  }
  const name = `node ${other.node}`;
  const found = own.identity && other.identity ? differences(own.identity, other.identity, name) : [];
  return found.length > 0 ? differenceMessage(found, name) : undefined;
}
