/**
 * Tests a repository's settings in its partition: their defaults, writes and effects. Also tests that the settings
 * survive a rename of the repository.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings, type NotesSettings } from '../../../src/protocol/notes.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { readRepository, readRevision } from '../../../src/store/tables/repositories.ts';
import { readResponse } from '../../../src/store/tables/responses.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { readSettings, settingsDigest } from '../../../src/store/tables/settings.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, pullRecord, repositoryFields, tagRecord } from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const rangeId = 'range_00000000000000000000000000aa';
const settings: NotesSettings = { ...defaultSettings, links: 'short' };
const put = () => commandRecord({ name: 'putSettings', repoId, settings });

function recounts(partition: Partition): number {
  return listEffects(partition, 0, 100).filter(({ effect }) => effect.effect === 'recount').length;
}

test('settings are the defaults until a person sets them', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  assert.deepEqual(readSettings(partition, repoId), defaultSettings);
  await foldRecords(partition, 2, put());
  assert.equal(readSettings(partition, repoId).links, 'short');
  assert.deepEqual(readSettings(partition, 'repo_other'), defaultSettings);
});

test('settings are written only for the state that If-Match names', async (t) => {
  const partition = openTestPartition(t);
  const put = (links: NotesSettings['links'], ifMatch: string[]) => {
    const record = commandRecord({ name: 'putSettings', repoId, settings: { ...defaultSettings, links }, ifMatch });
    return { record, result: () => readResult(partition, record.id) };
  };
  const [first, late, next] = [
    put('short', [settingsDigest(partition, repoId)]),
    put('full', ['other']),
    put('full', []),
  ];
  await foldRecords(partition, 1, first.record, late.record, next.record);
  assert.equal(first.result()?.ok, true);
  for (const refused of [late, next]) {
    const result = refused.result();
    assert.equal(result?.ok === false && result.kind, 'preconditionFailed');
  }
  assert.equal(readSettings(partition, repoId).links, 'short');
});

test('a change of settings renews responses and recounts ranges', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  await foldRecords(partition, 2, put());
  assert.equal(recounts(partition), 0, 'there is no range yet');
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;
  const counts = { prCount: 1, issueCount: 0, resolution: 'window' } as const;
  await foldRecords(partition, 3, commandRecord({ name: 'createRange', rangeId, repoId, bounds, ...counts }));
  const [effect] = listEffects(partition, 0, 100).slice(-1);
  await foldRecords(partition, 4, put());
  assert.equal(recounts(partition), 1);
  assert.ok((listEffects(partition, 0, 100).slice(-1)[0]?.number ?? 0) > (effect?.number ?? 0), 'asked for anew');
  assert.equal(readRevision(partition, repoId), 3);
  assert.equal(JSON.parse(String(readResponse(partition, rangeId)?.json)).prCount, 1);
});

test('settings survive a rename, and can exist before the first delivery', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, put());
  assert.equal(readRepository(partition, repoId), undefined);
  await foldRecords(partition, 2, tagRecord('v1', 1));
  await foldRecords(partition, 3, pullRecord(2, { repository: repositoryFields({ fullName: 'acme/moon' }) }));
  assert.equal(readRepository(partition, repoId)?.fullName, 'acme/moon');
  assert.deepEqual(readSettings(partition, repoId), settings);
});
