/**
 * Checks that a partition contains exactly what the fold makes of its journal. The stored bytes depend neither on the
 * batches nor on restarts of the owner process.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openPartition } from '../../../src/store/partition.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { dump, openTestPartition, toMessages } from '../../helpers/partition.ts';
import { anyJournal } from '../../helpers/partition-steps.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('folds to the same bytes in batches of any size', async (t) => {
  let round = 0;
  const dataDir = temporaryFolder(t);
  await fc.assert(
    fc.asyncProperty(anyJournal, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), async (journal, sizes) => {
      round += 1;
      const messages = toMessages(journal);
      const whole = openPartition(dataDir, `whole-${round}`);
      const parts = openPartition(dataDir, `parts-${round}`);
      await foldBatch(whole, messages);
      for (let start = 0, i = 0; start < messages.length; i++) {
        const size = sizes[i % sizes.length] as number;
        await foldBatch(parts, messages.slice(start, start + size));
        start += size;
      }
      const [left, right] = [dump(whole), dump(parts)];
      await Promise.all([whole.close(), parts.close()]);
      assert.equal(right, left);
    }),
    { numRuns: 25 },
  );
});

test('folds to the same bytes with restarts in between', async (t) => {
  const dataDir = temporaryFolder(t);
  const [journal] = fc.sample(fc.array(anyJournal, { minLength: 8, maxLength: 8 }), { numRuns: 1, seed: 7 });
  const messages = toMessages((journal ?? []).flat());
  const live = openTestPartition(t);
  await foldBatch(live, messages);
  for (let start = 0; start < messages.length; start += 25) {
    const partition = openPartition(dataDir, 'p00');
    await foldBatch(partition, messages.slice(start, start + 25));
    await partition.close();
  }
  assert.equal(dump(openTestPartition(t, 'p00', dataDir)), dump(live));
});
