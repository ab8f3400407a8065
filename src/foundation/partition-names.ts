/**
 * Defines the names of the partitions of an instance.
 */
import { partitionOf, slotInside } from './ids.ts';

/**
 * The name of a partition. The partitions of repositories are `p00`, `p01`, …. The partition `directory` is for
 * organizations, keys and other data that is not about one repository.
 */
export type PartitionName = string;

export const directoryName: PartitionName = 'directory';

/** Returns the name of the repository partition with this number. */
export function partitionName(number: number): PartitionName {
  return `p${String(number).padStart(2, '0')}`;
}

/**
 * Returns the name of the partition that stores a repository.
 * @param repoId an id that this service made
 * @param count number of repository partitions
 */
export function partitionOfRepository(repoId: string, count: number): PartitionName {
  return partitionName(partitionOf(slotInside(repoId), count));
}

/** Returns the names of all partitions of an instance. The directory partition is the first. */
export function partitionNames(count: number): PartitionName[] {
  return [directoryName, ...Array.from({ length: count }, (_, number) => partitionName(number))];
}
