/**
 * Checks the data that a stopped service left on disk. For each partition, the fold of its journal must give exactly
 * the bytes of the partition.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { connectJournal } from '../../src/journal/connect.ts';
import { localJournal, startNatsServer } from '../../src/supervisor/nats-server.ts';
import { foldBatch } from '../../workers/partition/batch.ts';
import { afterwards } from './cleanup.ts';
import { killNats, prepareNats, quiet } from './journal.ts';
import { dump, openTestPartition } from './partition.ts';
import { readStream } from './partition-stream.ts';
import { freePort } from './ports.ts';

/**
 * Folds the journals of a data directory into new stores, and compares the new stores with the existing stores. The
 * journals must never have been purged.
 */
export async function assertReplays(t: TestContext, dataDir: string, names: readonly string[]): Promise<void> {
  const port = await freePort();
  const server = await startNatsServer({ ...prepareNats(dataDir, port), maxStore: 1e12 });
  afterwards(t, () => killNats(server));
  const journal = await connectJournal(localJournal(dataDir, port, 'worker'), { role: 'worker', name: 'test' }, quiet);
  for (const name of names) {
    const replayed = openTestPartition(t, name);
    await foldBatch(replayed, await readStream(journal, name));
    assert.equal(dump(replayed), dump(openTestPartition(t, name, dataDir)), `${name} is the fold of its journal`);
  }
  await journal.close();
}
