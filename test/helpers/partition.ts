/**
 * Partitions for tests: real LMDB in temporary folders, folded the way an owner does but without a journal, and their dump.
 */
import type { TestContext } from 'node:test';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { dumpedTables, openPartition, type Partition } from '../../src/store/partition.ts';
import { foldBatch, type Message } from '../../workers/partition/batch.ts';
import { afterwards } from './cleanup.ts';
import { temporaryFolder } from './ports.ts';

/** Opens a partition for writing; it closes with the test. */
export function openTestPartition(t: TestContext, name = 'p00', dataDir = temporaryFolder(t)): Partition {
  const partition = openPartition(dataDir, name);
  afterwards(t, () => partition.close().catch(() => {}));
  return partition;
}

/** Numbers messages from `first` on. */
export function toMessages(batches: readonly (readonly JournalRecord[])[], first = 1): Message[] {
  return batches.map((records, i) => ({ seq: first + i, records }));
}

/** Folds records as one message. */
export async function foldRecords(partition: Partition, seq: number, ...records: JournalRecord[]): Promise<void> {
  await foldBatch(partition, [{ seq, records }]);
}

/** Every row of every folded table and of the ready-made responses, bytes as they lie on disk. */
export function dump(partition: Partition): string {
  const tables = [
    ...dumpedTables.map((name) => [name, partition.tables[name]] as const),
    ['responses', partition.responses] as const,
  ];
  const lines: string[] = [];
  for (const [name, table] of tables) {
    for (const key of table.getKeys({})) {
      lines.push(`${name} ${JSON.stringify(key)} ${(table.getBinary(key) as Buffer).toString('hex')}`);
    }
  }
  return lines.join('\n');
}

/** Rows of one table, for tests that look inside. */
export function rows<T>(partition: Partition, table: (typeof dumpedTables)[number]): T[] {
  return [...partition.tables[table].getRange({})].map((row) => row.value as T);
}
