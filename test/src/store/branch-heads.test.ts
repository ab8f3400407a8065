/** Tests that the head of a branch follows from the captured pushes, in whatever order they arrive. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import { openPartition } from '../../../src/store/partition.ts';
import { readHead } from '../../../src/store/tables/branch-heads.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  branchPush,
  epoch,
  eventRecord,
  pullRecord,
  repositoryFields,
  shaNumber,
} from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const { id } = repositoryFields();
const pushed = (from: number, to: number, fields: Parameters<typeof branchPush>[2] = {}): EventRecord =>
  eventRecord({ event: 'push', push: branchPush(from, to, fields) });

test('the head is the end of the newest push, in every order of arrival', async (t) => {
  const pushes = [pushed(1, 2), pushed(2, 3), pushed(3, 4)];
  const orders = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
    [2, 0, 1],
  ];
  for (const order of orders) {
    const partition = openTestPartition(t);
    for (const [seq, index] of order.entries()) await foldRecords(partition, seq + 1, pushes[index] as EventRecord);
    assert.deepEqual(readHead(partition, id, 'main'), { sha: shaNumber(4), at: epoch + 4000 });
    assert.equal(readHead(partition, id, 'other'), undefined);
  }
});

test('pushes of the same second follow one another', async (t) => {
  const second = { pushedAt: epoch };
  const pushes = [pushed(1, 2, second), pushed(2, 3, second), pushed(3, 4, second)];
  for (const order of [pushes, [...pushes].reverse(), [pushes[1], pushes[2], pushes[0]]]) {
    const partition = openTestPartition(t);
    await foldRecords(partition, 1, ...(order as EventRecord[]));
    assert.equal(readHead(partition, id, 'main')?.sha, shaNumber(4));
  }
});

test('a deleted branch has no head, and a branch that is set back has its former head', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pushed(1, 5));
  await foldRecords(partition, 2, pushed(5, 5, { after: shaNumber(3), forced: true, pushedAt: epoch + 9000 }));
  assert.equal(readHead(partition, id, 'main')?.sha, shaNumber(3));
  await foldRecords(partition, 3, pushed(3, 3, { deleted: true, pushedAt: epoch + 10_000 }));
  assert.deepEqual(readHead(partition, id, 'main'), { sha: null, at: epoch + 10_000 });
});

test('a commit that a backfill read with a date in the future does not hide later pushes', async (t) => {
  const partition = openTestPartition(t);
  const step = { before: shaNumber(1), after: shaNumber(2), shas: [shaNumber(2)], gap: false, at: epoch + 1e11 };
  const commits = [
    { sha: shaNumber(2), message: 'x', at: step.at, author: null, coAuthors: [], parents: [shaNumber(1)] },
  ];
  await foldRecords(
    partition,
    1,
    pullRecord(1),
    backfilledRecord([
      { event: 'commits', commits },
      { event: 'steps', branch: 'main', steps: [step] },
    ]),
  );
  assert.deepEqual(readHead(partition, id, 'main'), { sha: shaNumber(2), at: epoch });
  await foldRecords(partition, 2, pushed(2, 3));
  assert.equal(readHead(partition, id, 'main')?.sha, shaNumber(3));
});

test('the upgrade adds the heads of branches to a store of an earlier version', async (t) => {
  const dataDir = temporaryFolder(t);
  const earlier = openTestPartition(t, 'p00', dataDir);
  await foldRecords(earlier, 1, pushed(1, 2), pushed(2, 3), pushed(3, 4, { branch: 'side' }));
  const expected = dump(earlier);
  await earlier.root.transaction(() => {
    for (const key of [...earlier.tables.branchHeads.getKeys({})]) earlier.tables.branchHeads.removeSync(key);
  });
  assert.notEqual(dump(earlier), expected);
  await earlier.close();
  const partition = openPartition(dataDir, 'p00');
  assert.equal(dump(partition), expected);
  await partition.close();
});
