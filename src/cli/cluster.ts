/**
 * `tidings cluster init` makes this machine the first node of a cluster, or makes a token for a further one.
 * `tidings cluster join` fetches the keys of a cluster with such a token.
 */
import type { Settings } from '../../config/schema.ts';
import { ClusterError, readClusterId } from '../cluster/identity.ts';
import { beginExchange } from '../cluster/join.ts';
import { type JoinToken, makeToken, readTokenFile, tokenMs } from '../cluster/join-token.ts';
import { ulid } from '../foundation/ids.ts';
import { askToJoin } from '../journal/cluster.ts';
import type { Journal } from '../journal/connect.ts';
import { askInstances, type Instance } from '../journal/instance.ts';
import { requirePartitions } from '../journal/topology.ts';
import { takeLock } from '../store/lock.ts';
import { requireNewDataDir, storeClusterKeys, storedClusterId, writeClusterFile } from '../supervisor/cluster-keys.ts';
import { openDataDir, prepareDataDir } from '../supervisor/first-start.ts';
import { runHandOver } from './cluster-hand-over.ts';
import { withServers } from './cluster-servers.ts';
import { runStatus, runUpgrade } from './cluster-status.ts';
import { printLines } from './print.ts';
import type { clusterEntry } from './table/cluster.ts';
import type { Run, Runs } from './usage.ts';

const runInit: Run<typeof clusterEntry.actions.init> = () =>
  withServers(async (journal, settings) => {
    const { dataDir, node, partitions, journalReplicas } = settings;
    openDataDir(dataDir);
    const known = readClusterId(dataDir);
    const cluster = known ?? (await makeCluster(journal, settings));
    const file = makeToken(dataDir, { cluster, node }, Date.now());
    printLines([
      known === undefined
        ? `Made cluster ${cluster} with the first node ${node}. It has ${partitions} partitions, which cannot change.`
        : `This machine is node ${node} of cluster ${cluster}.`,
      `Made a token for one machine. It expires in ${tokenMs / 60_000} minutes: ${file}`,
      ...(journalReplicas < 3
        ? [
            `Note: TIDINGS_JOURNAL_REPLICAS is ${journalReplicas}. With 3, each new stream is stored on three NATS servers and survives the loss of one.`,
          ]
        : []),
      '',
      'Next:',
      `  1. If the service is not running here, start it: tidings start`,
      `  2. Copy the token to the next machine, for example with scp. It gives access to all keys.`,
      `  3. On that machine, set TIDINGS_NODE to another name, the other settings as here, and run: tidings cluster join --token FILE`,
      `  4. Start that machine: tidings start. For a further machine, run tidings cluster init here again.`,
    ]);
    return 0;
  });

/** Makes the id of a new cluster. An existing data directory keeps its keys and stores. */
async function makeCluster(journal: Journal, settings: Settings): Promise<string> {
  const { dataDir, partitions } = settings;
  const lock = await takeLock(dataDir, 'supervisor').catch(() => {
    throw new ClusterError(`Tidings runs on ${dataDir}. Stop it first, so that all its records are in its stores.`);
  });
  try {
    for (const { node, dataDir: other } of await askInstances(journal)) {
      throw new ClusterError(
        node === undefined
          ? `A Tidings instance uses these NATS servers, with the data directory ${other}. Stop it first.`
          : `Node ${node} of another cluster uses these NATS servers. To join it, run: tidings cluster join`,
      );
    }
    await requirePartitions(journal, partitions, () => true);
    prepareDataDir(settings, true);
    const cluster = ulid();
    writeClusterFile(dataDir, cluster, await storedClusterId(dataDir));
    return cluster;
  } finally {
    await lock.release();
  }
}

const runJoin: Run<typeof clusterEntry.actions.join> = ({ token: file }, [addresses]) =>
  withServers(async (journal, settings) => {
    const { dataDir, node } = settings;
    requireNewDataDir(dataDir);
    const token = readTokenFile(file);
    requireMaker(await askInstances(journal), token, node);
    openDataDir(dataDir);
    const lock = await takeLock(dataDir, 'supervisor');
    try {
      requireNewDataDir(dataDir);
      const exchange = beginExchange(token, node);
      const reply = await askToJoin(journal, token.node, exchange.request);
      if (reply === undefined) throw new ClusterError(`Node ${token.node} did not answer in time. Try again.`);
      const keys = exchange.open(reply);
      storeClusterKeys(settings, keys);
      const { cluster, partitions } = keys.identity;
      printLines([
        `Joined cluster ${cluster} as node ${node}. The keys are in ${dataDir}.`,
        `The cluster has ${partitions} partitions. If TIDINGS_PARTITIONS is set, it must be ${partitions}.`,
        ...(keys.webhookSecrets.length > 1
          ? [`Note: the webhook secret is being rotated. Set TIDINGS_WEBHOOK_SECRETS as on node ${token.node}.`]
          : []),
        `Delete the token: ${file}. It does not work any more.`,
        'Next: tidings start',
      ]);
      return 0;
    } finally {
      await lock.release();
    }
  }, addresses);

/** Checks that the node that made a token is running, and that no node has the name of this machine. */
function requireMaker(instances: readonly Instance[], { node: maker, cluster }: JoinToken, node: string): void {
  const alone = instances.find((instance) => instance.node === undefined);
  if (alone) {
    throw new ClusterError(
      `A Tidings instance that is not a node of a cluster uses these NATS servers, with the data directory ${alone.dataDir}.`,
    );
  }
  const foreign = instances.find(({ identity }) => identity && identity.cluster !== cluster);
  if (foreign?.identity) {
    throw new ClusterError(
      `The token is for cluster ${cluster}, but node ${foreign.node} on these NATS servers belongs to cluster ${foreign.identity.cluster}.`,
    );
  }
  if (!instances.some((instance) => instance.node === maker)) {
    throw new ClusterError(
      `Node ${maker}, which made the token, is not running on these NATS servers. Start it first.`,
    );
  }
  if (instances.some((instance) => instance.node === node)) {
    throw new ClusterError(`A node with the name ${node} is running. Set TIDINGS_NODE to another name.`);
  }
}

export const clusterActions: Runs<typeof clusterEntry> = {
  init: runInit,
  join: runJoin,
  status: runStatus,
  'hand-over': runHandOver,
  upgrade: runUpgrade,
};
