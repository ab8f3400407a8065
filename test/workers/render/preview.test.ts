/**
 * Checks the bounds of a new range against the captured data. Covers unknown tags, tags in the wrong order, two tags on
 * one commit, and tags on two branches.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RangeBounds } from '../../../src/protocol/stored.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { preview } from '../../../workers/render/preview.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  branchPush,
  eventRecord,
  issueSnapshot,
  pullRecord,
  repositoryFields,
  tagPush,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const byTags = (fromTag: string, toTag: string): RangeBounds => ({ type: 'TAG_BASED', fromTag, toTag });
const push = (from: number, to: number, fields = {}) =>
  eventRecord({ event: 'push', push: branchPush(from, to, fields) });

/**
 * Opens a partition with five merged pull requests and an issue. In the captured history, `v1` is on the second commit
 * and `v2` is on the fourth commit.
 */
async function fill(t: Parameters<typeof openTestPartition>[0]): Promise<Partition> {
  const partition = openTestPartition(t);
  await foldRecords(
    partition,
    1,
    ...[1, 2, 3, 4, 5].map((number) => pullRecord(number)),
    push(0, 1),
    push(1, 2),
    push(2, 4),
    push(4, 5),
    eventRecord({ event: 'issues', action: 'closed', issue: issueSnapshot(7) }),
    tagRecord('v1', 2),
    tagRecord('v2', 4),
  );
  return partition;
}

/** Counts the changes that a range of the repository would contain. */
function count(partition: Partition, bounds: RangeBounds) {
  return preview(partition, { task: 'preview', repoId, bounds });
}

/** Returns the names of the fields that cause the refusal of the bounds. */
function refused(partition: Partition, bounds: RangeBounds): string[] {
  try {
    count(partition, bounds);
    return [];
  } catch (error) {
    const { kind, details } = error as { kind: string; details: Record<string, string> };
    assert.equal(kind, 'invalid');
    for (const [field, detail] of Object.entries(details)) {
      assert.match(detail, /^expected .*, got /);
      assert.ok(detail.endsWith(JSON.stringify(bounds[field as 'fromTag'])), detail);
    }
    return Object.keys(details);
  }
}

test('counts a range of each type', async (t) => {
  const partition = await fill(t);
  assert.deepEqual(count(partition, byTags('v1', 'v2')), {
    prCount: 2,
    issueCount: 0,
    resolution: 'commits',
  });
  const numbers = { type: 'PR_BASED', fromPrNumber: 2, toPrNumber: 9 } as const;
  assert.deepEqual(count(partition, numbers), { prCount: 4, issueCount: 1, resolution: 'window' });
  const dates = { type: 'DATE_BASED', fromDate: '2026-01-01', toDate: '2026-01-01' } as const;
  assert.deepEqual(count(partition, dates), { prCount: 5, issueCount: 1, resolution: 'window' });
});

test('names each unknown tag', async (t) => {
  const partition = await fill(t);
  assert.deepEqual(refused(partition, byTags('v1', 'v3')), ['toTag']);
  assert.deepEqual(refused(partition, byTags('v0', 'v2')), ['fromTag']);
  assert.deepEqual(refused(partition, byTags('v0', 'v3')), ['fromTag', 'toTag']);
  await foldRecords(partition, 2, eventRecord({ event: 'tag', tag: tagPush('v2', 9, { deleted: true, sha: null }) }));
  assert.deepEqual(refused(partition, byTags('v1', 'v2')), ['toTag'], 'a deleted tag is not known');
});

test('refuses tags in the wrong order by ancestry', async (t) => {
  const partition = await fill(t);
  assert.deepEqual(refused(partition, byTags('v2', 'v1')), ['fromTag', 'toTag']);
  // `v0` was made later, but on an older commit, so it is the older tag.
  const late = eventRecord({ event: 'tag', tag: tagPush('v0', 1, { date: null, pushedAt: Date.UTC(2027, 0) }) });
  await foldRecords(partition, 2, late);
  assert.deepEqual(refused(partition, byTags('v0', 'v2')), []);
  assert.deepEqual(refused(partition, byTags('v2', 'v0')), ['fromTag', 'toTag']);
});

test('refuses tags in the wrong order by date if ancestry is unknown', async (t) => {
  const partition = await fill(t);
  await foldRecords(partition, 2, tagRecord('x1', 50), tagRecord('x2', 60));
  assert.deepEqual(refused(partition, byTags('x1', 'x2')), []);
  assert.deepEqual(refused(partition, byTags('x2', 'x1')), ['fromTag', 'toTag']);
});

test('accepts a tag that only a create event reported', async (t) => {
  const partition = await fill(t);
  const hint = { sha: null, object: null, date: null, hint: true } as const;
  await foldRecords(partition, 2, eventRecord({ event: 'tag', tag: tagPush('v3', 90, hint) }));
  assert.deepEqual(refused(partition, byTags('v1', 'v3')), []);
  assert.deepEqual(refused(partition, byTags('v3', 'v1')), ['fromTag', 'toTag']);
});

test('accepts two tags of one commit in either order, with nothing between', async (t) => {
  const partition = await fill(t);
  await foldRecords(partition, 2, tagRecord('v2-rc', 4));
  for (const bounds of [byTags('v2-rc', 'v2'), byTags('v2', 'v2-rc')]) {
    assert.deepEqual(count(partition, bounds), { prCount: 0, issueCount: 0, resolution: 'commits' });
  }
});

test('accepts tags of two branches in either order', async (t) => {
  const partition = await fill(t);
  // A release branch that begins at the second commit of main.
  const release = push(10, 11, { branch: 'release-1', before: branchPush(1, 2).after });
  await foldRecords(partition, 2, pullRecord(11), release, tagRecord('v1.1', 11));
  assert.equal(count(partition, byTags('v2', 'v1.1')).prCount, 1);
  assert.equal(count(partition, byTags('v1.1', 'v2')).prCount, 2);
});

test('reports an unknown repository', async (t) => {
  const partition = await fill(t);
  assert.throws(() => preview(partition, { task: 'preview', repoId: 'repo_x', bounds: byTags('v1', 'v2') }), {
    kind: 'notFound',
  });
});
