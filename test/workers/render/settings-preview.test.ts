/**
 * Tests the settings preview on a partition: which ranges are compared, what the differences are, and that the partition
 * stays as it is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings, type NotesSettings } from '../../../src/protocol/notes.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { outOfTime, startDeadline } from '../../../workers/render/deadline.ts';
import { previewSettings } from '../../../workers/render/settings-preview.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  branchPush,
  commandRecord,
  eventRecord,
  pullSnapshot,
  repositoryFields,
  tagPush,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const merged = (number: number, title: string, labels: string[] = []) =>
  eventRecord({ event: 'pull_request', action: 'closed', pull: pullSnapshot(number, { title, labels }) });
const push = (from: number, to: number) => eventRecord({ event: 'push', push: branchPush(from, to) });

/** Compares the drafts under the stored settings with the drafts under the given settings. */
function previewOf(partition: Partition, settings: Partial<NotesSettings>, beforeRead = () => {}) {
  const task = { task: 'settingsPreview', repoId, settings: { ...defaultSettings, ...settings } } as const;
  return previewSettings(partition, task, beforeRead).ranges;
}

/** Opens a partition with the tags v1, v2 and v3. v2 contains a fix, and v3 contains a feature. */
async function fill(t: Parameters<typeof openTestPartition>[0]): Promise<Partition> {
  const partition = openTestPartition(t);
  const records = [
    ...[merged(1, 'First'), merged(2, 'No more leaks', ['type: bug'])],
    ...[merged(3, 'Faster start', ['type: feature']), push(0, 1), push(1, 2), push(2, 3)],
    ...[tagRecord('v1', 1), tagRecord('v2', 2), tagRecord('v3', 3)],
  ];
  await foldRecords(partition, 1, ...records);
  return partition;
}

test('shows the difference per range and persona', async (t) => {
  const partition = await fill(t);
  const titles = { ...defaultSettings.titles, fix: 'Mended' };
  const [newest, older, ...others] = previewOf(partition, { titles });
  assert.deepEqual(others, []);
  const { personas, ...range } = newest ?? assert.fail();
  assert.deepEqual(range, { fromTag: 'v2', toTag: 'v3', prCount: 1, issueCount: 0, resolution: 'commits' });
  const same = { changed: false, added: 0, removed: 0, diff: '', truncated: false, changedFlags: [] };
  assert.deepEqual(
    personas,
    ['engineer', 'internal', 'customer'].map((persona) => ({ persona, ...same })),
    'this range has no fix',
  );
  assert.deepEqual([older?.fromTag, older?.toTag], ['v1', 'v2']);
  const [engineer, internal, customer] = older?.personas ?? [];
  assert.deepEqual([engineer?.changed, internal?.changed, customer?.changed], [true, true, false]);
  assert.deepEqual([engineer?.added, engineer?.removed, engineer?.truncated], [1, 1, false]);
  assert.match(engineer?.diff ?? '', /^--- stored\/engineer\.md\n\+\+\+ given\/engineer\.md\n@@ /);
  assert.match(engineer?.diff ?? '', /^-## Bug Fixes\n\+## Mended\n/m);
});

test('shows the difference of the unreleased changes, also before the first release', async (t) => {
  const settings = { ...defaultSettings, titles: { ...defaultSettings.titles, fix: 'Mended' } };
  const unreleased = (partition: Partition) =>
    previewSettings(partition, { task: 'settingsPreview', repoId, settings, toTag: null }, () => {}).ranges;
  const partition = await fill(t);
  const next = [merged(4, 'No more noise', ['type: bug']), push(3, 4)];
  await foldRecords(partition, 2, ...next);
  const [range, ...others] = unreleased(partition);
  assert.deepEqual(others, []);
  assert.deepEqual([range?.fromTag, range?.toTag, range?.prCount], ['v3', null, 1]);
  assert.match(range?.personas[0]?.diff ?? '', /^-## Bug Fixes\n\+## Mended\n/m);
  const untagged = openTestPartition(t);
  await foldRecords(untagged, 1, merged(1, 'No more leaks', ['type: bug']), push(0, 1));
  const [first] = unreleased(untagged);
  assert.deepEqual([first?.fromTag, first?.toTag, first?.prCount], [null, null, 1]);
  assert.equal(first?.personas[0]?.changed, true);
});

test('compares with the stored settings and not with the defaults', async (t) => {
  const partition = await fill(t);
  const settings = { ...defaultSettings, excludedLabels: ['type: bug'] };
  await foldRecords(partition, 2, commandRecord({ name: 'putSettings', repoId, settings }));
  const changed = (given: Partial<NotesSettings>) =>
    previewOf(partition, given).map(({ personas }) => personas.some((each) => each.changed));
  assert.deepEqual(changed(settings), [false, false]);
  assert.deepEqual(changed({}), [false, true]);
});

test('names the flags that differ', async (t) => {
  const partition = await fill(t);
  const [newest] = previewOf(partition, { labels: { 'type: feature': { type: 'feature', highlight: true } } });
  assert.deepEqual(
    newest?.personas.map(({ changed, changedFlags }) => [changed, changedFlags]),
    [
      [false, ['highlights']],
      [false, ['highlights']],
      [false, ['highlights']],
    ],
  );
});

test('writes nothing', async (t) => {
  const partition = await fill(t);
  const before = dump(partition);
  previewOf(partition, { links: 'short' });
  assert.equal(dump(partition), before);
});

test('compares at most five ranges, and leaves out deleted tags and tags with an unknown commit', async (t) => {
  const partition = openTestPartition(t);
  const numbers = Array.from({ length: 60 }, (_, i) => i + 1);
  await foldRecords(
    partition,
    1,
    ...numbers.flatMap((number) => [
      merged(number, `Change ${number}`),
      push(number - 1, number),
      tagRecord(`v${number}`, number),
    ]),
    eventRecord({ event: 'tag', tag: tagPush('v59', 90, { deleted: true, sha: null }) }),
    eventRecord({ event: 'tag', tag: tagPush('v61', 61, { sha: null, object: null, date: null, hint: true }) }),
  );
  assert.deepEqual(
    previewOf(partition, {}).map(({ fromTag, toTag }) => `${fromTag} ${toTag}`),
    ['v58 v60', 'v57 v58', 'v56 v57', 'v55 v56', 'v54 v55'],
  );
});

test('a repository with fewer than two tags has no range, and an unknown repository is not found', async (t) => {
  const partition = openTestPartition(t);
  assert.throws(() => previewOf(partition, {}), { kind: 'notFound' });
  await foldRecords(partition, 1, merged(1, 'First'), push(0, 1), tagRecord('v1', 1));
  assert.deepEqual(previewOf(partition, {}), []);
});

test('a hostile title stays one line of the diff', async (t) => {
  const partition = openTestPartition(t);
  const titles = ['--- stored/forged.md\n+++ given/forged.md', '@@ -1 +1 @@\n-x', '\u001b[2J\u202e<img src=x>'];
  const records = titles.map((title, i) => merged(i + 2, title, ['type: bug']));
  const around = [push(0, 1), push(1, 4), tagRecord('v1', 1), tagRecord('v2', 4)];
  await foldRecords(partition, 1, ...records, ...around);
  const [range] = previewOf(partition, { links: 'short' });
  const { diff = '', added, removed } = range?.personas[0] ?? {};
  const [, , ...lines] = diff.split('\n').slice(0, -1);
  assert.deepEqual(
    [added, removed],
    [lines.filter((line) => line.startsWith('+')).length, lines.filter((line) => line.startsWith('-')).length],
  );
  assert.equal(lines.filter((line) => line.startsWith('@@ ')).length, 1);
  assert.ok(lines.every((line) => /^[-+@ ]/.test(line)));
  assert.doesNotMatch(diff, /(?<!\\)<img/);
  assert.ok(!diff.includes('\u001b') && !diff.includes('\u202e'));
});

test('ends at the deadline of its thread', async (t) => {
  const partition = await fill(t);
  const beforeRead = startDeadline(-1);
  assert.throws(() => previewOf(partition, {}, beforeRead), { message: outOfTime(-1).message });
});

test('returns only the range of a tag, with the texts under the given settings', async (t) => {
  const partition = await fill(t);
  const settings = { ...defaultSettings, titles: { ...defaultSettings.titles, fix: 'Mended' } };
  const task = { task: 'settingsPreview', repoId, settings } as const;
  const { ranges } = previewSettings(partition, { ...task, toTag: 'v2', withText: true }, () => {});
  assert.deepEqual(
    ranges.map(({ toTag }) => toTag),
    ['v2'],
  );
  const [engineer] = ranges[0]?.personas ?? [];
  assert.match(engineer?.text ?? '', /^## Mended\n\n- No more leaks/m);
});

test('returns the range of an older tag, and refuses a tag that is not the end of a range', async (t) => {
  const partition = openTestPartition(t);
  const numbers = Array.from({ length: 8 }, (_, i) => i + 1);
  const records = numbers.flatMap((number) => [push(number - 1, number), tagRecord(`v${number}`, number)]);
  await foldRecords(partition, 1, merged(1, 'First'), ...records);
  const previewOfTag = (toTag: string) =>
    previewSettings(partition, { task: 'settingsPreview', repoId, settings: defaultSettings, toTag }, () => {}).ranges;
  assert.deepEqual(
    previewOfTag('v2').map(({ fromTag, toTag }) => [fromTag, toTag]),
    [['v1', 'v2']],
  );
  for (const [toTag, expected] of [
    ['v9', `a tag of ${repositoryFields().fullName} with a known commit`],
    ['v1', 'a tag with a previous release'],
  ] as const)
    assert.throws(() => previewOfTag(toTag), {
      kind: 'invalid',
      details: { toTag: `expected ${expected}, got "${toTag}"` },
    });
});
