/**
 * Checks the counts per week: they are those of the captured pull requests, whatever the order of the events, and each
 * pull request counts once as published.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { dayMs, dayOf } from '../../../src/foundation/days.ts';
import { draftId as draftIdOf } from '../../../src/foundation/ids.ts';
import type { Command } from '../../../src/protocol/commands.ts';
import type { PullSnapshot } from '../../../src/protocol/events.ts';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { medianHours, readWeeks, startOfWeek, weekOf } from '../../../src/store/tables/weeks.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  sweepRecord,
} from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const repoId = repositoryFields().id;
const week = weekOf(epoch);
const hourMs = 3_600_000;

function pull(number: number, fields: Partial<PullSnapshot> = {}): EventRecord {
  return eventRecord({ event: 'pull_request', action: 'closed', pull: pullSnapshot(number, fields) });
}

/** Returns the merges and the merges without labels of each week. */
function merges(partition: Partition): number[][] {
  return readWeeks(partition, repoId, 0, 1e6).map(([of, counts]) => [of, counts.merged, counts.withoutLabels]);
}

test('a week begins on Monday in UTC', () => {
  assert.equal(new Date(startOfWeek(weekOf(Date.UTC(2026, 10, 27)))).toISOString(), '2026-11-23T00:00:00.000Z');
  assert.equal(weekOf(Date.UTC(2026, 10, 23)) - weekOf(Date.UTC(2026, 10, 23) - 1), 1);
});

test('a merge counts once in its week, with duplicates and with events of later labels', async (t) => {
  const partition = openTestPartition(t);
  const first = pull(1);
  await foldRecords(partition, 1, first, first, pull(1), pull(2, { labels: ['fix'] }));
  assert.deepEqual(merges(partition), [[week, 2, 1]]);
  const labelled = pullSnapshot(1, { labels: ['fix'], updatedAt: epoch + 9_000 });
  await foldRecords(partition, 2, eventRecord({ event: 'pull_request', action: 'labeled', pull: labelled }));
  assert.deepEqual(merges(partition), [[week, 2, 0]]);
  await foldRecords(
    partition,
    3,
    pull(3, { mergedAt: epoch - 30 * dayMs }),
    pull(4, { state: 'closed', mergedAt: null }),
  );
  assert.deepEqual(merges(partition), [
    [weekOf(epoch - 30 * dayMs), 1, 1],
    [week, 2, 0],
  ]);
});

test('an earlier time of a merge moves it to another week', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pull(1));
  await foldRecords(partition, 2, pull(1, { mergedAt: epoch - 8 * dayMs }));
  assert.deepEqual(merges(partition), [[weekOf(epoch - 8 * dayMs), 1, 1]]);
});

test('erased pull requests leave the counts', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pull(1), pull(2));
  const later = epoch + 400 * dayMs;
  await foldRecords(partition, 2, ...dailyTicks(epoch, later));
  const sweep = sweepRecord({ sweep: 'records', before: dayOf(later) - 365 }, later);
  await foldRecords(partition, 3, sweep, sweepRecord({ sweep: 'more' }, later), sweepRecord({ sweep: 'more' }, later));
  assert.deepEqual(merges(partition), []);
});

/** Folds pull requests, a draft with their markers, and the publications of it. */
async function publishing(t: TestContext, partition = openTestPartition(t)) {
  const rangeId = 'range_00000000000000000000000000aa';
  const draftId = draftIdOf(rangeId, 'engineer');
  let seq = 0;
  const command = (each: Command, at = epoch) => foldRecords(partition, ++seq, commandRecord(each, at));
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 3 } as const;
  await foldRecords(partition, ++seq, pull(1), pull(2), pull(3), pull(4, { state: 'open', mergedAt: null }));
  const counts = { prCount: 3, issueCount: 0, resolution: 'window' } as const;
  await command({ name: 'createRange', rangeId, repoId, bounds, ...counts });
  await command({ name: 'generateDraft', draftId, rangeId, persona: 'engineer', ticket: 't' });
  const edit = (...numbers: number[]) =>
    command({ name: 'updateDraft', draftId, bodyMd: numbers.map((n) => `- Text <!-- rn:pr:${n} -->\n`).join('') });
  const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: 'here' };
  const publish = async (publicationId: string, revision: number, at: number) => {
    const what = { publicationId, draftId, revision, channel: 'workspace_chat', asDraft: false } as const;
    await command({ name: 'publish', ...what, connection, pagesUrl: null }, at);
    const sending = { result: 'publicationSending', publicationId, attempt: 1, by: 'life-1' } as const;
    const done = { result: 'published', publicationId, attempt: 1, url: null, reference: null, counts: {} } as const;
    await foldRecords(partition, ++seq, resultRecord(sending, at), resultRecord(done, at), resultRecord(done, at));
  };
  const remove = (publicationId: string) => command({ name: 'deletePublication', publicationId });
  return { partition, edit, publish, remove };
}

test('the first publication of a pull request counts the time since its merge', async (t) => {
  const { partition, edit, publish, remove } = await publishing(t);
  const waits = () =>
    readWeeks(partition, repoId, 0, 1e6)
      .filter(([, counts]) => counts.waits.length > 0)
      .map(([of, counts]) => [
        of,
        counts.waits.reduce((sum, [, changes]) => sum + changes, 0),
        medianHours(counts.waits),
      ]);
  await edit(1, 2, 4, 99);
  await publish('pub_1', 1, epoch + 100 * hourMs);
  const [[first, published, median] = []] = waits();
  assert.deepEqual([first, published], [week + 1, 2], 'neither an open nor an unknown pull request counts');
  assert.ok(Math.abs((median as number) - 100) <= 5, String(median));
  await edit(1, 2, 3);
  await publish('pub_2', 2, epoch + 300 * hourMs);
  assert.deepEqual(
    waits().map(([, changes]) => changes),
    [2, 1],
    'only the third one is new',
  );
  const before = waits();
  await remove('pub_1');
  assert.deepEqual(waits(), before);
});

test('the upgrade counts what an earlier version stored', async (t) => {
  const dataDir = temporaryFolder(t);
  const earlier = openPartition(dataDir, 'p00');
  const { edit, publish } = await publishing(t, earlier);
  await edit(1, 2);
  await publish('pub_1', 1, epoch + 100 * hourMs);
  const expected = dump(earlier);
  await earlier.write(() => {
    for (const name of ['weeks', 'publishedPulls', 'publicationsByState'] as const)
      for (const key of [...earlier.tables[name].getKeys({})]) earlier.tables[name].removeSync(key);
  });
  assert.notEqual(dump(earlier), expected);
  await earlier.close();
  const partition = openTestPartition(t, 'p00', dataDir);
  assert.equal(dump(partition), expected);
});
