/**
 * Tests the maximum number of objects per organization in the fold. If only one more object is allowed, only one
 * request succeeds. Records of earlier versions of Tidings contain no maximum.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../../src/protocol/commands.ts';
import { listRanges } from '../../../src/store/tables/ranges.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, pullRecord, repositoryFields } from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
let made = 0;

function creation(used: { most?: number; elsewhere?: number }) {
  made += 1;
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;
  const counts = { prCount: 1, issueCount: 0, resolution: 'window' } as const;
  const command: Command = { name: 'createRange', rangeId: `range_${made}`, repoId, bounds, ...counts, ...used };
  return commandRecord(command);
}

test('refuses a range over the maximum, counting ranges of other repositories', async (t) => {
  const partition = openTestPartition(t);
  const used = { most: 4, elsewhere: 2 };
  const records = [creation(used), creation(used), creation(used), creation({ most: 0, elsewhere: 9 }), creation({})];
  await foldRecords(partition, 1, pullRecord(1), ...records);
  assert.deepEqual(
    records.map(({ id }) => readResult(partition, id)?.ok),
    [true, true, false, true, true],
  );
  assert.deepEqual(readResult(partition, (records[2] as { id: string }).id), {
    ok: false,
    kind: 'conflict',
    message: 'An organization has at most 4 release ranges (TIDINGS_MAX_RANGES).',
  });
  assert.equal(listRanges(partition, repoId).length, 4);
});
