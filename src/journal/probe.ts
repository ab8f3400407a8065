/**
 * Appends a record to a partition's stream in order to learn where the stream ends. A server that is cut off from its
 * cluster continues to report its old last sequence for seconds (*measured*: 14 s), although other servers have appended
 * messages meanwhile. It cannot append anything, so the sequence of an own message is certain.
 */
import { ulid } from '../foundation/ids.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import { Batch } from './batch.ts';
import { packRecord } from './codec.ts';
import type { Journal } from './connect.ts';
import { recordsSubject, streamOf } from './subjects.ts';

const timeoutMs = 2000;

/**
 * Appends a tick to the stream of a partition and returns the sequence of its message.
 * @throws NatsError if the server does not store the message in time
 */
export function probeEnd(journal: Journal, partition: PartitionName): Promise<number> {
  const at = Date.now();
  const id = ulid(at);
  const batch = new Batch();
  batch.add(packRecord({ id, at, kind: 'tick' }));
  const message = { subject: recordsSubject(partition), stream: streamOf(partition), id, payload: batch.message() };
  return journal.publisher.publish(message, timeoutMs);
}
