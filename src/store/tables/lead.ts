/**
 * The lead of a partition, the version of its fold rules, and the digest of its state. All three are folded from the
 * journal, so they are equal on all nodes at the same position.
 */
import type { Partition } from '../partition.ts';

/** The process that leads a partition. `term` increases with each new lead. */
export interface PartitionLead {
  term: number;
  /** Id of the process. */
  life: string;
  /** Name of the node on which the process runs. */
  node: string;
}

/** Returns the lead of the partition; undefined before the first claim. */
export function readLead(partition: Partition): PartitionLead | undefined {
  return partition.tables.meta.get('lead');
}

export function writeLead(partition: Partition, lead: PartitionLead): void {
  partition.tables.meta.putSync('lead', lead);
}

/** Returns the version of the rules by which the partition is folded; 0 before the first `foldVersion` record. */
export function readFoldVersion(partition: Partition): number {
  return partition.tables.meta.get('foldVersion') ?? 0;
}

export function writeFoldVersion(partition: Partition, version: number): void {
  partition.tables.meta.putSync('foldVersion', version);
}

/** Returns the digest of the state at the partition's cursor; undefined before fold version 1. */
export function readDigest(partition: Partition): number | undefined {
  return partition.tables.meta.get('digest');
}

export function writeDigest(partition: Partition, digest: number): void {
  partition.tables.meta.putSync('digest', digest);
}
