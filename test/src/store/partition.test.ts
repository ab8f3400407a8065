/**
 * Tests the opening of a partition: the number of commits, and the names of the partition's tables. The number of
 * commits matters because each commit waits for the disk.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { foldedTables } from '../../../src/store/table-registry.ts';
import { readTime, writeTime } from '../../../src/store/tables/meta.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

/** Returns the number of commits that a store has had. */
function commitsOf({ root }: Partition): number {
  return (root.getStats() as { lastTxnId: number }).lastTxnId;
}

test('a new partition creates all its tables in one commit, and opening it again needs none', async (t) => {
  const dataDir = temporaryFolder(t);
  const made = openPartition(dataDir, 'p00');
  assert.equal(commitsOf(made), 1);
  await made.write(() => {
    writeTime(made, 7);
    made.responses.putSync('key', Buffer.from('bytes'));
  });
  await made.close();
  const again = openPartition(dataDir, 'p00');
  assert.deepEqual([commitsOf(again), readTime(again), again.responses.get('key')], [2, 7, Buffer.from('bytes')]);
  await again.close();
});

test('tables keep the names that stores of every version have in LMDB', (t) => {
  const partition = openTestPartition(t);
  const names = [...partition.root.getKeys()];
  assert.equal(names.length, foldedTables.length + 2);
  for (const name of [
    'organisations',
    'organisationsByOwner',
    'organisationsByLogin',
    'webhookEndpointsByOrganisation',
  ])
    assert.ok(names.includes(name), name);
});
