/** `tidings cluster hand-over` lets a node hand over the partitions that it leads, for example before it is stopped. */
import { ClusterError } from '../cluster/identity.ts';
import { ServiceError } from '../foundation/errors.ts';
import { type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import type { Journal } from '../journal/connect.ts';
import { askNode } from '../journal/query.ts';
import { withServers } from './cluster-servers.ts';
import { printLines } from './print.ts';
import type { clusterEntry } from './table/cluster.ts';
import type { Run } from './usage.ts';

/** What a node has done with a partition. */
interface HandedOver {
  led: boolean;
  handedOver: boolean;
}

/** How long a node may take per partition, in milliseconds: publications that are being sent end first. */
const handOverMs = 20_000;

export const runHandOver: Run<(typeof clusterEntry.actions)['hand-over']> = (_, [wanted]) =>
  withServers(async (journal, settings) => {
    const node = wanted ?? settings.node;
    const names = partitionNames(settings.partitions);
    const answers = await Promise.all(names.map(async (name) => [name, await handOver(journal, node, name)] as const));
    const moved = answers.flatMap(([name, { handedOver }]) => (handedOver ? [name] : []));
    const kept = answers.flatMap(([name, { led, handedOver }]) => (led && !handedOver ? [name] : []));
    printLines([
      moved.length > 0 ? `Node ${node} has handed over ${moved.join(', ')}.` : `Node ${node} has handed over nothing.`,
      ...(kept.length > 0 ? [`It still leads ${kept.join(', ')}: no other node can take them over now.`] : []),
      'It takes over no partition for ten minutes, unless the lead of a partition falls silent.',
    ]);
    return kept.length > 0 ? 1 : 0;
  });

async function handOver(journal: Journal, node: string, partition: PartitionName): Promise<HandedOver> {
  try {
    return await askNode<object, HandedOver>(journal, { node, partition }, { task: 'handOver' }, handOverMs);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ClusterError(
      `Node ${node} did not answer for partition ${partition}. Is its name right, and does it run? See: tidings cluster status`,
    );
  }
}
