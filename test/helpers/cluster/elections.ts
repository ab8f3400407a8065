/**
 * Notes when the servers of a cluster elect a new leader of a stream. An election usually takes 4 to 9 seconds, but twice
 * as long if two servers stand at the same time. A test can then tell this time from that of the service.
 */
import type { PartitionName } from '../../../src/foundation/partition-names.ts';
import type { Journal } from '../../../src/journal/connect.ts';
import { electedSubject } from '../../../src/journal/elections.ts';

export class Elections {
  private readonly at = new Map<PartitionName, number>();

  /** @param journal a connection to a server that does not fail */
  constructor({ connection }: Journal, partitions: Iterable<PartitionName>) {
    for (const partition of partitions)
      connection.subscribe(electedSubject(partition), { callback: () => this.at.set(partition, performance.now()) });
  }

  /** Returns the time from `begun` to the last election of a leader, in milliseconds; 0 if there was none since. */
  since(begun: number, partition: PartitionName): number {
    return Math.max(0, (this.at.get(partition) ?? 0) - begun);
  }
}
