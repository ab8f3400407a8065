/**
 * Tests that a remembered response is used only while its partition has not changed.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '../../../src/foundation/ids.ts';
import type { RangeRecord } from '../../../src/protocol/stored.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { Readers } from '../../../src/store/readers.ts';
import { ReadyResponses } from '../../../src/store/ready-responses.ts';
import { readCursor, writeCursor } from '../../../src/store/tables/meta.ts';
import { writeRange } from '../../../src/store/tables/ranges.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { epoch, repositoryFields } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const id = newId('range', 0);

/** Writes a range as the fold does: together with the cursor. */
async function writeCount(partition: Partition, prCount: number): Promise<void> {
  const range: RangeRecord = {
    id,
    repoId: repositoryFields().id,
    bounds: { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' },
    prCount,
    issueCount: 0,
    resolution: 'commits',
    createdAt: epoch,
    updatedAt: epoch,
  };
  await partition.write(() => {
    writeRange(partition, range);
    writeCursor(partition, { seq: readCursor(partition).seq + 1, recordId: 'a' });
  });
}

function open(t: TestContext) {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  const readers = new Readers(dataDir);
  afterwards(t, () => readers.close());
  const responses = new ReadyResponses(readers);
  const read = () => {
    const response = responses.remembered(id) ?? responses.read(readers.current('p00') as Partition, id);
    return response && JSON.parse(response.json.toString()).prCount;
  };
  return { partition, responses, read };
}

test('a response is remembered while its partition stays the same', async (t) => {
  const { partition, responses, read } = open(t);
  assert.equal(responses.remembered(id), undefined);
  assert.equal(read(), undefined, 'a response that does not exist is not remembered');
  await writeCount(partition, 1);
  await nextTurn();
  assert.equal(read(), 1);
  assert.equal(JSON.parse(responses.remembered(id)?.json.toString() ?? '{}').prCount, 1);
});

test('a response is read again after each commit', async (t) => {
  const { partition, responses, read } = open(t);
  for (let count = 1; count <= 20; count++) {
    await writeCount(partition, count);
    await nextTurn();
    assert.equal(responses.remembered(id), undefined);
    assert.equal(read(), count);
  }
});
