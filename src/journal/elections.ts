/**
 * Notices that the servers of a cluster have elected a new leader of a partition's stream. The servers announce it. The
 * announcement is a hint only: a lane that misses it, or may not subscribe to it, tries again after a pause.
 */
import type { PartitionName } from '../foundation/partition-names.ts';
import type { Journal } from './connect.ts';
import { soleNode, streamOf } from './subjects.ts';

/** The new leader announces itself before it accepts messages, this many milliseconds at most. */
const settleMs = 100;

/**
 * Calls a function when a new leader accepts messages, for as long as the connection is open. On one machine, there are
 * no elections.
 */
export function onElected({ connection, node }: Journal, partition: PartitionName, callback: () => void): void {
  if (node === soleNode) return;
  connection.subscribe(electedSubject(partition), {
    callback: (error) => {
      if (!error) setTimeout(callback, settleMs).unref();
    },
  });
}

/** The subject on which the servers announce the new leader of a partition's stream. */
export function electedSubject(partition: PartitionName): string {
  return `$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.${streamOf(partition)}`;
}
