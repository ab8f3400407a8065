/** Describes the partitions of a worker, for `tidings cluster status`. */
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { version } from '../../src/foundation/version.ts';
import type { PartitionStatus, WorkerStatus } from '../../src/journal/cluster.ts';
import { readFoldVersion, readLead } from '../../src/store/tables/lead.ts';
import { foldVersion } from '../fold/lead.ts';
import type { ServedPartition } from './serve.ts';

/**
 * Returns the state of all partitions that a worker of a node serves.
 * @param stopped the causes why partitions do not continue
 */
export function statusOf(
  node: string,
  served: readonly ServedPartition[],
  stopped: ReadonlyMap<PartitionName, string>,
): WorkerStatus {
  return {
    ...{ from: 'worker', node, version, foldVersion, partitions: served.map(partitionStatus) },
    stopped: [...stopped].map(([name, cause]) => ({ name, cause })),
  };
}

function partitionStatus({ owner, leads, standing }: ServedPartition): PartitionStatus {
  const { name, seq, caughtUp, digest, named, partition } = owner;
  const lead = readLead(partition);
  return {
    ...{ name, seq, caughtUp, leads },
    lead: lead ? { term: lead.term, node: lead.node } : null,
    foldVersion: readFoldVersion(partition),
    ...{ digest: digest ?? null, named, standing },
  };
}
