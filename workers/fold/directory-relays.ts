/**
 * Has the directory count something for the organisation of a repository: a relay, written with its cause.
 */
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { Partition } from '../../src/store/partition.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';

type Counted = Extract<RelayBody, { relay: 'counted' }>;

/** Counts one in the month of `at`. */
export function countFor(
  partition: Partition,
  repoId: string,
  counted: Pick<Counted, 'counter' | 'isRelease'>,
  at: number,
): void {
  const body = { relay: 'counted', repoId, ...counted, countedAt: at } as const;
  writeEffect(partition, { effect: 'relay', target: 'directory', at, body });
}
