/** Makes the journal message that contains given records, which need not be valid. */
import { Batch } from '../../src/journal/batch.ts';
import { packRecord } from '../../src/journal/codec.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';

export function packBatch(records: readonly unknown[]): Uint8Array {
  const batch = new Batch();
  for (const record of records) batch.add(packRecord(record as JournalRecord));
  return batch.message();
}
