/**
 * Compares the records that were acknowledged with the records that a stream contains: none may be lost, and none may be
 * stored twice.
 */
import assert from 'node:assert/strict';
import { unpackBatch } from '../../src/journal/codec.ts';
import type { Journal } from '../../src/journal/connect.ts';
import type { Position } from '../../src/journal/lane.ts';
import { streamOf } from '../../src/journal/subjects.ts';
import { streamState } from '../../src/journal/topology.ts';

/** The ids of the records of one journal message. */
export interface StoredMessage {
  seq: number;
  ids: readonly string[];
}

/** Ids that break a promise of the journal, by promise. */
export interface SetReport {
  /** Acknowledged, but not in the stream. */
  lost: string[];
  /** More than once in the stream. */
  twice: string[];
  /** In the stream, but not at the acknowledged position. */
  misplaced: string[];
}

/** Compares acknowledged records with the content of their stream. */
export function checkSet(acked: ReadonlyMap<string, Position>, stored: Iterable<StoredMessage>): SetReport {
  const found = new Map<string, Position>();
  const twice: string[] = [];
  for (const { seq, ids } of stored) {
    for (const [index, id] of ids.entries()) {
      if (found.has(id)) twice.push(id);
      else found.set(id, { seq, index });
    }
  }
  const lost: string[] = [];
  const misplaced: string[] = [];
  for (const [id, { seq, index }] of acked) {
    const place = found.get(id);
    if (!place) lost.push(id);
    else if (place.seq !== seq || place.index !== index) misplaced.push(id);
  }
  return { lost, twice, misplaced };
}

/** Asserts that a stream contains each acknowledged record once, at its acknowledged position. */
export function assertSet(acked: ReadonlyMap<string, Position>, stored: Iterable<StoredMessage>): void {
  assert.deepEqual(checkSet(acked, stored), { lost: [], twice: [], misplaced: [] });
}

const requests = 32;

/** Returns the record ids of each message of a partition's stream. The leader of the stream reads the messages. */
export async function readIds(journal: Journal, partition: string): Promise<StoredMessage[]> {
  const { firstSeq, lastSeq } = await streamState(journal, partition);
  const messages: StoredMessage[] = [];
  let next = firstSeq;
  const reader = async (): Promise<void> => {
    while (next <= lastSeq) {
      const seq = next++;
      const { data } = await journal.manager.streams.getMessage(streamOf(partition), { seq });
      messages.push({ seq, ids: unpackBatch(data).map(({ id }) => id) });
    }
  };
  await Promise.all(Array.from({ length: requests }, reader));
  return messages.sort((a, b) => a.seq - b.seq);
}
