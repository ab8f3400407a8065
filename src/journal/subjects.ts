/**
 * Defines the names of all streams and subjects on the journal. No other file contains the name of a subject.
 */
import type { PartitionName } from '../foundation/partition-names.ts';

/** Returns the name of a partition's stream, such as `TIDINGS_P00` or `TIDINGS_DIRECTORY`. */
export function streamOf(partition: PartitionName): string {
  return `TIDINGS_${partition.toUpperCase()}`;
}

export function recordsSubject(partition: PartitionName): string {
  return `tidings.records.${partition}`;
}

export function foldedSubject(partition: PartitionName): string {
  return `tidings.folded.${partition}`;
}

/** What a partition has changed, for the live events of clients. */
export function changesSubject(partition: PartitionName): string {
  return `tidings.changes.${partition}`;
}

export function querySubject(partition: PartitionName): string {
  return `tidings.query.${partition}`;
}

/** The gateway answers requests on this subject with the facts in its memory. */
export const gatewaySubject = 'tidings.gateway';

/** The instance that has claimed a server's journal answers requests on this subject. */
export const instanceSubject = 'tidings.instance';
