/**
 * Replaces the store of a partition whose state differs from that of most nodes (`docs/architecture.md` decision 47).
 * Neither the store nor a snapshot of this node is used: it is not known since when the state is wrong.
 */
import { rmSync } from 'node:fs';
import { dayMs } from '../../src/foundation/days.ts';
import { partitionAlarms, replicaDiverged } from '../../src/foundation/metrics.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import type { Divergence } from '../../src/store/divergence.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';

/** Number of repairs within a day. A machine whose state is wrong again has a fault that no repair removes. */
export const maxRepairs = 2;

/** Thrown when the state of a partition differs from the state of most nodes. */
export class DivergedError extends Error {
  /** Whether the next start of the process replaces the store. */
  readonly isRepairable: boolean;

  constructor(
    partition: PartitionName,
    { seq, nodes, isRepairable }: { seq?: number; nodes?: readonly string[]; isRepairable: boolean },
  ) {
    const from = nodes ? `that of most other nodes (${nodes.join(', ')})` : 'that of most other nodes';
    const at = seq === undefined ? '' : ` at sequence ${seq}`;
    const next = isRepairable
      ? 'The store is replaced.'
      : `It was replaced ${maxRepairs} times within a day, so this machine has a fault. Check its memory and its disk.`;
    super(`The state of partition ${partition}${at} differs from ${from}. ${next}`);
    this.name = 'DivergedError';
    this.isRepairable = isRepairable;
  }
}

/** Returns the times of the repairs that still count. */
export function recentRepairs(divergence: Divergence | undefined, now = Date.now()): number[] {
  return (divergence?.repairs ?? []).filter((at) => Math.abs(now - at) < dayMs);
}

/** Whether the store of a partition may be replaced once more. */
export function mayRepair(divergence: Divergence | undefined): boolean {
  return recentRepairs(divergence).length < maxRepairs;
}

/** Raises or ends the alarm about a partition whose state differs from that of other nodes. */
export function showDivergence(partition: PartitionName, isDiverged: boolean): void {
  partitionAlarms.set({ partition, cause: 'diverged' }, isDiverged ? 1 : 0);
  replicaDiverged.set({ partition }, isDiverged ? 1 : 0);
}

/** Removes the snapshots of a partition. */
export function removeSnapshots(dataDir: string, partition: PartitionName): void {
  for (const { folder } of listSnapshots(dataDir, partition)) rmSync(folder, { recursive: true });
}
