/**
 * Sends and receives what partitions have changed, for the live events of clients. The owner of a partition sends the
 * changes with its `folded` signal. Nothing is stored, and a message can be lost: after a break of the connection, a
 * receiver must assume that changes are missing.
 */
import type { PartitionName } from '../foundation/partition-names.ts';
import type { PartitionChanges } from '../protocol/live-events.ts';
import { packMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { receiveMessages } from './messages.ts';
import { changesSubject } from './subjects.ts';

/** Broadcasts what a partition has changed. */
export function publishChanges(journal: Journal, partition: PartitionName, changes: PartitionChanges): void {
  const { connection, node } = journal;
  if (!connection.isClosed()) connection.publish(changesSubject(node, partition), packMessage(changes));
}

/**
 * Receives the changes of all partitions of this node. Resolves when the server has the subscription, so every change that is
 * announced from then on is received.
 * @throws Error when the server cannot be reached. Nothing is subscribed to then.
 * @returns ends the subscription
 */
export async function receiveChanges(
  journal: Journal,
  onChanges: (changes: PartitionChanges) => void,
): Promise<() => void> {
  const { connection, node } = journal;
  const subscription = receiveMessages<PartitionChanges>(connection, changesSubject(node, '*'), onChanges);
  try {
    await connection.flush();
  } catch (error) {
    // The client would renew the subscription when the connection is back, and nothing would ever end it.
    subscription.unsubscribe();
    throw error;
  }
  return () => subscription.unsubscribe();
}
