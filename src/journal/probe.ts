/**
 * Appends an empty message to a partition's stream in order to learn where the stream ends. A server that is cut off from
 * its cluster continues to report its old last sequence for seconds (*measured*: 14 s), although other servers have
 * appended messages meanwhile. It cannot append anything, so the sequence of an own message is certain.
 */
import { ulid } from '../foundation/ids.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import { Batch } from './batch.ts';
import type { Journal } from './connect.ts';
import { recordsSubject, streamOf } from './subjects.ts';

const timeoutMs = 2000;

/**
 * Appends a message without records to the stream of a partition, and returns the sequence of the message.
 * @throws Error if the server does not store the message in time, or calls it a duplicate, which a new id cannot be
 */
export async function probeEnd(journal: Journal, partition: PartitionName): Promise<number> {
  const payload = new Batch().message();
  const message = { subject: recordsSubject(partition), stream: streamOf(partition), id: ulid(), payload };
  const { seq, duplicate } = await journal.publisher.publish(message, timeoutMs);
  if (duplicate) throw new Error(`the server calls a new message a duplicate of sequence ${seq}`);
  return seq;
}
