/**
 * Names on the journal: partitions, their streams and subjects. Nobody else spells a subject.
 */

/** `p00`, `p01`, … for the partitions of repositories, `directory` for what spans them. */
export type PartitionName = string;

export const directoryName: PartitionName = 'directory';

/** Name of a repository partition by number. */
export function partitionName(number: number): PartitionName {
  return `p${String(number).padStart(2, '0')}`;
}

/** All partitions of an instance, the directory first. */
export function partitionNames(count: number): PartitionName[] {
  return [directoryName, ...Array.from({ length: count }, (_, number) => partitionName(number))];
}

/** Stream of a partition: `TIDINGS_P00`, `TIDINGS_DIRECTORY`. */
export function streamOf(partition: PartitionName): string {
  return `TIDINGS_${partition.toUpperCase()}`;
}

export function recordsSubject(partition: PartitionName): string {
  return `tidings.records.${partition}`;
}

export function foldedSubject(partition: PartitionName): string {
  return `tidings.folded.${partition}`;
}

export function querySubject(partition: PartitionName): string {
  return `tidings.query.${partition}`;
}

/** Answered by the gateway: what it knows of itself and keeps in memory. */
export const gatewaySubject = 'tidings.gateway';

/** Answered by the one instance that works on a server's streams. */
export const instanceSubject = 'tidings.instance';
