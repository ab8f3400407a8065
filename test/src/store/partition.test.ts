/**
 * Opening a partition: what it costs on a disk that takes its time for each commit.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { readTime, writeTime } from '../../../src/store/tables/meta.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

/** How many commits a store has had. */
function commitsOf({ root }: Partition): number {
  return (root.getStats() as { lastTxnId: number }).lastTxnId;
}

test('is made with all its tables in one commit, and opened again without any', async (t) => {
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
