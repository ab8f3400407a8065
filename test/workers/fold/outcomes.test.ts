/**
 * Checks the events that recounts send to webhook endpoints: one event per recount that changed the counts or the
 * resolution of a range.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ResultBody } from '../../../src/protocol/results.ts';
import { readRange } from '../../../src/store/tables/ranges.ts';
import { foldRecords, openTestPartition, reportedEvents } from '../../helpers/partition.ts';
import { commandRecord, epoch, pullRecord, repositoryFields, resultRecord } from '../../helpers/partition-records.ts';

const { id: repoId } = repositoryFields();
const rangeId = 'range_00000000000000000000000000aa';
const fromDay = { fromDate: '2026-01-01', toDate: '2026-01-31', timeZone: 'Europe/Rome' } as const;
const counts = { prCount: 1, issueCount: 0, resolution: 'window' } as const;
type Counted = Extract<ResultBody, { result: 'recounted' }>['counts'][number];

/** Opens a partition with a range of dates. Returns a function that folds a recount of the range. */
async function openStage(t: TestContext) {
  const partition = openTestPartition(t);
  const bounds = { type: 'DATE_BASED', ...fromDay, span: { from: 1, to: 2 } } as const;
  await foldRecords(
    partition,
    1,
    pullRecord(1),
    commandRecord({ name: 'createRange', rangeId, repoId, bounds, ...counts }),
  );
  let seq = 1;
  const recount = (fields: Partial<Counted>, marks: { reports?: true } = { reports: true }) => {
    seq += 1;
    const fresh = { rangeId, ...counts, commitCount: 0, ...fields };
    const record = resultRecord({ result: 'recounted', repoId, row: 0, ...marks, counts: [fresh] }, epoch + seq);
    return foldRecords(partition, seq, record);
  };
  const changes = () => reportedEvents(partition).filter(({ event }) => event === 'range.changed');
  return { partition, recount, changes };
}

test('a recount that changes a range sends one event with the counts before and after it', async (t) => {
  const { partition, recount, changes } = await openStage(t);
  await recount({});
  await recount({ commitCount: 5 });
  assert.deepEqual(changes(), [], 'the counts that a reply shows have not changed');
  await recount({ prCount: 4 });
  await recount({ prCount: 4 });
  await recount({ prCount: 4, resolution: 'commits', assumed: true });
  const range = { releaseRangeId: rangeId, repoId, type: 'DATE_BASED', ...fromDay };
  const four = { ...counts, prCount: 4 };
  assert.deepEqual(changes(), [
    { event: 'range.changed', happenedAt: epoch + 4, data: { ...range, before: counts, after: four } },
    {
      event: 'range.changed',
      happenedAt: epoch + 6,
      data: { ...range, before: four, after: { ...four, resolution: 'commits', assumed: true } },
    },
  ]);
  assert.equal(readRange(partition, rangeId)?.updatedAt, epoch + 6, 'an event has the time of the change');
});

test('a recount in a record of an earlier version sends no event', async (t) => {
  const { partition, recount, changes } = await openStage(t);
  await recount({ prCount: 4 }, {});
  assert.deepEqual([readRange(partition, rangeId)?.prCount, changes()], [4, []]);
});
