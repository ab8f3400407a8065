/**
 * Compares a partition's cursor with its stream before the stream is read. A stream that was cut or replaced begins a
 * new epoch. The whole stream is then read again, and records that are already folded are recognized as duplicates
 * (`docs/architecture.md` decision 6).
 */

import type { Logger } from '../../src/foundation/logger.ts';
import { cursorEpoch } from '../../src/foundation/metrics.ts';
import { unpackBatch } from '../../src/journal/codec.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { probeEnd } from '../../src/journal/probe.ts';
import { streamOf } from '../../src/journal/subjects.ts';
import type { StreamState } from '../../src/journal/topology.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  type Cursor,
  readCursor,
  readStreamIdentity,
  writeCursor,
  writeStreamIdentity,
} from '../../src/store/tables/meta.ts';

/** Checks the cursor against the stream. If a new epoch begins, the cursor moves back to the stream's beginning. */
export async function checkEpoch(
  partition: Partition,
  journal: Journal,
  stream: StreamState,
  logger: Logger,
): Promise<void> {
  const cursor = readCursor(partition);
  const known = readStreamIdentity(partition);
  let epoch = known?.epoch ?? 0;
  if (cursor.seq > 0 && (await isCut(partition, journal, cursor, stream))) {
    epoch += 1;
    logger.error(
      { partition: partition.name, cursor: cursor.seq, lastSeq: stream.lastSeq },
      'journal was cut or replaced: it is read again from its start',
    );
    // `firstSeq` is 0 in a stream that never held a message, and 1 before the first purge. Both mean cursor 0.
    const seq = Math.max(0, stream.firstSeq - 1);
    await partition.write(() => writeCursor(partition, { seq, recordId: '' }));
  }
  cursorEpoch.set({ partition: partition.name }, epoch);
  if (known?.created === stream.created && known.epoch === epoch) return;
  await partition.write(() => writeStreamIdentity(partition, { created: stream.created, epoch }));
}

/**
 * Whether the stream was cut or replaced. If only the message at the cursor and older ones were purged, the stream was
 * not cut.
 */
async function isCut(partition: Partition, journal: Journal, cursor: Cursor, stream: StreamState): Promise<boolean> {
  // The server may be cut off from its cluster and report an old state, so only an own message proves the cut.
  if (stream.lastSeq < cursor.seq) return (await probeEnd(journal, partition.name)) <= cursor.seq;
  if (stream.firstSeq > cursor.seq || cursor.recordId === '') return false;
  const message = await journal.manager.streams
    .getMessage(streamOf(partition.name), { seq: cursor.seq })
    .catch((error: Error) => {
      if (/no message found/i.test(error.message)) return undefined;
      throw error;
    });
  return message !== undefined && lastIdOf(message.data) !== cursor.recordId;
}

function lastIdOf(bytes: Uint8Array): string | undefined {
  try {
    return unpackBatch(bytes).at(-1)?.id;
  } catch {
    return undefined;
  }
}
