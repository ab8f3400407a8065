/**
 * Opens and dumps partitions for tests. The partitions are real LMDB stores in temporary folders. The helpers fold
 * records as the owner of a partition does, but without a journal.
 */
import type { TestContext } from 'node:test';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { openPartition, type Partition } from '../../src/store/partition.ts';
import { foldedTables } from '../../src/store/table-registry.ts';
import { listRelays } from '../../src/store/tables/outbox.ts';
import { foldBatch, type Message } from '../../workers/partition/batch.ts';
import { afterwards } from './cleanup.ts';
import { temporaryFolder } from './ports.ts';

/** Opens a partition for writing. It closes when the test ends. */
export function openTestPartition(t: TestContext, name = 'p00', dataDir = temporaryFolder(t)): Partition {
  const partition = openPartition(dataDir, name);
  afterwards(t, () => partition.close().catch(() => {}));
  return partition;
}

/** Turns batches of records into messages with consecutive sequence numbers that start at `first`. */
export function toMessages(batches: readonly (readonly JournalRecord[])[], first = 1): Message[] {
  return batches.map((records, i) => ({ seq: first + i, records }));
}

/** Folds records as one message with the sequence number `seq`. */
export async function foldRecords(partition: Partition, seq: number, ...records: JournalRecord[]): Promise<void> {
  await foldBatch(partition, [{ seq, records }]);
}

/**
 * Returns every row of every folded table and every prepared response. The values are the stored bytes in hexadecimal.
 */
export function dump(partition: Partition): string {
  const tables = [
    ...foldedTables.map((name) => [name, partition.tables[name]] as const),
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

/** Returns the events for webhook endpoints that wait in the outbox of a repository's partition, oldest first. */
export function reportedEvents(partition: Partition): { event: string; happenedAt: number; data: object }[] {
  return listRelays(partition, 1000).flatMap(({ effect: { body } }) =>
    body.relay === 'webhookEvent' ? [{ event: body.event, happenedAt: body.happenedAt, data: body.data }] : [],
  );
}

/** Returns the decoded rows of one table. */
export function rows<T>(partition: Partition, table: (typeof foldedTables)[number]): T[] {
  return [...partition.tables[table].getRange({})].map((row) => row.value as T);
}
