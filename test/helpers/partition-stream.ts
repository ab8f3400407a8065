/**
 * Creates a small partition stream for tests. Opens a real lane that writes to the stream, and reads the stored
 * messages.
 */
import type { TestContext } from 'node:test';
import { unpackBatch } from '../../src/journal/codec.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { Lane, type LaneOptions, type Position } from '../../src/journal/lane.ts';
import { streamOf } from '../../src/journal/subjects.ts';
import { ensureStream, streamState } from '../../src/journal/topology.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { afterwards } from './cleanup.ts';
import { quiet } from './journal.ts';

export const streamBytes = 268_435_456;

const defaults: LaneOptions = {
  batchRecords: 64,
  batchBytes: 1_048_576,
  waitingRecords: 10_000,
  waitingBytes: 67_108_864,
  ackDeadlineMs: 10_000,
};

/** Makes the stream of a partition and opens a lane that writes to it. The lane closes when the test ends. */
export async function openLane(
  t: TestContext,
  journal: Journal,
  options: Partial<LaneOptions> = {},
  maxBytes = streamBytes,
): Promise<Lane> {
  await ensureStream(journal, 'p00', maxBytes);
  const lane = new Lane(journal, 'p00', { ...defaults, ...options }, quiet);
  afterwards(t, () => lane.close());
  return lane;
}

/** Returns the whole content of a partition's stream, message by message. */
export async function readStream(journal: Journal, name = 'p00'): Promise<{ seq: number; records: JournalRecord[] }[]> {
  const { firstSeq, lastSeq } = await streamState(journal, name);
  const messages = [];
  for (let seq = firstSeq; seq <= lastSeq; seq++) {
    const message = await journal.manager.streams.getMessage(streamOf(name), { seq });
    messages.push({ seq, records: unpackBatch(message.data) });
  }
  return messages;
}

/**
 * Skips one sequence number in the stream of a partition, as if a message were lost. The stream does not allow deletes.
 * Therefore a message with a different subject is published and then purged.
 */
export async function leaveHole(journal: Journal, name = 'p00'): Promise<void> {
  const { streams } = journal.manager;
  const [stream, subject] = [streamOf(name), `hole.${name}`];
  const { config } = await streams.info(stream);
  await streams.update(stream, { ...config, subjects: [...config.subjects, subject] });
  await journal.jetstream.publish(subject, 'lost');
  await streams.purge(stream, { filter: subject });
  await streams.update(stream, config);
}

/** Returns the ids of all records of a stream, in order. */
export async function recordIds(journal: Journal, name = 'p00'): Promise<string[]> {
  return (await readStream(journal, name)).flatMap(({ records }) => records.map((record) => record.id));
}

/** Makes a small record with the given id. */
export function smallRecord(id: string, bytes = 0): JournalRecord {
  return { id, at: 1, kind: 'tick', ...(bytes > 0 && { padding: 'x'.repeat(bytes) }) } as JournalRecord;
}

/** Enqueues all records at once, without waiting for earlier records. Returns the outcome of each record, in order. */
export function enqueueAll(
  lane: Lane,
  ids: readonly string[],
  bytes = 0,
): Promise<({ id: string; position: Position } | { id: string; error: Error })[]> {
  return Promise.all(
    ids.map((id) =>
      lane.enqueue(smallRecord(id, bytes)).then(
        (position) => ({ id, position }),
        (error: Error) => ({ id, error }),
      ),
    ),
  );
}
